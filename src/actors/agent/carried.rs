//! What a result carries to the agent beside what it was called for.

use std::collections::BTreeSet;

use crate::domain::agent::Notice;
use crate::domain::ids::{LeaseEpoch, NoticeId, TaskId};

/// The number of one call, unique within the hub's run: the end of an old wait never un-waits a newer one, and what an
/// answer carries is known by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct CallId(pub u64);

/// What goes with a result.
#[derive(Debug, Clone, Default)]
pub struct Collected {
    /// To be told in it.
    pub notices: Vec<Notice>,
    /// What the result tells already: heard with it, told again when it is lost.
    pub told: BTreeSet<NoticeId>,
}

/// What an answer carries that must not get lost with it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Carried {
    /// An offer.
    pub offer: Option<(TaskId, LeaseEpoch)>,
    /// Notices.
    pub notices: BTreeSet<NoticeId>,
}

impl Carried {
    /// Whether there is nothing to lose.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.offer.is_none() && self.notices.is_empty()
    }
}
