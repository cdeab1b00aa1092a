//! Until when this hub is sure to have the journal, where several share a database. A hub alone always has it.

use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use tokio::sync::watch;

use crate::domain::node::NodeView;

#[derive(Debug, Clone)]
pub struct Held {
    /// Until when, as `now` counts, no other hub can have taken the journal.
    pub until: watch::Receiver<Duration>,
    /// Every hub on the database, by name.
    pub nodes: watch::Receiver<Vec<NodeView>>,
    /// The time since this machine began.
    pub now: fn() -> Duration,
}

#[derive(Clone, Default)]
pub struct Ownership(Arc<OnceLock<Held>>);

impl Ownership {
    /// From now on it is this node that tells. Said again, it changes nothing.
    pub fn begin(&self, held: Held) {
        let _ = self.0.set(held);
    }

    /// Asked before each answer and each delivery: a process that was stopped for a while may have been taken from.
    pub fn holds(&self) -> bool {
        self.0.get().is_none_or(|held| (held.now)() < *held.until.borrow())
    }

    /// Every hub on the database; none where this one is alone.
    pub fn nodes(&self) -> Vec<NodeView> {
        self.0.get().map(|held| held.nodes.borrow().clone()).unwrap_or_default()
    }
}

#[cfg(test)]
impl Ownership {
    /// A node that is never sure.
    pub fn is_unsure(&self) {
        let (until, nodes) = (watch::channel(Duration::ZERO).1, watch::channel(Vec::new()).1);
        self.begin(Held { until, nodes, now: crate::clock::since_boot });
    }
}

impl fmt::Debug for Ownership {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ownership").field("holds", &self.holds()).finish()
    }
}
