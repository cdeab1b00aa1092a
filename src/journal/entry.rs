//! What is written: an append of entries that stand or fall together.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::domain::agent::{Agent, AgentRecord};
use crate::domain::ids::{AgentId, BlobId, PrincipalId, SessionId, TaskId, TerminalId};
use crate::domain::principal::By;
use crate::domain::review::{Review, ReviewRecord};
use crate::domain::session::SessionRecord;
use crate::domain::session::question::QuestionRecord;
use crate::domain::task::{Task, TaskRecord};
use crate::domain::terminal::TerminalRecord;
use crate::domain::time::Timestamp;

/// The place of a record in the journal, from 1, without gaps. Also the number of the event that people see.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Seq(pub u64);

impl fmt::Display for Seq {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Whose history a record belongs to. Written `task:ID`, `agent:ID`, `session:ID`, `terminal:ID`, `hub`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stream {
    /// One task.
    Task(TaskId),
    /// One agent.
    Agent(AgentId),
    /// One session.
    Session(SessionId),
    /// One terminal.
    Terminal(TerminalId),
    /// The hub itself.
    Hub,
}

/// What happened, to whichever machine.
#[derive(Debug, Clone, PartialEq)]
pub enum Record {
    /// To a task.
    Task(TaskRecord),
    /// To the review of a task; it stands in the task's stream.
    Review(ReviewRecord),
    /// To an agent.
    Agent(AgentRecord),
    /// To a session.
    Session(SessionRecord),
    /// To a question; in the stream of its session.
    Question(QuestionRecord),
    /// To a terminal.
    Terminal(TerminalRecord),
    /// To the hub.
    Hub(HubRecord),
}

/// What happened to the hub itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum HubRecord {
    /// It began to serve.
    Started {
        /// Its version.
        version: String,
    },
    /// It ended gently.
    Stopped,
    /// An actor failed and was built anew.
    ActorRestarted {
        /// Which.
        actor: String,
        /// Why.
        reason: String,
        /// How many times since the hub started.
        count: u32,
    },
    /// The journal writes again, after it could not.
    JournalMended {
        /// Since when it could not.
        since: Timestamp,
        /// Why, as it was told first.
        reason: String,
        /// How many appends were refused meanwhile.
        refused: u64,
    },
    /// Work is queued, capacity is free, and nothing moved for `starvationAfter`; or nobody could ever take a task.
    TaskStarving {
        /// Which.
        task: TaskId,
        /// Why, in a sentence.
        reason: String,
    },
}

/// One record and whose it is.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// Whose.
    pub stream: Stream,
    /// What happened.
    pub record: Record,
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
    /// A review's.
    Review(Box<Review>),
    /// An agent's.
    Agent(Box<Agent>),
}

/// A long text, kept apart from the state that mentions it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blob {
    /// Its name.
    pub id: BlobId,
    /// It.
    pub text: String,
}

/// A caller's key for one mutation: within 24 h a repeat gets the first receipt.
#[derive(Debug, Clone, PartialEq)]
pub struct Idempotency {
    /// Whose key.
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
    /// Its place.
    pub seq: Seq,
    /// When it was decided.
    pub at: Timestamp,
    /// Who caused it, and where.
    pub by: By,
    /// The request that caused it.
    pub request: Option<String>,
    /// The first record of the same append, when this is not it: what it came with.
    pub cause: Option<Seq>,
    /// Whose.
    pub stream: Stream,
    /// What happened.
    pub record: Record,
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
    #[must_use]
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

    /// Its records as the journal keeps them, numbered from `first`.
    #[must_use]
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
            Self::Hub => f.write_str("hub"),
        }
    }
}

impl Stream {
    /// Reads a stream as it is written.
    #[must_use]
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
            _ => None,
        }
    }
}
