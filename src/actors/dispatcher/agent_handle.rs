//! The dispatcher's answer about one agent: a reference to its actor, and what it holds.

use crate::actors::agent::AgentRef;
use crate::domain::ids::{AgentId, TaskId};
use crate::domain::time::Timestamp;

/// A handle to an agent's actor, with what only the dispatcher knows of the agent.
#[derive(Debug, Clone)]
pub struct AgentHandle {
    pub id: AgentId,
    pub agent: AgentRef,
    pub queued: usize,
}

#[derive(Debug, Clone)]
pub struct AgentHoldings {
    pub line: AgentHandle,
    pub held: Vec<TaskId>,
    /// When the first of its leases ends.
    pub lease_until: Option<Timestamp>,
}
