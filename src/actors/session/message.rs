//! What may be said to a session.

use ractor::RpcReplyPort;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::actors::common::Portrait;
use crate::domain::session::{Lifecycle, Session};
use crate::domain::time::Timestamp;

/// A message to a session.
#[derive(Debug)]
pub enum SessionMessage {
    /// Its agent registered again; already on disk.
    TakenUp {
        /// When.
        at: Timestamp,
    },
    /// What the hub sees of its life.
    Seen {
        /// It.
        lifecycle: Lifecycle,
    },
    /// What it is.
    Show {
        /// Where to.
        reply: RpcReplyPort<(Session, Lifecycle)>,
    },
    /// Draw yourself.
    Portrait {
        /// Where to.
        reply: RpcReplyPort<Portrait>,
    },
}

/// A session, as `/api/v1/sessions` shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionView {
    /// Its id.
    pub session_id: String,
    /// Whose.
    pub agent_id: String,
    /// Does it live, in the hub's eyes.
    pub lifecycle: String,
    /// When it was opened, RFC 3339.
    pub opened_at: String,
    /// When its agent last registered, RFC 3339.
    pub taken_up_at: String,
}

impl SessionView {
    /// What others may see of a session.
    #[must_use]
    pub fn of(session: &Session, lifecycle: Lifecycle) -> Self {
        let lifecycle = match lifecycle {
            Lifecycle::Provisioning => "provisioning",
            Lifecycle::Starting => "starting",
            Lifecycle::Running => "running",
            Lifecycle::Idle => "idle",
            Lifecycle::Stopping => "stopping",
            Lifecycle::Stopped => "stopped",
            Lifecycle::Error => "error",
        };
        Self {
            session_id: session.id.to_string(),
            agent_id: session.agent.to_string(),
            lifecycle: lifecycle.to_owned(),
            opened_at: session.opened_at.to_string(),
            taken_up_at: session.taken_up_at.to_string(),
        }
    }
}
