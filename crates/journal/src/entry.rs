//! What is written: an append of entries that stand or fall together.

use std::fmt;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use super::hub_record::HubRecord;
use crate::domain::agent::{Agent, AgentRecord};
use crate::domain::ids::{
    AgentId, BlobId, PatternId, PrincipalId, QuestionId, SessionId, TaskId, TerminalId, TicketId, WorkflowId,
};
use crate::domain::outbox::{Delivery, DeliveryId, NewDelivery};
use crate::domain::principal::By;
use crate::domain::prompt::book::KeptPattern;
use crate::domain::pull::PullRecord;
use crate::domain::review::{Review, ReviewRecord};
use crate::domain::schedule::{Schedule, ScheduleRecord};
use crate::domain::session::SessionRecord;
use crate::domain::session::question::QuestionRecord;
use crate::domain::task::{Task, TaskRecord};
use crate::domain::terminal::TerminalRecord;
use crate::domain::ticket::Ticket;
use crate::domain::time::Timestamp;
use crate::domain::webhook::Webhook;
use crate::domain::workflow::run::{WorkflowRecord, WorkflowRun};

/// The place of a record in the journal, from 1, without gaps. Also the number of the event that people see.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Seq(pub u64);

impl fmt::Display for Seq {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Whose history a record belongs to. Written `task:ID`, `agent:ID`, `session:ID`, `terminal:ID`, `workflow:ID`,
/// `hub`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stream {
    Task(TaskId),
    Agent(AgentId),
    Session(SessionId),
    Terminal(TerminalId),
    /// One run of a workflow.
    Workflow(WorkflowId),
    /// The hub itself.
    Hub,
}

/// What happened, to whichever machine.
#[derive(Debug, Clone, PartialEq)]
pub enum Record {
    Task(TaskRecord),
    /// To the review of a task; it stands in the task's stream.
    Review(ReviewRecord),
    Agent(AgentRecord),
    Session(SessionRecord),
    /// To a question; in the stream of its session.
    Question(QuestionRecord),
    /// To a pull request; in the stream of its session.
    Pull(PullRecord),
    Terminal(TerminalRecord),
    /// To a run of a workflow.
    Workflow(WorkflowRecord),
    /// To a schedule; in the stream of the hub.
    Schedule(ScheduleRecord),
    Hub(HubRecord),
}

/// What a record is about: the session, the task and the agent, as far as there is one.
///
/// A stream says one of them, and some records say another. Whoever writes a record says the rest beside it, so that
/// an event is found by each of the three without a look into anything else.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Subject {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub session: Option<SessionId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub task: Option<TaskId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub agent: Option<AgentId>,
}

/// One record and whose it is.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    pub stream: Stream,
    pub record: Record,
    /// What else it is about, beside what stream and record say.
    pub about: Subject,
}

/// The whole state of a machine after the append's records; replaces the row it had.
///
/// Notices of an agent are not part of its row: the store keeps them from `NoticePosted` and `NoticesHeard`. Sessions
/// and questions have no row here: two actors write into the stream of a session, and so the store itself brings the
/// row up to date, from each record in the order of the journal.
#[derive(Debug, Clone, PartialEq)]
pub enum Row {
    /// A task's; shared with the actor that goes on from it.
    Task(Arc<Task>),
    Review(Box<Review>),
    Agent(Box<Agent>),
    /// What people answer to an input prompt.
    Pattern(Box<KeptPattern>),
    /// A pattern that is to be forgotten: no row any more.
    Forgotten(PatternId),
    /// A ticket, and its answer where it came with this; one that it had stays otherwise.
    Ticket(Box<Ticket>, Option<String>),
    /// A ticket that is kept no longer: no row any more.
    TicketGone(TicketId),
    Workflow(Box<WorkflowRun>),
    /// A webhook's that was added while the hub ran.
    Webhook(Box<Webhook>),
    /// Such a webhook, by its name, that was removed: no row any more.
    WebhookGone(String),
    Schedule(Box<Schedule>),
    /// A schedule, by its name, that was removed: no row any more.
    ScheduleGone(String),
    /// Something that must reach the outside because of this append; the store gives it its name.
    Outgoing(Box<NewDelivery>),
    /// What came of such a delivery since.
    Delivery(Box<Delivery>),
}

/// A long text, kept apart from the state that mentions it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blob {
    pub id: BlobId,
    pub text: String,
}

