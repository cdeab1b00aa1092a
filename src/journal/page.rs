//! How lists are asked for: filters, a stable order, a cursor.

use crate::domain::ids::{AgentId, SessionId, TaskId};
use crate::domain::task::{Priority, TaskStateName};

/// How much of a list, and from where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageRequest {
    /// At most so many, 1 to 500.
    pub limit: usize,
    /// `next_cursor` of the page before.
    pub cursor: Option<String>,
}

impl Default for PageRequest {
    fn default() -> Self {
        Self { limit: 100, cursor: None }
    }
}

/// A piece of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page<T> {
    /// The items, in the list's stable order.
    pub items: Vec<T>,
    /// Where the next page begins; none on the last one.
    pub next_cursor: Option<String>,
}

/// Which tasks. Newest first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TaskFilter {
    /// In one of these states; empty: any.
    pub states: Vec<TaskStateName>,
    /// Held by this agent now.
    pub agent: Option<AgentId>,
    /// Asked of this target, as it is written: `fullstack-1`, `role:test-engineer`, `any`.
    pub target: Option<String>,
    /// This urgent.
    pub priority: Option<Priority>,
    /// Containing these words (full-text; the index lags the journal by less than a second).
    pub query: Option<String>,
}

/// Which agents. By id.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AgentFilter {
    /// Of this role.
    pub role: Option<String>,
}

/// Which events. Oldest first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EventFilter {
    /// Event types, as `task.created`, or a family, as `task`; empty: any.
    pub types: Vec<String>,
    /// About this task.
    pub task: Option<TaskId>,
    /// About this session.
    pub session: Option<SessionId>,
    /// About this agent.
    pub agent: Option<AgentId>,
}
