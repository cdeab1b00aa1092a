//! What every store promises.

use std::collections::{BTreeMap, BTreeSet};
use std::pin::Pin;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use thiserror::Error;

use super::entry::{Append, Kept, Seq, Stream, Written};
pub use super::error::ReadError;
use super::page::{
    Counted, DeliveryFilter, HistoryFilter, IdKind, Page, PageRequest, QuestionFilter, ReviewFilter, TaskFilter,
    WorkflowFilter, WorkflowPlace,
};
use super::replay::Replay;
use crate::domain::agent::Agent;
use crate::domain::ids::{
    AgentId, BlobId, CommentId, PrincipalId, QuestionId, SessionId, TaskId, TicketId, WorkflowId,
};
use crate::domain::outbox::{Delivery, DeliveryId, DeliveryStateName};
use crate::domain::prompt::book::KeptPattern;
use crate::domain::review::Review;
use crate::domain::schedule::Schedule;
use crate::domain::session::question::Question;
use crate::domain::session::{Session, Tie};
use crate::domain::task::{Task, TaskStateName};
use crate::domain::ticket::Ticket;
use crate::domain::time::Timestamp;
use crate::domain::webhook::Webhook;
use crate::domain::workflow::run::WorkflowRun;

/// How long an idempotency key answers with its first receipt.
pub const KEY_LIFETIME: Duration = Duration::from_secs(24 * 60 * 60);

/// The same for the keys of webhooks: forges send a delivery again for up to three days.
pub const HOOK_KEY_LIFETIME: Duration = Duration::from_secs(72 * 60 * 60);

/// What the principals of webhooks begin with.
pub(super) const OF_HOOKS: &str = "hook:";

/// How long a key of this principal is good.
pub(super) fn key_lifetime(principal: &PrincipalId) -> Duration {
    if principal.as_str().starts_with(OF_HOOKS) { HOOK_KEY_LIFETIME } else { KEY_LIFETIME }
}

/// How many deliveries of each destination are in each state.
pub type DeliveryCounts = BTreeMap<(String, DeliveryStateName), u64>;

/// How many tasks ended in each minute from a moment on, counted from 0, by the state in which they are.
pub type EndCounts = BTreeMap<(u64, TaskStateName), u64>;

/// What is waited for.
pub type Wait = Pin<Box<dyn Future<Output = ()> + Send>>;

/// The one writer.
pub trait Store: Send + 'static {
    /// Writes a batch in one transaction, durable when it returns; one answer for each append, in order. An append
    /// whose idempotency key is taken is left out and answered by itself; any fault of the disk fails the whole batch,
    /// and none of it is kept.
    fn write(&mut self, batch: &[Append]) -> Vec<Result<Written, WriteError>>;
    /// Lets go of at most `limit` of the oldest records, as long as they are from before `before`; of as many tasks
    /// that have closed and lost the last of theirs; and of as many questions that have their answer and lost the last
    /// of theirs, unless the agent has yet to hear it or the session remembers it; and of as many deliveries that came
    /// to their end before `before`. What lives keeps its state, and what
    /// is left has no gap. A store that keeps everything says so.
    ///
    /// Fails when nothing of it was done.
    fn prune(&mut self, before: Timestamp, limit: usize) -> Result<Pruned, WriteError> {
        let _ = (before, limit);
        Ok(Pruned::default())
    }
    /// The last number given; 0 in an empty journal.
    fn position(&self) -> Seq;
    /// Whether a write waits for a disk, and so must not run on a thread of the runtime.
    fn blocks(&self) -> bool;
    /// Why it will never write again, where that is so: its journal is another hub's now. The hub has to end.
    fn over(&self) -> Option<String> {
        None
    }
    /// What the next write waits for, where it does not block: before it is done, and again before anybody hears of
    /// it. Appends that come meanwhile are written together, as they are behind a slow disk; and all of it happens in
    /// the same order whenever it is played again. A store that is only quick waits for nothing.
    fn waits(&mut self, batch: &[Append]) -> Option<[Wait; 2]> {
        let _ = batch;
        None
    }
}

