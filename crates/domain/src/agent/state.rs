//! What an agent is, as the journal knows it.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::client::DeclaredClient;
use crate::ids::{AgentId, NoticeId, QuestionId, RoleId, SessionId, TaskId};
use crate::task::{Origin, RightsSet, Workspace};
use crate::text::Sanitized;
use crate::time::Timestamp;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Agent {
    pub id: AgentId,
    /// What it said of itself, bounded by configuration; none until it registers.
    pub registration: Option<Registration>,
    /// Connections whose registration a newer one took over, the newest last: they get no work, also after a restart.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub superseded: Vec<String>,
    /// What it has not heard yet, oldest first (ids of notices grow with time).
    pub notices: BTreeMap<NoticeId, Notice>,
    /// Those of them that are on their way into its terminal, or stand there.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub typing: BTreeMap<NoticeId, Typing>,
    /// Sent away; until it registers again.
    pub eviction: Option<Eviction>,
    pub eviction_heard: bool,
    pub updated_at: Timestamp,
}

impl Agent {
    /// How many superseded connections are remembered: enough for those that may still live somewhere.
    pub const SUPERSEDED: usize = 32;
}

/// What an agent said of itself, bounded by configuration.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Registration {
    /// Its role, by the id of the configured role where there is one.
    pub role: RoleId,
    pub display_name: String,
    pub capabilities: BTreeSet<String>,
    pub can_delegate_to: RightsSet,
    pub reports_to: BTreeSet<String>,
    pub workspace: Option<Workspace>,
    pub client: Option<DeclaredClient>,
    pub session: SessionId,
    /// Which connection registered it; a registration from another live one supersedes this.
    pub instance: Option<String>,
    pub registered_at: Timestamp,
    /// What was dropped from what it said of itself; absent when nothing was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sanitized: Option<Sanitized>,
}

/// How far a notice is on its way into its agent's terminal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Typing {
    /// The last order to type it.
    pub order_id: String,
    pub at: Timestamp,
    pub stage: TypingStage,
    /// Whether all of it is in the line; otherwise that only says that there is something to hear.
    pub whole: bool,
    pub orders: u8,
}

/// What became of an order to type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TypingStage {
    Ordered,
    /// It did, and the program took the line.
    Typed,
    Declined,
    /// It did, and the line stands unsent where it was typed.
    Undelivered,
}

/// Something an agent should hear that is not a task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Notice {
    /// Its id; ids grow with time.
    pub id: NoticeId,
    /// What sort of thing.
    pub kind: NoticeKind,
    pub text: String,
    /// Who caused it.
    pub from: Origin,
    /// The task it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_id: Option<TaskId>,
    /// The question it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question_id: Option<QuestionId>,
    pub at: Timestamp,
    /// When it was typed into the agent's terminal, where it may have been read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub typed_at: Option<Timestamp>,
}

impl Notice {
    /// One that is about no task and no question.
    pub const fn new(id: NoticeId, kind: NoticeKind, text: String, from: Origin, at: Timestamp) -> Self {
        Self { id, kind, text, from, task_id: None, question_id: None, at, typed_at: None }
    }

    /// The question whose end it tells: once it was heard, so was the answer.
    pub fn answers(&self) -> Option<&QuestionId> {
        self.question_id.as_ref().filter(|_| self.kind == NoticeKind::Answer)
    }
}

/// The sort of a [`Notice`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NoticeKind {
    /// What a question came to: a human's answer, its default, or that nobody needs it any more.
    Answer,
    /// Somebody remarked on a task.
    Comment,
    /// Stop working on a task.
    Cancel,
    /// Another agent says something, or the hub: that a question is overdue.
    Message,
    /// A task that this agent asked for moved.
    Task,
    /// What the agent still holds; made when it is told, never journaled.
    Reminder,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Eviction {
    pub action: EvictionAction,
    pub reason: String,
    /// Nobody can speak for it any more: what it has not heard it will not hear, until it registers again.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub for_good: bool,
}

/// What an evicted agent is to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum EvictionAction {
    /// End, start anew, register again.
    Restart,
    /// End, and stay away.
    Shutdown,
}
