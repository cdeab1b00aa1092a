//! What the relay lets its observer see, without ever waiting for it.
//!
//! An observer that is behind misses the oldest output that it has not seen, and never the newest: what stands at the
//! end is what the program waits with. What was typed, and the end itself, is always seen.

use std::cell::Cell;
use std::collections::VecDeque;
use std::sync::{Arc, PoisonError};

use bytes::Bytes;
use rustix::termios::Winsize;
use secrecy::SecretSlice;
use tokio::sync::{Notify, oneshot};

/// How many bytes of output may wait to be looked at.
const WAITING: usize = 4 * 1024 * 1024;
/// And how many pieces of it: each of them may hold on to the room of a larger one.
const PIECES: usize = 256;

#[derive(Debug)]
pub(super) enum Seen {
    Printed(Bytes),
    /// The program printed so many bytes that nobody could keep.
    Missed(u64),
    Typed(Typed),
    Injected {
        keys: Bytes,
        /// Whether a person gave it as the answer.
        by_person: bool,
    },
    Resized(Winsize),
    Ended(u8),
}

#[derive(Debug)]
pub(super) enum Typed {
    Keys(Bytes),
    /// Something that the terminal hid.
    Hidden {
        /// These keys, for the [`Blackout`](super::blackout::Blackout) alone.
        keys: SecretSlice<u8>,
        /// Whether they end a line.
        entered: bool,
    },
}

/// An order to type, for the instant in which nothing has changed since it was judged safe.
#[derive(Debug)]
pub(super) struct Injection {
    pub(super) keys: Bytes,
    pub(super) by_person: bool,
    /// How much had happened when it was judged.
    pub(super) judged_at: Count,
    /// Whether it was typed.
    pub(super) done: oneshot::Sender<bool>,
}

/// How much happened to a terminal: what was printed and what was typed, in bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Count {
    pub(super) printed: u64,
    pub(super) typed: u64,
}

/// The relay's end. Who watches hears when it is dropped.
#[derive(Debug)]
pub(super) struct Tap {
    shared: Arc<Shared>,
    count: Cell<Count>,
}

#[derive(Debug)]
pub(super) struct TapReader(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    #[expect(clippy::disallowed_types, reason = "a sender takes back what is late; held for one step, on two threads")]
    waiting: std::sync::Mutex<Waiting>,
    more: Notify,
}

#[derive(Debug, Default)]
struct Waiting {
    seen: VecDeque<Seen>,
    bytes: usize,
    pieces: usize,
    is_over: bool,
}

impl Tap {
    /// A tap, and where what is seen comes out.
    pub(super) fn new() -> (Self, TapReader) {
        let shared = Arc::new(Shared::default());
        (Self { shared: Arc::clone(&shared), count: Cell::new(Count::default()) }, TapReader(shared))
    }

    pub(super) fn count(&self) -> Count {
        self.count.get()
    }

    pub(super) fn printed(&self, bytes: &Bytes) {
        let count = self.count.get();
        self.count.set(Count { printed: count.printed + length(bytes), ..count });
        self.show(Seen::Printed(bytes.clone()));
    }

    /// The user typed this; `hidden` says that the terminal does not show it.
    pub(super) fn typed(&self, bytes: &Bytes, hidden: bool) {
        let count = self.count.get();
        self.count.set(Count { typed: count.typed + length(bytes), ..count });
        let typed = if hidden {
            let entered = bytes.iter().any(|byte| matches!(byte, b'\r' | b'\n'));
            Typed::Hidden { keys: SecretSlice::from(bytes.to_vec()), entered }
        } else {
            Typed::Keys(bytes.clone())
        };
        self.show(Seen::Typed(typed));
    }

    pub(super) fn injected(&self, keys: &Bytes, by_person: bool) {
        let count = self.count.get();
        self.count.set(Count { typed: count.typed + length(keys), ..count });
        self.show(Seen::Injected { keys: keys.clone(), by_person });
    }

    pub(super) fn show(&self, seen: Seen) {
        self.shared.with(|waiting| waiting.add(seen));
        self.shared.more.notify_one();
    }
}

impl Drop for Tap {
    fn drop(&mut self) {
        self.shared.with(|waiting| waiting.is_over = true);
        self.shared.more.notify_one();
    }
}

impl TapReader {
    /// What happened next; nothing once the relay is gone. Safe to drop half-way.
    pub(super) async fn next(&mut self) -> Option<Seen> {
        loop {
            let (next, is_over) = self.0.with(|waiting| (waiting.take(), waiting.is_over));
            if next.is_some() || is_over {
                return next;
            }
            self.0.more.notified().await;
        }
    }

    /// Whether something happened that was not taken yet.
    pub(super) fn has_more(&self) -> bool {
        self.0.with(|waiting| !waiting.seen.is_empty())
    }
}

impl Shared {
    fn with<T>(&self, look: impl FnOnce(&mut Waiting) -> T) -> T {
        // Each step leaves it whole.
        look(&mut self.waiting.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Waiting {
    fn add(&mut self, seen: Seen) {
        if let Seen::Printed(bytes) = &seen {
            self.bytes += bytes.len();
            self.pieces += 1;
        }
        self.seen.push_back(seen);
        while (self.bytes > WAITING || self.pieces > PIECES) && self.pieces > 1 {
            self.forget_the_oldest();
        }
    }

    fn take(&mut self) -> Option<Seen> {
        let next = self.seen.pop_front();
        if let Some(Seen::Printed(bytes)) = &next {
            self.bytes -= bytes.len();
            self.pieces -= 1;
        }
        next
    }

    /// The oldest output becomes a gap, or makes the gap before it wider.
    fn forget_the_oldest(&mut self) {
        let Some(at) = self.seen.iter().position(|seen| matches!(seen, Seen::Printed(_))) else { return };
        let Some(Seen::Printed(bytes)) = self.seen.remove(at) else { return };
        self.bytes -= bytes.len();
        self.pieces -= 1;
        match at.checked_sub(1).and_then(|before| self.seen.get_mut(before)) {
            Some(Seen::Missed(missed)) => *missed += length(&bytes),
            _ => self.seen.insert(at, Seen::Missed(length(&bytes))),
        }
    }
}

fn length(bytes: &Bytes) -> u64 {
    u64::try_from(bytes.len()).unwrap_or_default()
}

#[cfg(test)]
mod tests;
