//! The dispatcher's answer about one agent: a reference to its actor, and what it holds.

use crate::actors::agent::AgentRef;
use crate::domain::ids::{AgentId, TaskId};
use crate::domain::time::Timestamp;

/// A line to an agent and what only the dispatcher knows of it.
#[derive(Debug, Clone)]
pub struct AgentLine {
    /// Who.
    pub id: AgentId,
    /// Its line.
    pub agent: AgentRef,
    /// How many tasks wait for it by name.
    pub queued: usize,
}

/// A line to an agent, and what it holds.
#[derive(Debug, Clone)]
pub struct AgentHoldings {
    /// The line.
    pub line: AgentLine,
    /// Its tasks, by id.
    pub held: Vec<TaskId>,
    /// When the first of its leases ends.
    pub lease_until: Option<Timestamp>,
}
