//! What the hub has not kept yet: numbered, in order, and said again after a loss of the connection.

use std::collections::VecDeque;

use crate::domain::ids::RunId;
use crate::domain::on_call::{FromHost, Numbered};

/// Messages of a host, from the first that the hub has not kept.
#[derive(Debug, Default)]
pub(super) struct Outbox {
    last: u64,
    unkept: VecDeque<Numbered>,
}

impl Outbox {
    /// Numbers a message, and keeps it until the hub does.
    pub(super) fn put(&mut self, message: FromHost) -> Numbered {
        self.last += 1;
        let numbered = Numbered { number: self.last, message };
        self.unkept.push_back(numbered.clone());
        numbered
    }

    /// The hub keeps this one from here on; none where it was not waited for.
    pub(super) fn kept(&mut self, number: u64) -> Option<FromHost> {
        let at = self.unkept.iter().position(|unkept| unkept.number == number)?;
        self.unkept.remove(at).map(|unkept| unkept.message)
    }

    /// What a new connection is told again. Which slots are free is left out: that is told anew.
    pub(super) fn again(&mut self) -> impl Iterator<Item = &Numbered> {
        let passes = |message: &FromHost| {
            matches!(message, FromHost::Parked { .. } | FromHost::Paused { .. } | FromHost::Active { .. })
        };
        self.unkept.retain(|unkept| !passes(&unkept.message));
        self.unkept.iter()
    }

    /// Whether the end of a process of this run is on its way.
    pub(super) fn tells_end_of(&self, run: &RunId) -> bool {
        self.unkept.iter().any(|unkept| matches!(&unkept.message, FromHost::Ended(ended) if ended.run == *run))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.unkept.is_empty()
    }
}

#[cfg(test)]
mod tests;
