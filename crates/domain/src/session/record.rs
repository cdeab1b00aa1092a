//! What happened to a session, as the journal keeps it.

use serde::{Deserialize, Serialize};

use super::question::QuestionSpec;
use super::status::{Details, WorkflowStatus};
use crate::ids::{AgentId, QuestionId, TaskId};
use crate::time::Timestamp;
use crate::work_item::WorkItem;

/// What happened to the status. Questions have records of their own, in the same stream.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum SessionRecord {
    /// Its agent registered for the first time.
    Opened { agent: AgentId },
    /// Its agent registered again.
    TakenUp,
    /// It works on this from now on.
    Linked { work_item: WorkItem },
    WorkflowStatus {
        status: WorkflowStatus,
        message: String,
        details: Option<Details>,
        blockers: Vec<String>,
        awaiting: Option<Box<Awaiting>>,
        bond: Bond,
    },
}

/// What a status has to do with a task.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "bond", rename_all = "snake_case")]
pub enum Bond {
    /// The session's own word.
    #[default]
    Own,
    /// The agent took this task up: another one than before opens a round.
    Takes { task: TaskId },
    /// This task moved, and the session with it, if it is the one that the session follows.
    Follows { task: TaskId },
    /// This task is the agent's no more.
    Leaves { task: TaskId },
}

/// What is asked, for whoever reads events alone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Awaiting {
    pub question_id: QuestionId,
    pub question: String,
    pub options: Vec<String>,
    pub default_action: String,
    pub expires_at: Timestamp,
}

/// A status with all that was said of it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Standpoint {
    pub status: WorkflowStatus,
    pub since: Timestamp,
    pub message: String,
    pub details: Option<Details>,
    pub blockers: Vec<String>,
}

impl Standpoint {
    /// Where every session begins.
    pub fn at(since: Timestamp) -> Self {
        Self { since, ..Self::default() }
    }
}

impl SessionRecord {
    pub fn status(status: WorkflowStatus, message: impl Into<String>, bond: Bond) -> Self {
        Self::WorkflowStatus {
            status,
            message: message.into(),
            details: None,
            blockers: Vec::new(),
            awaiting: None,
            bond,
        }
    }

    /// Whether the session leaves its task with it.
    pub const fn leaves(&self) -> bool {
        matches!(self, Self::WorkflowStatus { bond: Bond::Leaves { .. }, .. })
    }
}

impl Bond {
    pub const fn task(&self) -> Option<&TaskId> {
        match self {
            Self::Own => None,
            Self::Takes { task } | Self::Follows { task } | Self::Leaves { task } => Some(task),
        }
    }
}

impl From<&QuestionSpec> for Awaiting {
    fn from(spec: &QuestionSpec) -> Self {
        Self {
            question_id: spec.id.clone(),
            question: spec.question.clone(),
            options: spec.options.clone(),
            default_action: spec.default_action.clone(),
            expires_at: spec.expires_at,
        }
    }
}
