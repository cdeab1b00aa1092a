//! The time of the database, told by this machine's own steady clock.
//!
//! Leases of tasks end at moments that are kept in the journal. After a move they are compared with the clock of
//! another machine: one that is ahead would end them all at once. So a node asks the database once, and counts on.

use super::state::Elapsed;
use crate::time::Timestamp;

/// One moment, as both clocks had it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClockAnchor {
    database: Timestamp,
    own: Elapsed,
}

impl ClockAnchor {
    /// `database` was read between `asked` and `answered`; the end of that is taken, so that time is late and not
    /// early: nothing ends before its time.
    pub const fn new(database: Timestamp, answered: Elapsed) -> Self {
        Self { database, own: answered }
    }

    /// The time now. A clock that was read before the anchor gives the anchor's.
    pub fn now(self, own: Elapsed) -> Timestamp {
        self.database + own.since(self.own)
    }
}
