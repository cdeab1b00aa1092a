//! A session: one agent's working context. Opened by registration, taken up again by the next one.
//!
//! Its workflow status, questions and terminal come with their own rooms; what stands here is its identity and its
//! lifecycle, which the hub sets from what it sees and never from what an agent says.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ids::{AgentId, SessionId};
use super::time::Timestamp;

/// One agent's working context.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Session {
    /// Its name.
    pub id: SessionId,
    /// Whose.
    pub agent: AgentId,
    /// When it was opened.
    pub opened_at: Timestamp,
    /// When its agent last registered.
    pub taken_up_at: Timestamp,
}

/// Does it live? Set by the hub from what it sees, never journaled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "each name says it; see contract of sessions")]
pub enum Lifecycle {
    Provisioning,
    Starting,
    Running,
    Idle,
    Stopping,
    Stopped,
    Error,
}

/// What happened to a session, as the journal keeps it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum SessionRecord {
    /// Its agent registered for the first time.
    Opened {
        /// Whose.
        agent: AgentId,
    },
    /// Its agent registered again.
    TakenUp,
}

impl Session {
    /// What the records make of nothing.
    #[must_use]
    pub fn opened(id: SessionId, agent: AgentId, at: Timestamp) -> Self {
        Self { id, agent, opened_at: at, taken_up_at: at }
    }

    /// A record into the state; cannot fail.
    pub fn apply(&mut self, at: Timestamp, record: &SessionRecord) {
        match record {
            SessionRecord::Opened { .. } => self.opened_at = at,
            SessionRecord::TakenUp => self.taken_up_at = at,
        }
    }
}
