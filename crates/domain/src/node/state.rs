//! What a node knows of itself and of the others.

use std::collections::BTreeMap;
use std::time::Duration;

use super::STOP_AFTER;

/// A node, as the database numbers it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u32);

/// How often a node joined: it is another one after it was declared dead.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Incarnation(pub u64);

/// How often a node of one incarnation counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Beat(pub u64);

/// How often the team was taken or resolved. What is written under a lower one is refused.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Epoch(pub u64);

/// The version of what a node writes. A team that a higher one wrote is not taken by a lower one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Level(pub u16);

/// Milliseconds since the process began, by a clock that nobody sets and that runs while the machine is suspended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Elapsed(pub u64);

impl Elapsed {
    /// How long this lies after `earlier`; zero when it does not.
    pub const fn since(self, earlier: Self) -> Duration {
        Duration::from_millis(self.0.saturating_sub(earlier.0))
    }
}

/// What a node is to the team.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// It has no number in the database, or lost it.
    Apart,
    /// It looks on.
    Standby,
    /// It asked for the team.
    Taking,
    /// It answers and writes.
    Owning { epoch: Epoch },
    /// It has the team and does not know whether it still may: it answers nothing and writes nothing.
    Frozen { epoch: Epoch },
    /// It takes no new work, and gives the team to another one.
    Draining { epoch: Epoch },
    /// It takes part no longer.
    Stopped,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Watched {
    pub incarnation: Incarnation,
    pub beat: Beat,
    /// When this beat was seen first.
    pub since: Elapsed,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    pub id: NodeId,
    pub level: Level,
    pub incarnation: Incarnation,
    pub standing: Standing,
    /// When its newest counted beat was sent.
    pub counted: Option<Elapsed>,
    /// When it sent a beat last.
    pub sent: Option<Elapsed>,
    pub others: BTreeMap<NodeId, Watched>,
}

impl Node {
    pub fn new(id: NodeId, level: Level) -> Self {
        let (incarnation, others) = (Incarnation(0), BTreeMap::new());
        Self { id, level, incarnation, standing: Standing::Apart, counted: None, sent: None, others }
    }

    /// Whether it may believe that nobody else has declared it dead.
    pub fn is_sure(&self, now: Elapsed) -> bool {
        self.counted.is_some_and(|sent| now.since(sent) < STOP_AFTER)
    }
}