/// What a store let go of.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Pruned {
    /// How many records.
    pub records: usize,
    /// How many tasks.
    pub tasks: usize,
    /// How many questions.
    pub questions: usize,
    /// How many deliveries.
    pub deliveries: usize,
    /// How many runs of workflows.
    pub workflows: usize,
    /// Whether there may be more of it.
    pub more: bool,
}

/// Why an append is not kept.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum WriteError {
    /// The key was used within 24 h for the same request.
    #[error("the idempotency key was used before")]
    Repeated {
        /// The first receipt.
        receipt: Value,
    },
    /// The key was used within 24 h for another request.
    #[error("the idempotency key was used before, for another request")]
    KeyReused,
    /// The session that the append was decided on has moved since.
    #[error("session `{0}` has moved since")]
    Moved(SessionId),
    /// The disk is full.
    #[error("the journal's disk is full")]
    Full,
    /// The store cannot write.
    #[error("the journal cannot be written: {0}")]
    Fault(String),
}

impl From<ReadError> for WriteError {
    fn from(error: ReadError) -> Self {
        Self::Fault(error.to_string())
    }
}

/// What has been written, for anybody. Calls block: from async code they go through `JournalRef`.
pub trait Reader: Send + Sync + 'static {
    /// The last number given; 0 in an empty journal.
    fn position(&self) -> Result<Seq, ReadError>;
    /// The number of the last record that the rows of tasks and sessions include. It may be lower than that of the last
    /// record in a file that a hub is writing, or was killed over.
    fn rows_up_to(&self) -> Result<Seq, ReadError> {
        self.position()
    }
    /// Every task that is not closed, by id.
    fn open_tasks(&self) -> Result<Vec<Task>, ReadError>;
    /// One task, open or closed.
    fn task(&self, id: &TaskId) -> Result<Option<Task>, ReadError>;
    /// A list of tasks, newest first.
    fn tasks(&self, filter: &TaskFilter, page: &PageRequest) -> Result<Page<Task>, ReadError>;
    /// Tasks that were asked for in the course of this one, oldest first, at most so many.
    fn children(&self, parent: &TaskId, most: usize) -> Result<Vec<Task>, ReadError>;
    /// How many tasks ended since then, by the minute after `since` (from 0) and the state in which they are.
    fn ended_since(&self, since: Timestamp) -> Result<EndCounts, ReadError>;
    fn task_counts(&self) -> Result<BTreeMap<TaskStateName, u64>, ReadError>;
    fn review(&self, task: &TaskId) -> Result<Option<Review>, ReadError>;
    /// A list of reviews, the one that was opened last first.
    fn reviews(&self, filter: &ReviewFilter, page: &PageRequest) -> Result<Page<Review>, ReadError>;
    /// The task in whose review a comment stands.
    fn task_of_comment(&self, comment: &CommentId) -> Result<Option<TaskId>, ReadError>;
    /// Every agent with the notices it has not heard, by id.
    fn agents(&self) -> Result<Vec<Agent>, ReadError>;
    fn agent(&self, id: &AgentId) -> Result<Option<Agent>, ReadError>;
    fn sessions(&self) -> Result<Vec<Session>, ReadError>;
    /// Sessions that are tied to one of these, or were, by id.
    fn sessions_tied(&self, ties: &BTreeSet<Tie>) -> Result<Vec<Session>, ReadError>;
    fn session(&self, id: &SessionId) -> Result<Option<Session>, ReadError>;
    /// Questions, the newest first.
    fn questions(&self, filter: &QuestionFilter, page: &PageRequest) -> Result<Page<Question>, ReadError>;
    fn question(&self, id: &QuestionId) -> Result<Option<Question>, ReadError>;
    /// Calls whose answer is fetched later, by name.
    fn tickets(&self) -> Result<Vec<Ticket>, ReadError>;
    /// The answer to one of them, once it has one.
    fn ticket_answer(&self, id: &TicketId) -> Result<Option<String>, ReadError>;
    fn workflow(&self, id: &WorkflowId) -> Result<Option<WorkflowRun>, ReadError>;
    /// Runs of workflows, the one that began last first, at most `most`.
    fn workflows(&self, filter: &WorkflowFilter, most: usize) -> Result<Vec<WorkflowRun>, ReadError>;
    fn workflow_page(&self, filter: &WorkflowFilter, page: &PageRequest) -> Result<Page<WorkflowRun>, ReadError> {
        let behind = page.cursor.as_deref().map(WorkflowPlace::parse).transpose()?;
        let found = self.workflows(&WorkflowFilter { behind, ..filter.clone() }, page.size() + 1)?;
        Ok(Page::cut(found, page.size(), |run| WorkflowPlace::of(run).text()))
    }
    /// What must reach the outside, or did: the newest first.
    fn deliveries(&self, filter: &DeliveryFilter, page: &PageRequest) -> Result<Page<Delivery>, ReadError>;
    fn delivery(&self, id: DeliveryId) -> Result<Option<Delivery>, ReadError>;
    /// Deliveries that wait to be sent, behind `after`: the oldest first, at most so many.
    fn waiting_deliveries(&self, after: Option<DeliveryId>, most: usize) -> Result<Vec<Delivery>, ReadError>;
    /// How many deliveries there are of each destination in each state.
    fn delivery_counts(&self) -> Result<DeliveryCounts, ReadError>;
    /// How many items a filter means.
    fn count(&self, what: Counted<'_>) -> Result<u64, ReadError>;
    /// The first ids that begin so, in their order, at most so many. A range of an index, and no scan.
    fn ids_beginning(&self, kind: IdKind, beginning: &str, most: usize) -> Result<Vec<String>, ReadError>;
    /// What people answer to input prompts, by name.
    fn patterns(&self) -> Result<Vec<KeptPattern>, ReadError>;
    /// Webhooks that were added while a hub ran, by name.
    fn webhooks(&self) -> Result<Vec<Webhook>, ReadError>;
    fn schedules(&self) -> Result<Vec<Schedule>, ReadError>;
    /// How many records there are after `after`, by the name of their kind, as far as they are kept.
    fn kinds_after(&self, after: Seq) -> Result<BTreeMap<String, u64>, ReadError>;
    /// Records of one session, the newest first; those of its questions and of its terminal among them.
    fn session_history(&self, id: &SessionId, filter: &HistoryFilter) -> Result<Vec<Kept>, ReadError>;
    /// Records after `after`, oldest first, at most `limit`.
    fn records(&self, after: Seq, limit: usize) -> Result<Vec<Kept>, ReadError>;
    /// One stream's records, oldest first, the last `limit` of them.
    fn history(&self, stream: &Stream, limit: usize) -> Result<Vec<Kept>, ReadError>;
    /// A long text.
    fn blob(&self, id: &BlobId) -> Result<Option<String>, ReadError>;
    /// What was answered to this key, and the digest of what was asked (digest first), when at `now` it is
    /// younger than [`KEY_LIFETIME`].
    fn recall(&self, now: Timestamp, principal: &PrincipalId, key: &str) -> Result<Option<(String, Value)>, ReadError>;
    /// What the records that were pruned had come to: where a replay of the others begins. Its position is the number
    /// of the last one that is gone, 0 when none is.
    fn base(&self) -> Result<Replay, ReadError>;
    /// What the store knows of itself.
    fn report(&self) -> Result<StoreReport, ReadError>;
    /// Whether a read waits for a disk, and so must not run on a thread of the runtime.
    fn blocks(&self) -> bool;
}

/// What a store knows of itself, for `/admin/journal` and `journal verify`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StoreReport {
    /// `sqlite` or `memory`.
    pub engine: &'static str,
    /// The file, where there is one.
    pub path: Option<String>,
    /// Its size, with the write-ahead log, in bytes.
    pub bytes: u64,
    /// The version of its layout.
    pub schema: u32,
    /// The number of the last record that was pruned, 0 when none was: records begin after it.
    #[schemars(with = "u64")]
    pub horizon: Seq,
}
