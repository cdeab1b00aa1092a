//! Answers that were sent and whose arrival is not confirmed: offers, notices.
//!
//! Three steps lead there. The answer leaves; the answer to the ping behind it says that the peer has read it; and
//! the peer's next request says that whoever it works for is alive and goes on. A connection that ends before the third
//! takes the offer back at once, and its notices are told again.

use crate::tools::AnswerGuard;
use std::collections::VecDeque;
use std::sync::Arc;

/// The answers of one connection whose arrival is not confirmed yet.
#[derive(Debug, Default)]
pub(super) struct Unacknowledged {
    last: u64,
    written: VecDeque<(u64, Arc<AnswerGuard>)>,
    read: Vec<Arc<AnswerGuard>>,
}

impl Unacknowledged {
    /// An answer carries this; the mark to send with it.
    pub(super) fn write(&mut self, guard: Arc<AnswerGuard>) -> u64 {
        guard.leaves();
        self.last += 1;
        self.written.push_back((self.last, guard));
        self.last
    }

    /// The peer has read everything up to this mark.
    pub(super) fn was_read(&mut self, mark: u64) {
        while let Some((_, guard)) = self.written.pop_front_if(|(written, _)| *written <= mark) {
            self.read.push(guard);
        }
    }

    /// The peer asks something new: what it read before has arrived.
    pub(super) fn goes_on(&mut self) {
        self.read = Vec::new();
    }

    /// Nothing waits for the peer to read it.
    pub(super) fn is_read(&self) -> bool {
        self.written.is_empty()
    }

    /// We end the connection, and not the peer: it keeps what it has read, and comes back with it.
    pub(super) fn keeps_what_it_read(&mut self) {
        self.read = Vec::new();
    }
}

impl Drop for Unacknowledged {
    fn drop(&mut self) {
        for guard in self.written.iter().map(|(_, guard)| guard).chain(&self.read) {
            guard.lost();
        }
    }
}
