//! A comment on its way outside, and why it is not there.

use std::time::Duration;

use crate::domain::time::Timestamp;
use crate::domain::work_item::WorkItem;

/// Why a comment is not outside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Fail {
    /// It may succeed later.
    Later {
        /// What went wrong.
        error: String,
        /// How long the tracker wants to be left alone.
        after: Option<Duration>,
    },
    /// It never succeeds.
    Never(String),
}

/// One comment, as it is to stand outside.
#[derive(Debug, Clone)]
pub(super) struct Outside {
    /// On what.
    pub item: WorkItem,
    /// What tells it from all others.
    pub mark: String,
    /// What it says, with its mark.
    pub body: String,
    /// The agent that says it.
    pub agent: String,
    /// It is not older than that.
    pub since: Timestamp,
    /// Whether it was outside before, and says something else now.
    pub changed: bool,
}