/// A caller's key for one mutation, as it comes in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdempotencyKey {
    pub principal: PrincipalId,
    /// The key, at most 256 bytes.
    pub key: String,
    /// What was asked, as a digest: the same key with another request is refused.
    pub digest: String,
}

impl IdempotencyKey {
    /// The key with what a repeat is answered, for the append of the deed.
    pub fn keeps(self, receipt: Value) -> Idempotency {
        Idempotency { principal: self.principal, key: self.key, digest: self.digest, receipt }
    }
}

/// A caller's key for one mutation: within 24 h a repeat gets the first receipt.
#[derive(Debug, Clone, PartialEq)]
pub struct Idempotency {
    pub principal: PrincipalId,
    /// The key, at most 256 bytes.
    pub key: String,
    /// What was asked, as a digest: the same key with another request is refused.
    pub digest: String,
    /// What to answer a repeat.
    pub receipt: Value,
}

/// Entries that stand or fall together.
#[derive(Debug, Clone, PartialEq)]
pub struct Append {
    /// When it was decided.
    pub at: Timestamp,
    /// Who caused it, and where.
    pub by: By,
    /// The request that caused it, as the caller was told.
    pub request: Option<String>,
    /// What happened, in order.
    pub entries: Vec<Entry>,
    /// The rows after it.
    pub rows: Vec<Row>,
    /// Long texts that come with it.
    pub blobs: Vec<Blob>,
    /// The caller's key.
    pub idempotency: Option<Idempotency>,
    /// The sessions on whose state it was decided, and how many records each of them had: with another number of any,
    /// nothing of the append is kept.
    pub expects: Vec<(SessionId, u64)>,
}

/// An append that is on disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Written {
    /// The number of its first record.
    pub first: Seq,
    /// The number of its last record; one less than `first` when it brought rows alone.
    pub last: Seq,
}

/// A record as the journal keeps it.
#[derive(Debug, Clone, PartialEq)]
pub struct Kept {
    pub seq: Seq,
    /// When it was decided.
    pub at: Timestamp,
    /// Who caused it, and where.
    pub by: By,
    /// The request that caused it.
    pub request: Option<String>,
    /// The first record of the same append, when this is not it: what it came with.
    pub cause: Option<Seq>,
    pub stream: Stream,
    pub record: Record,
    /// What else it is about, beside what stream and record say. Nothing where an earlier hub wrote it.
    pub about: Subject,
}

impl Subject {
    /// Nothing more than stream and record say.
    pub const NOTHING: Self = Self { session: None, task: None, agent: None };

    pub fn is_nothing(&self) -> bool {
        *self == Self::NOTHING
    }
}

impl Entry {
    pub const fn of_hub(record: HubRecord) -> Self {
        Self { stream: Stream::Hub, record: Record::Hub(record), about: Subject::NOTHING }
    }

    pub const fn of_schedule(record: ScheduleRecord) -> Self {
        Self { stream: Stream::Hub, record: Record::Schedule(record), about: Subject::NOTHING }
    }

    pub fn of_agent(id: &AgentId, record: AgentRecord) -> Self {
        Self { stream: Stream::Agent(id.clone()), record: Record::Agent(record), about: Subject::NOTHING }
    }

    /// What happened to a task; `agent` has it, or had it last, where the record itself names nobody.
    pub fn of_task(id: &TaskId, agent: Option<&AgentId>, record: TaskRecord) -> Self {
        let about = Subject { agent: agent.cloned(), ..Subject::NOTHING };
        Self { stream: Stream::Task(id.clone()), record: Record::Task(record), about }
    }

    /// What happened to the review of a task; `agent` handed the work in, from that session.
    pub fn of_review(
        task: &TaskId,
        agent: Option<&AgentId>,
        session: Option<&SessionId>,
        record: ReviewRecord,
    ) -> Self {
        let about = Subject { agent: agent.cloned(), session: session.cloned(), task: None };
        Self { stream: Stream::Task(task.clone()), record: Record::Review(record), about }
    }

    /// What happened to a terminal. Whose it is, its record says.
    pub fn of_terminal(id: &TerminalId, record: TerminalRecord) -> Self {
        Self { stream: Stream::Terminal(id.clone()), record: Record::Terminal(record), about: Subject::NOTHING }
    }

