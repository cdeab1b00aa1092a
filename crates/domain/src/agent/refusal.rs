//! Why an agent's actor says no.

use thiserror::Error;

use crate::names::codes;

#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum AgentRefusal {
    #[error("agent `{agent}` is not registered")]
    NotRegistered { agent: String },
    #[error("a newer registration of agent `{agent}` has taken over; this one gets no more work")]
    Superseded { agent: String },
    #[error("agent `{agent}` was evicted: {reason}")]
    Evicted { agent: String, reason: String },
    #[error("{most} notices lie unheard for agent `{agent}`, which is the most")]
    NoticesFull { agent: String, most: usize },
}

codes!(AgentRefusal {
    NotRegistered = "NOT_REGISTERED", Superseded = "SUPERSEDED", Evicted = "EVICTED", NoticesFull = "NOTICES_FULL",
});
