//! A comment on its way outside, and why it is not there.

use std::time::Duration;

use crate::domain::time::Timestamp;
use crate::domain::work_item::WorkItem;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Fail {
    /// It may succeed later.
    Later {
        error: String,
        /// How long the tracker wants to be left alone.
        after: Option<Duration>,
    },
    Never(String),
}

#[derive(Debug, Clone)]
pub(super) struct Outside {
    pub item: WorkItem,
    /// What tells it from all others.
    pub mark: String,
    /// What it says, with its mark.
    pub body: String,
    /// What the hub may have written there under this mark before; nothing else is changed in place.
    pub earlier: Vec<String>,
    pub agent: String,
    /// It is not older than that.
    pub since: Timestamp,
    /// Whether it was outside before, and says something else now.
    pub changed: bool,
}

/// What is known of earlier attempts.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Before {
    /// Whether this very text may have gone out already.
    pub tried: bool,
    /// The id of the comment, where an attempt came back with it.
    pub id: Option<u64>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Written {
    /// Where people see it, or what the receiver said.
    pub receipt: String,
    pub called: String,
    pub id: Option<u64>,
}
