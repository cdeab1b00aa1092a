//! Why an agent's actor says no.

use thiserror::Error;

#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum AgentRefusal {
    #[error("agent `{agent}` is not registered")]
    NotRegistered { agent: String },
    /// A newer registration of the same id speaks now.
    #[error("a newer registration of agent `{agent}` has taken over; this one gets no more work")]
    Superseded { agent: String },
    /// It was sent away and must register again.
    #[error("agent `{agent}` was evicted: {reason}")]
    Evicted { agent: String, reason: String },
    /// As much lies unheard for it as may.
    #[error("{most} notices lie unheard for agent `{agent}`, which is the most")]
    NoticesFull { agent: String, most: usize },
}

impl AgentRefusal {
    pub const fn code(&self) -> &'static str {
        match self {
            Self::NotRegistered { .. } => "NOT_REGISTERED",
            Self::Superseded { .. } => "SUPERSEDED",
            Self::Evicted { .. } => "EVICTED",
            Self::NoticesFull { .. } => "NOTICES_FULL",
        }
    }
}
