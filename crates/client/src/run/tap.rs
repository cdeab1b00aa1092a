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

/// Something that happened to the terminal.
#[derive(Debug)]
pub(super) enum Seen {
    /// The program printed this.
    Printed(Bytes),
    /// The program printed so many bytes that nobody could keep.
    Missed(u64),
    /// The user typed.
    Typed(Typed),
    /// The hub typed.
    Injected {
        keys: Bytes,
        /// Whether a person gave it as the answer.
        by_person: bool,
    },
    /// The terminal has another size.
    Resized(Winsize),
    /// The program ended with this code.
    Ended(u8),
}

/// What the user typed.
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
    /// What to type.
    pub(super) keys: Bytes,
    /// Whether a person gave it as the answer.
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

/// The observer's end of the tap.
#[derive(Debug)]
pub(super) struct TapReader(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    #[expect(clippy::disallowed_types, reason = "a sender takes back what is late; held for one step, on two threads")]
    waiting: std::sync::Mutex<Waiting>,
    more: Notify,
}

/// What waits to be looked at.
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

    /// How much has happened.
    pub(super) fn count(&self) -> Count {
        self.count.get()
    }

    /// The program printed this.
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

    /// The hub typed this.
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
mod tests {
    use secrecy::ExposeSecret as _;

    use super::*;

    /// All that waits, a word for each.
    fn all(sight: &TapReader) -> Vec<String> {
        let next = || sight.0.with(Waiting::take);
        std::iter::from_fn(next)
            .map(|seen| match seen {
                Seen::Printed(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
                Seen::Missed(missed) => format!("<{missed} missed>"),
                Seen::Typed(_) => "<typed>".to_owned(),
                Seen::Injected { .. } => "<injected>".to_owned(),
                Seen::Resized(_) => "<resized>".to_owned(),
                Seen::Ended(code) => format!("<ended {code}>"),
            })
            .collect()
    }

    #[test]
    fn an_observer_that_is_behind_misses_the_oldest_and_learns_how_much() {
        let (tap, sight) = Tap::new();
        for number in 0..PIECES + 3 {
            tap.printed(&Bytes::from(format!("{number:04}")));
        }
        let seen = all(&sight);
        assert_eq!(seen.len(), PIECES + 1);
        assert_eq!(seen[..2], ["<12 missed>", "0003"]);
        assert_eq!(seen.last().unwrap(), &format!("{:04}", PIECES + 2), "the newest is there");
        assert_eq!(tap.count().printed, 4 * u64::try_from(PIECES + 3).unwrap());
        assert_eq!(sight.0.with(|waiting| (waiting.bytes, waiting.pieces)), (0, 0));
    }

    #[test]
    fn it_is_the_bytes_that_are_bounded_too_and_the_last_piece_stays_however_long_it_is() {
        let (tap, sight) = Tap::new();
        for _ in 0..3 {
            tap.printed(&Bytes::from(vec![b'x'; WAITING / 2]));
        }
        tap.printed(&Bytes::from(vec![b'y'; WAITING * 2]));
        let seen = all(&sight);
        assert_eq!(seen[0], format!("<{} missed>", WAITING / 2 * 3));
        assert_eq!((seen.len(), seen[1].len()), (2, WAITING * 2));
    }

    #[test]
    fn what_was_typed_and_the_end_are_seen_however_much_was_missed() {
        let (tap, sight) = Tap::new();
        let piece = Bytes::from_static(b"0123456789");
        let flood = || (0..PIECES).for_each(|_| tap.printed(&piece));
        tap.printed(&piece);
        tap.typed(&piece, false);
        tap.printed(&piece);
        flood();
        tap.injected(&piece, true);
        flood();
        tap.show(Seen::Ended(3));
        let mut seen = all(&sight);
        seen.retain(|word| word.starts_with('<'));
        let missed = 10 * PIECES;
        let between = format!("<{} missed>", missed + 10);
        assert_eq!(seen, ["<10 missed>", "<typed>", &between, "<injected>", "<ended 3>"]);
        assert_eq!(tap.count().typed, 20);
    }

    #[tokio::test]
    async fn who_watches_is_woken_and_hears_the_end_after_all_that_came_before_it() {
        let (tap, mut sight) = Tap::new();
        let watching = async {
            let first = sight.next().await;
            (first, sight.next().await, sight.next().await)
        };
        let relaying = async {
            tokio::task::yield_now().await;
            tap.printed(&Bytes::from_static(b"one"));
            tokio::task::yield_now().await;
            tap.show(Seen::Ended(0));
            drop(tap);
        };
        let (seen, ()) = tokio::join!(watching, relaying);
        assert!(matches!(seen, (Some(Seen::Printed(_)), Some(Seen::Ended(0)), None)), "{seen:?}");
    }

    #[test]
    fn what_is_hidden_is_shown_to_nobody() {
        let (tap, sight) = Tap::new();
        tap.typed(&Bytes::from_static(b"hunter2\r"), true);
        let Some(Seen::Typed(typed)) = sight.0.with(Waiting::take) else { panic!("it was typed") };
        assert!(!format!("{typed:?}").contains("hunter2"), "{typed:?}");
        let Typed::Hidden { keys, entered: true } = typed else { panic!("it was hidden, and entered") };
        assert_eq!(keys.expose_secret(), b"hunter2\r");
        assert_eq!(tap.count().typed, 8);
    }
}
