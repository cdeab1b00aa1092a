//! The state of a task; each variant carries what only it can have.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::kept_text::KeptText;
use super::run::Run;
use super::spec::{Artifact, Comment, Dependency, LeaseTerms, Progress, TaskSpec};
use crate::ids::{AgentId, LeaseEpoch, QuestionId, SessionId, TaskId};
use crate::names::names;
use crate::time::Timestamp;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Task {
    pub spec: Arc<TaskSpec>,
    pub state: TaskState,
    pub epoch: LeaseEpoch,
    /// Each lease so far, oldest first; the last one may be running (T4).
    pub attempts: Vec<Attempt>,
    /// Attempts before this place do not count any more: a dead letter was put back by hand.
    pub counted_from: usize,
    /// Whoever was offered it, and the newest number they had. To everybody else it does not exist.
    pub tenures: BTreeMap<AgentId, Tenure>,
    pub dependencies: BTreeMap<TaskId, Dependency>,
    /// Remarks, answers and reviewers' wishes, oldest first.
    pub comments: Vec<Comment>,
    pub progress: Option<Progress>,
    /// Who had the newest offer; may answer late while nobody holds it. None after a reassignment by hand.
    pub last_holder: Option<AgentId>,
    /// A reviewer wants changes, and nobody took the task up since.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub sent_back: bool,
    /// Sessions in which people were asked something for its sake: what is still open there ends with the task.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub asked_in: BTreeSet<SessionId>,
    /// What hosts did for its attempts, oldest first; at most the last one is not ended.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub runs: Vec<Run>,
    /// When its words were written, where that was after its creation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub words_at: Option<Timestamp>,
    pub updated_at: Timestamp,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "name", rename_all = "SCREAMING_SNAKE_CASE", rename_all_fields = "snake_case")]
pub enum TaskState {
    /// Waits for an eligible agent.
    Queued {
        /// Since when; a task that comes back keeps the moment of its creation, and so its place at the head.
        since: Timestamp,
        held_for: Option<HeldFor>,
    },
    /// Offered, and not acknowledged yet.
    Assigned { offer: Offer },
    /// Acknowledged; somebody works on it.
    InProgress { lease: Lease },
    /// Somebody or something must act first.
    Blocked { on: BlockedOn, since: Timestamp },
    /// Submitted; a reviewer must act.
    InReview {
        holder: AgentId,
        since: Timestamp,
        /// A reviewer agreed, and the holder is to merge and complete it.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        approved: bool,
    },
    /// The lease ran out and policy says hold.
    Timeout { since: Timestamp },
    /// Done: it stays so.
    Completed { at: Timestamp },
    /// Given up by its holder.
    Failed { at: Timestamp },
    /// Called off: it stays so.
    Cancelled { at: Timestamp, reason: Option<String> },
    /// Every attempt was used up.
    DeadLetter { at: Timestamp, reason: String },
}

/// The name of a state, as people and programs see it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum TaskStateName {
    Queued,
    Assigned,
    InProgress,
    Blocked,
    InReview,
    Timeout,
    Completed,
    Failed,
    Cancelled,
    DeadLetter,
}

/// A task that came back is kept for who held it last, while that agent is present.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeldFor {
    pub agent: AgentId,
    pub until: Timestamp,
}

/// A task handed to a waiter and not yet acknowledged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Offer {
    pub agent: AgentId,
    pub epoch: LeaseEpoch,
    pub terms: LeaseTerms,
    pub offered_at: Timestamp,
    pub ack_by: Timestamp,
}

/// An agent's exclusive, expiring hold on a task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lease {
    pub agent: AgentId,
    pub epoch: LeaseEpoch,
    pub terms: LeaseTerms,
    pub since: Timestamp,
    pub expires_at: Timestamp,
}

/// What one agent had of a task: the numbers that it may name, and the terms.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tenure {
    /// The number of the newest offer that it was handed.
    pub told: LeaseEpoch,
    /// The number of its newest lease: higher than `told` where it came back late, and it may name either.
    pub newest: LeaseEpoch,
    pub terms: LeaseTerms,
}

/// Who must act on a BLOCKED task (T3).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "on", rename_all = "snake_case")]
pub enum BlockedOn {
    /// Tasks that it depends on must complete.
    Dependencies,
    /// One of them ended without completing; its asker must retry it, or cancel this one.
    DependencyFailed { task: TaskId },
    /// The asker must answer the worker.
    Answer {
        agent: AgentId,
        reason: String,
        /// The question that only a person answers, where the task stands still for its sake.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        question: Option<QuestionId>,
    },
}

/// One lease, from its acknowledgement to its end.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Attempt {
    /// From 1; grows when a lease ran out or failed, not when work goes on after an answer or a review.
    pub number: u32,
    pub agent: AgentId,
    pub epoch: LeaseEpoch,
    pub started_at: Timestamp,
    pub ended_at: Option<Timestamp>,
    pub outcome: AttemptOutcome,
    /// What the agent reported at its end.
    pub message: Option<KeptText>,
    pub blocked_reason: Option<String>,
    pub diff: Option<KeptText>,
    pub artifacts: Vec<Artifact>,
    pub evidence: Option<Value>,
}

/// How an [`Attempt`] ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AttemptOutcome {
    Running,
    Completed,
    Failed,
    Blocked,
    Submitted,
    TimedOut,
    Released,
    Cancelled,
}

/// The states of an open task, as a pattern.
macro_rules! open {
    () => {
        $crate::task::TaskState::Queued { .. }
            | $crate::task::TaskState::Assigned { .. }
            | $crate::task::TaskState::InProgress { .. }
            | $crate::task::TaskState::Blocked { .. }
            | $crate::task::TaskState::InReview { .. }
            | $crate::task::TaskState::Timeout { .. }
    };
}

/// The states of a closed task, as a pattern.
macro_rules! closed {
    () => {
        $crate::task::TaskState::Completed { .. }
            | $crate::task::TaskState::Failed { .. }
            | $crate::task::TaskState::Cancelled { .. }
            | $crate::task::TaskState::DeadLetter { .. }
    };
}

pub(crate) use {closed, open};

impl TaskState {
    pub const fn name(&self) -> TaskStateName {
        match self {
            Self::Queued { .. } => TaskStateName::Queued,
            Self::Assigned { .. } => TaskStateName::Assigned,
            Self::InProgress { .. } => TaskStateName::InProgress,
            Self::Blocked { .. } => TaskStateName::Blocked,
            Self::InReview { .. } => TaskStateName::InReview,
            Self::Timeout { .. } => TaskStateName::Timeout,
            Self::Completed { .. } => TaskStateName::Completed,
            Self::Failed { .. } => TaskStateName::Failed,
            Self::Cancelled { .. } => TaskStateName::Cancelled,
            Self::DeadLetter { .. } => TaskStateName::DeadLetter,
        }
    }
}

names!(TaskStateName {
    Queued = "QUEUED", Assigned = "ASSIGNED", InProgress = "IN_PROGRESS", Blocked = "BLOCKED", InReview = "IN_REVIEW",
    Timeout = "TIMEOUT", Completed = "COMPLETED", Failed = "FAILED", Cancelled = "CANCELLED",
    DeadLetter = "DEAD_LETTER",
});

impl TaskStateName {
    /// Whether `wait_for_task` ends here. A closed task lives in the store; FAILED and DEAD_LETTER can be reopened.
    pub const fn is_closed(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Cancelled | Self::DeadLetter)
    }
}
