//! When an actor failed lately: often enough to be a strain, or not.

use std::collections::VecDeque;
use std::time::Duration;

use crate::domain::time::Timestamp;

/// So many failures within [`WITHIN`] are a strain.
const FAILURES: usize = 3;

/// The span over which failures are counted.
const WITHIN: Duration = Duration::from_secs(5 * 60);

/// When an actor failed, the newest few times.
#[derive(Debug, Clone, Default)]
pub(super) struct Lately(VecDeque<Timestamp>);

impl Lately {
    pub(super) fn failed(&mut self, now: Timestamp) {
        if self.0.len() == FAILURES {
            self.0.pop_front();
        }
        self.0.push_back(now);
    }

    /// Whether the newest failures came in quick succession, and not long ago.
    pub(super) fn is_failing(&self, now: Timestamp) -> bool {
        self.0.len() == FAILURES && self.0.front().is_some_and(|first| now.since(*first) <= WITHIN)
    }
}

#[cfg(test)]
mod tests;
