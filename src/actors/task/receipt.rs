//! What an order to a task came to: handed back as it is, and written as JSON only with a caller's key.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::actors::dispatcher::AssignReceipt;
use crate::domain::ids::{LeaseEpoch, TaskId};
use crate::domain::task::{Task, TaskStateName};
use crate::domain::time::Timestamp;

/// What an order came to. Kept with an idempotency key, and read back for a repeat.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TaskReceipt {
    pub task_id: TaskId,
    pub state: TaskStateName,
    pub epoch: LeaseEpoch,
    /// Whether the order changed anything; a repeat of what was done does not.
    pub changed: bool,
    /// Whether the holder was given a worktree, and is to clean it up.
    pub worktree: bool,
    /// When its lease or offer ends.
    pub expires_at: Option<Timestamp>,
    pub note: Option<ReceiptNote>,
}

/// What a caller is told beside how the task stands. Untagged, as on disk: only one of them has a task's id.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum ReceiptNote {
    Assigned(Box<AssignReceipt>),
    Comments(CommentNote),
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CommentNote {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comment_id: Option<String>,
    pub beside_diff: Vec<Beside>,
}

/// A comment beside what the diff shows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Beside {
    /// Which of those that were given, from 0.
    pub comment: usize,
    /// What the diff shows instead.
    pub why: String,
}

impl TaskReceipt {
    /// Of a task as it stands after the order.
    pub(super) fn of(task: &Task, note: Option<ReceiptNote>, worktree: bool, changed: bool) -> Self {
        let acknowledged = task.lease().map(|lease| lease.expires_at);
        let expires_at = acknowledged.or_else(|| task.offer().map(|offer| offer.ack_by));
        let (task_id, state) = (task.spec.id.clone(), task.state.name());
        Self { task_id, state, epoch: task.epoch, changed, worktree, expires_at, note }
    }
}

#[cfg(test)]
mod tests;
