//! What the relay lets its observer see, without ever waiting for it.

use std::cell::Cell;

use bytes::Bytes;
use rustix::termios::Winsize;
use secrecy::SecretSlice;
use tokio::sync::{mpsc, oneshot};

/// How many things may wait to be looked at: of output at most some megabytes.
const WAITING: usize = 64;

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
        /// This.
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
    /// These keys.
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

/// The relay's end.
#[derive(Debug)]
pub(super) struct Tap {
    send: mpsc::Sender<Seen>,
    missed: Cell<u64>,
    count: Cell<Count>,
}

impl Tap {
    /// A tap, and where what is seen comes out.
    pub(super) fn new() -> (Self, mpsc::Receiver<Seen>) {
        let (send, seen) = mpsc::channel(WAITING);
        (Self { send, missed: Cell::new(0), count: Cell::new(Count::default()) }, seen)
    }

    /// How much has happened.
    pub(super) fn count(&self) -> Count {
        self.count.get()
    }

    /// The program printed this.
    pub(super) fn printed(&self, bytes: &Bytes) {
        let length = length(bytes);
        let count = self.count.get();
        self.count.set(Count { printed: count.printed + length, ..count });
        let missed = self.missed.get();
        if missed > 0 {
            // Two places are needed, or what follows would seem to follow what it does not.
            if self.send.capacity() < 2 {
                self.missed.set(missed + length);
                return;
            }
            self.show(Seen::Missed(missed));
            self.missed.set(0);
        }
        if !self.show(Seen::Printed(bytes.clone())) {
            self.missed.set(length);
        }
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

    /// Something else; whether it could be kept.
    pub(super) fn show(&self, seen: Seen) -> bool {
        self.send.try_send(seen).is_ok()
    }
}

fn length(bytes: &Bytes) -> u64 {
    u64::try_from(bytes.len()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use secrecy::ExposeSecret as _;

    use super::*;

    #[test]
    fn an_observer_that_is_behind_learns_how_much_it_missed() {
        let (tap, mut seen) = Tap::new();
        let piece = Bytes::from_static(b"0123456789");
        for _ in 0..WAITING + 3 {
            tap.printed(&piece);
        }
        for _ in 0..WAITING {
            assert!(matches!(seen.try_recv(), Ok(Seen::Printed(_))));
        }
        assert!(seen.try_recv().is_err());
        tap.printed(&piece);
        assert!(matches!(seen.try_recv(), Ok(Seen::Missed(30))));
        assert!(matches!(seen.try_recv(), Ok(Seen::Printed(_))));
        assert_eq!(tap.count().printed, 10 * u64::try_from(WAITING + 4).unwrap());
    }

    #[test]
    fn what_is_hidden_is_shown_to_nobody() {
        let (tap, mut seen) = Tap::new();
        tap.typed(&Bytes::from_static(b"hunter2\r"), true);
        let Ok(Seen::Typed(typed)) = seen.try_recv() else { panic!("it was typed") };
        assert!(!format!("{typed:?}").contains("hunter2"), "{typed:?}");
        let Typed::Hidden { keys, entered: true } = typed else { panic!("it was hidden, and entered") };
        assert_eq!(keys.expose_secret(), b"hunter2\r");
        assert_eq!(tap.count().typed, 8);
    }
}