    pub fn of_workflow(run: &WorkflowRun, record: WorkflowRecord) -> Self {
        let agent = run.owner.as_str().strip_prefix("agent:").and_then(|agent| AgentId::parse(agent).ok());
        let about = Subject { agent, ..Subject::NOTHING };
        Self { stream: Stream::Workflow(run.id.clone()), record: Record::Workflow(record), about }
    }

    /// What happened to a session of this agent, or to its question; `task` is the one that it holds.
    pub fn of_session(id: &SessionId, agent: Option<&AgentId>, task: Option<&TaskId>, record: Record) -> Self {
        let about = Subject { agent: agent.cloned(), task: task.cloned(), session: None };
        Self { stream: Stream::Session(id.clone()), record, about }
    }
}

impl Seq {
    /// The number after this one.
    #[must_use]
    pub const fn next(self) -> Self {
        Self(self.0 + 1)
    }
}

impl Append {
    /// An append of entries alone.
    pub const fn new(at: Timestamp, by: By, entries: Vec<Entry>) -> Self {
        Self {
            at,
            by,
            request: None,
            entries,
            rows: Vec::new(),
            blobs: Vec::new(),
            idempotency: None,
            expects: Vec::new(),
        }
    }

    /// What must reach the outside because of it, where its first record gets this number. An append without records
    /// has no number of its own, and so no deliveries.
    pub(super) fn deliveries(&self, first: Seq) -> impl Iterator<Item = Delivery> {
        let outgoing = self.rows.iter().filter_map(|row| match row {
            Row::Outgoing(new) => Some(NewDelivery::clone(new)),
            Row::Task(_)
            | Row::Review(_)
            | Row::Agent(_)
            | Row::Pattern(_)
            | Row::Forgotten(_)
            | Row::Ticket(..)
            | Row::TicketGone(_)
            | Row::Workflow(_)
            | Row::Webhook(_)
            | Row::WebhookGone(_)
            | Row::Schedule(_)
            | Row::ScheduleGone(_)
            | Row::Delivery(_) => None,
        });
        let numbered = (0_u32..).zip(outgoing).filter(|_| !self.entries.is_empty());
        numbered.map(move |(part, new)| Delivery::new(DeliveryId { seq: first.0, part }, self.at, new))
    }

    /// The questions of a session that it is about, and that were asked before it.
    pub(super) fn answered_in(&self, session: &SessionId) -> impl Iterator<Item = &QuestionId> {
        let asks = |id: &QuestionId| {
            let asked =
                |record: &Record| matches!(record, Record::Question(QuestionRecord::Asked { spec }) if spec.id == *id);
            self.entries.iter().any(|entry| asked(&entry.record))
        };
        let about = self.entries.iter().filter_map(move |entry| match (&entry.stream, &entry.record) {
            (Stream::Session(id), Record::Question(record)) if id == session => Some(record.id()),
            (_, _) => None,
        });
        about.filter(move |id| !asks(id))
    }

    /// Its records as the journal keeps them, numbered from `first`.
    pub fn into_kept(self, first: Seq) -> Vec<Kept> {
        let Self { at, by, request, entries, .. } = self;
        entries
            .into_iter()
            .zip(first.0..)
            .map(|(entry, seq)| Kept {
                seq: Seq(seq),
                at,
                by: by.clone(),
                request: request.clone(),
                cause: (seq != first.0).then_some(first),
                stream: entry.stream,
                record: entry.record,
                about: entry.about,
            })
            .collect()
    }
}

impl fmt::Display for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Task(id) => write!(f, "task:{id}"),
            Self::Agent(id) => write!(f, "agent:{id}"),
            Self::Session(id) => write!(f, "session:{id}"),
            Self::Terminal(id) => write!(f, "terminal:{id}"),
            Self::Workflow(id) => write!(f, "workflow:{id}"),
            Self::Hub => f.write_str("hub"),
        }
    }
}

impl Stream {
    /// Reads a stream as it is written.
    pub fn parse(text: &str) -> Option<Self> {
        if text == "hub" {
            return Some(Self::Hub);
        }
        let (kind, id) = text.split_once(':')?;
        match kind {
            "task" => TaskId::parse(id).ok().map(Self::Task),
            "agent" => AgentId::parse(id).ok().map(Self::Agent),
            "session" => SessionId::parse(id).ok().map(Self::Session),
            "terminal" => TerminalId::parse(id).ok().map(Self::Terminal),
            "workflow" => WorkflowId::parse(id).ok().map(Self::Workflow),
            _ => None,
        }
    }
}
