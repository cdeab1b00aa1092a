//! What of an append must be said on Discord, and what it is. All that a change of a task says is in the delivery
//! itself: the task may have moved on before it is sent.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::places::Places;
use crate::domain::discord::{DiscordOrigin, ended, headline};
use crate::domain::ids::{BlobId, QuestionId, TaskId};
use crate::domain::outbox::NewDelivery;
use crate::domain::session::question::QuestionRecord;
use crate::domain::task::{KeptText, Task, TaskRecord, TaskState};
use crate::journal::{Append, Record, Row, Stream};

/// What is said.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub(super) enum Notice {
    /// A task was asked for: a sign on the request, the thread, the status message.
    Opened { task: TaskId },
    /// It ended, or somebody must act.
    Moved {
        task: TaskId,
        /// The first line.
        head: String,
        /// What the agent reported.
        text: Option<String>,
        /// Where that lies, when it is long.
        blob: Option<BlobId>,
        /// The sign for the request.
        sign: String,
        /// The buttons below.
        components: Value,
    },
    /// An agent asks.
    Asked { question: QuestionId },
    /// A question has its answer.
    Resolved { question: QuestionId },
}

/// A notice, and the place on Discord that it is posted to.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct PlacedNotice {
    #[serde(flatten)]
    pub(super) notice: Notice,
    pub(super) place: OriginText,
}

/// A [`DiscordOrigin`] as a delivery carries it. Ids are text: other readers of JSON round numbers of this size.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct OriginText {
    channel: String,
    message: String,
    author: String,
    thread: bool,
}

impl From<DiscordOrigin> for OriginText {
    fn from(place: DiscordOrigin) -> Self {
        let DiscordOrigin { channel, message, author, thread } = place;
        Self { channel: channel.to_string(), message: message.to_string(), author: author.to_string(), thread }
    }
}

impl OriginText {
    pub(super) fn place(&self) -> Option<DiscordOrigin> {
        let id = |text: &str| text.parse().ok();
        let (channel, message, author) = (id(&self.channel)?, id(&self.message)?, id(&self.author)?);
        Some(DiscordOrigin { channel, message, author, thread: self.thread })
    }
}

/// Everything of an append that must be said, in its order; and the tasks whose status changed.
pub(super) fn of(append: &Append, places: &Places, who: impl Fn(&Task) -> String) -> (Vec<NewDelivery>, Vec<TaskId>) {
    let mut said = Vec::new();
    let on_discord = tasks(append).filter(|task| places.take(&task.spec).is_some());
    let changed = on_discord.map(|task| task.spec.id.clone()).collect();
    for entry in &append.entries {
        match (&entry.stream, &entry.record) {
            (Stream::Task(id), Record::Task(record)) => {
                let task = tasks(append).find(|task| task.spec.id == *id);
                if let (Some(place), Some(task)) = (places.of(id), task) {
                    said.extend(of_task(record, task, &who).map(|notice| (place, notice, id.to_string())));
                }
            }
            (_, Record::Question(QuestionRecord::Asked { spec })) => {
                let place = spec.task_id.as_ref().and_then(|task| places.asked(&spec.id, task));
                let notice = Notice::Asked { question: spec.id.clone() };
                said.extend(place.map(|place| (place, notice, spec.id.to_string())));
            }
            (_, Record::Question(QuestionRecord::Resolved { id, .. })) => {
                let notice = Notice::Resolved { question: id.clone() };
                said.extend(places.of_question(id).map(|(_, place)| (place, notice, id.to_string())));
            }
            (_, _) => {}
        }
    }
    (said.into_iter().filter_map(|(place, notice, about)| delivery(place, notice, &about)).collect(), changed)
}

/// The tasks that it changes.
fn tasks(append: &Append) -> impl Iterator<Item = &Task> {
    append.rows.iter().filter_map(|row| if let Row::Task(task) = row { Some(&**task) } else { None })
}

fn of_task(record: &TaskRecord, task: &Task, who: impl Fn(&Task) -> String) -> Option<Notice> {
    let tells = match record {
        TaskRecord::Created { .. } => return Some(Notice::Opened { task: task.spec.id.clone() }),
        TaskRecord::Completed { message, .. }
        | TaskRecord::Failed { message, .. }
        | TaskRecord::Blocked { message, .. }
        | TaskRecord::Submitted { message, .. } => Some(message),
        TaskRecord::Cancelled { .. } | TaskRecord::DeadLettered { .. } => None,
        // Where it goes back into its queue, the status says so.
        TaskRecord::TimedOut { .. } if matches!(task.state, TaskState::Timeout { .. }) => None,
        TaskRecord::TimedOut { .. }
        | TaskRecord::Offered { .. }
        | TaskRecord::OfferReturned { .. }
        | TaskRecord::Acknowledged { .. }
        | TaskRecord::Progressed { .. }
        | TaskRecord::LeaseExtended { .. }
        | TaskRecord::GraceGiven { .. }
        | TaskRecord::Approved { .. }
        | TaskRecord::ChangesRequested { .. }
        | TaskRecord::Answered { .. }
        | TaskRecord::DependencyMoved { .. }
        | TaskRecord::Released { .. }
        | TaskRecord::Requeued { .. }
        | TaskRecord::Reassigned { .. }
        | TaskRecord::Prioritised { .. }
        | TaskRecord::Remarked { .. }
        | TaskRecord::RunStarted { .. }
        | TaskRecord::RunConversation { .. }
        | TaskRecord::RunWaiting { .. }
        | TaskRecord::RunResumed { .. }
        | TaskRecord::RunLimited { .. }
        | TaskRecord::RunEnded { .. } => return None,
    };
    let (sign, head) = headline(task, &who(task));
    let (text, blob) = match tells {
        Some(KeptText::Inline { text, .. }) => (Some(text.clone()), None),
        Some(KeptText::Stored { blob, .. }) => (None, Some(blob.clone())),
        None => (None, None),
    };
    Some(Notice::Moved { task: task.spec.id.clone(), head, text, blob, sign: sign.to_owned(), components: ended(task) })
}

/// In the lane of its request: in order there, and held up by nobody else.
fn delivery(place: DiscordOrigin, notice: Notice, about: &str) -> Option<NewDelivery> {
    let what = match &notice {
        Notice::Opened { .. } => "is taken on",
        Notice::Moved { .. } => "moved on",
        Notice::Asked { .. } => "is asked",
        Notice::Resolved { .. } => "has its answer",
    };
    let body = serde_json::to_value(PlacedNotice { notice, place: place.into() }).ok()?;
    Some(NewDelivery {
        destination: String::new(),
        lane: place.message.to_string(),
        summary: format!("{about} {what}"),
        body,
    })
}
