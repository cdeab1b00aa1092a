//! An open wait: who may have one, what ends it, and how much work its agent takes.

use super::refusal::AgentRefusal;
use super::state::Agent;
use crate::task::TaskStateName;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HeldState {
    Offered,
    /// Working on it. Only these and offers count for `maxConcurrent`.
    InProgress,
    Blocked,
    InReview,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Load {
    /// Tasks that count for `maxConcurrent`.
    counted: usize,
    /// An offer is not acknowledged. It is offered again to the next wait, before anything else.
    offered: bool,
}

/// What there is to end an open wait with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pending {
    pub evicted: bool,
    pub draining: bool,
    pub news: bool,
    pub full: bool,
    /// It was told so since what it holds last changed.
    pub reminded: bool,
    pub over: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WaitOver {
    Evicted,
    Draining,
    News,
    /// That it is to finish first.
    AtCapacity,
    Idle,
}

impl HeldState {
    /// How the holder of a task in this state holds it; none when nobody works on it.
    pub const fn of(task: TaskStateName) -> Option<Self> {
        match task {
            TaskStateName::Assigned => Some(Self::Offered),
            TaskStateName::InProgress => Some(Self::InProgress),
            TaskStateName::Blocked => Some(Self::Blocked),
            TaskStateName::InReview => Some(Self::InReview),
            TaskStateName::Queued
            | TaskStateName::Timeout
            | TaskStateName::Completed
            | TaskStateName::Failed
            | TaskStateName::Cancelled
            | TaskStateName::DeadLetter => None,
        }
    }
}

impl FromIterator<HeldState> for Load {
    fn from_iter<I: IntoIterator<Item = HeldState>>(held: I) -> Self {
        held.into_iter().fold(Self::default(), |load, held| match held {
            HeldState::Offered => Self { counted: load.counted + 1, offered: true },
            HeldState::InProgress => Self { counted: load.counted + 1, ..load },
            HeldState::Blocked | HeldState::InReview => load,
        })
    }
}

impl Load {
    /// Whether its agent holds all it may. One task it may always hold: `most` is asked only where it holds something.
    pub fn is_full(self, most: impl FnOnce() -> usize) -> bool {
        self.counted > 0 && !self.offered && self.counted >= most()
    }

    pub fn takes_work(self, most: impl FnOnce() -> usize) -> bool {
        !self.offered && !self.is_full(most)
    }
}

impl Pending {
    /// What ends the wait now; none while it goes on. Capacity is told once, and again when the wait's time is over.
    pub const fn ends_with(self) -> Option<WaitOver> {
        match self {
            Self { evicted: true, .. } => Some(WaitOver::Evicted),
            Self { draining: true, .. } => Some(WaitOver::Draining),
            Self { news: true, .. } => Some(WaitOver::News),
            Self { full: true, reminded: false, .. } | Self { full: true, over: true, .. } => {
                Some(WaitOver::AtCapacity)
            }
            Self { over: true, .. } => Some(WaitOver::Idle),
            Self { over: false, .. } => None,
        }
    }
}

impl Agent {
    /// Passes a client that may wait for work; one whose agent was sent away may, and is told so. Fails with
    /// `Superseded` where a newer registration took over, `NotRegistered` where there was none.
    pub fn may_wait(&self, instance: Option<&str>) -> Result<(), AgentRefusal> {
        let agent = self.id.to_string();
        if self.was_superseded(instance) {
            return Err(AgentRefusal::Superseded { agent });
        }
        if self.registration.is_none() && self.eviction.is_none() {
            return Err(AgentRefusal::NotRegistered { agent });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
