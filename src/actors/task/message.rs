//! The messages of a task.

use std::collections::BTreeSet;
use std::sync::Arc;

use ractor::RpcReplyPort;
use thiserror::Error;
use tokio::sync::mpsc;
use tracing::Span;

use super::receipt::{ReceiptNote, TaskReceipt};
use crate::actors::common::{ActorView, Fault};
use crate::actors::journal::RecallError;
use crate::domain::ids::{AgentId, LeaseEpoch, QuestionId, SessionId, TaskId};
use crate::domain::permission::Whose;
use crate::domain::review::ReviewRefusal;
use crate::domain::session::SessionRecord;
use crate::domain::session::question::QuestionRecord;
use crate::domain::task::{
    Artifact, Cause, KeptText, Progress, Task, TaskCommand, TaskRefusal, TaskSpec, TaskStateName,
};
use crate::domain::time::Timestamp;
use crate::journal::{Blob, Entry, Idempotency, IdempotencyKey, Record};

#[derive(Debug)]
pub enum TaskMessage {
    /// Decide, journal, apply, perform.
    Act {
        act: Box<TaskAct>,
        span: Span,
        /// Where the receipt goes; none when an actor orders and hears of it by the task's announcement.
        reply: Option<RpcReplyPort<Result<TaskReceipt, ActError>>>,
    },
    Show {
        reply: RpcReplyPort<Task>,
    },
    /// Answer when it is closed or BLOCKED; at once if it is.
    Watch {
        agent: Option<AgentId>,
        /// Where its newest report of progress goes, and each that comes until then. One that does not fit is dropped.
        heard: mpsc::Sender<Progress>,
        reply: RpcReplyPort<TaskOutcome>,
    },
    Announce,
    Tick,
    ActorView {
        reply: RpcReplyPort<ActorView>,
    },
}

#[derive(Debug, Clone)]
pub struct TaskAct {
    pub command: TaskCommand,
    /// Who causes it, and ids for what it brings forth.
    pub cause: Cause,
    pub request: Option<String>,
    pub blobs: Vec<Blob>,
    pub key: Option<IdempotencyKey>,
    /// What a caller is told in addition, kept with the key.
    pub note: Option<ReceiptNote>,
    /// What a session decided together with the order.
    pub part: Option<Box<SessionPart>>,
    /// Whose the task was when it was judged whether they may; with another's nothing is done.
    pub judged: Option<Whose>,
}

impl TaskAct {
    /// A command with nothing beside it.
    pub const fn new(command: TaskCommand, cause: Cause) -> Self {
        Self { command, cause, request: None, blobs: Vec::new(), key: None, note: None, part: None, judged: None }
    }
}

/// What a session decided together with an order to the task that it follows; the task writes both in one append.
#[derive(Debug, Clone)]
pub struct SessionPart {
    pub session: SessionId,
    /// How many records it had when it decided: with another number, nothing is kept.
    pub version: u64,
    /// Its records, and the notice that comes with them.
    pub entries: Vec<Entry>,
    /// The key of who gave the session its order.
    pub idempotency: Option<Idempotency>,
}

impl SessionPart {
    /// Whether the session says in its own words what it does; where it says nothing, its task does.
    pub(super) fn says_a_status(&self) -> bool {
        let says = |entry: &Entry| matches!(entry.record, Record::Session(SessionRecord::WorkflowStatus { .. }));
        self.entries.iter().any(says)
    }

    pub(super) fn resolves(&self, question: &QuestionId) -> bool {
        let is_it = |id: &QuestionId| id == question;
        self.entries
            .iter()
            .any(|entry| matches!(&entry.record, Record::Question(QuestionRecord::Resolved { id, .. }) if is_it(id)))
    }
}

#[derive(Debug, Clone, PartialEq, Error)]
pub enum ActError {
    #[error(transparent)]
    Refused(#[from] TaskRefusal),
    #[error(transparent)]
    Declined(#[from] crate::actors::dispatcher::AssignRefusal),
    #[error(transparent)]
    Review(#[from] ReviewRefusal),
    /// The key was used before for the same request: here is what was answered then.
    #[error("this idempotency key was used before")]
    Repeated(Box<TaskReceipt>),
    #[error("this idempotency key was used before, for another request: choose a new one")]
    KeyReused,
    /// The task closed just now, or a session moved that the order was decided on: whoever gave the order decides anew.
    #[error("task `{0}` or its session moved meanwhile: repeat the call")]
    Moved(TaskId),
    /// The task is somebody else's since it was judged whether they may: that is judged anew.
    #[error("task `{0}` changed hands meanwhile: repeat the call")]
    ChangedHands(TaskId),
    /// The world failed; the call may be repeated.
    #[error(transparent)]
    Fault(#[from] Fault),
}

#[derive(Debug, Clone, PartialEq)]
pub struct TaskOutcome {
    pub task: Task,
}

/// How a task stands, for the dispatcher: all that matching needs and nothing more.
#[derive(Debug, Clone, PartialEq)]
pub struct TaskSummary {
    pub id: TaskId,
    pub state: TaskStateName,
    pub spec: Arc<TaskSpec>,
    /// Kept for this agent until then.
    pub held_for: Option<(AgentId, Timestamp)>,
    /// Who holds it: offered, leased, blocked or in review.
    pub holder: Option<AgentId>,
    pub epoch: LeaseEpoch,
    /// When its lease began, while one runs.
    pub leased_since: Option<Timestamp>,
    pub leased_until: Option<Timestamp>,
    pub waits_for: BTreeSet<TaskId>,
    /// What somebody must do first, where one of these ended and will not complete by itself.
    pub repair: Option<String>,
    /// Its result, once COMPLETED: what dependents are given.
    pub result: Option<(KeptText, Vec<Artifact>)>,
}

impl From<RecallError> for ActError {
    fn from(error: RecallError) -> Self {
        match error {
            RecallError::KeyReused => Self::KeyReused,
            RecallError::Read(error) => Self::Fault(error.into()),
        }
    }
}
