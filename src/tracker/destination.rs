//! The outbox's way to the tracker.

use std::fmt;
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde::{Deserialize, Serialize};

use super::comment::{Before, Fail, Outside};
use super::load::Tracker;
use super::text::{asked, closing, comment_mark, first_asked, posted, question_mark, replied};
use crate::actors::HubRef;
use crate::actors::outbox::{Destination, HubSlot};
use crate::domain::hook::ReplyReason;
use crate::domain::ids::QuestionId;
use crate::domain::outbox::{Delivery, NewDelivery, SendOutcome};
use crate::domain::session::question::QuestionRecord;
use crate::domain::task::TaskRecord;
use crate::domain::work_item::WorkItem;
use crate::journal::{Append, Entry, HubRecord, Record};
use crate::webhooks::{OwnKey, place_of, remember_own};

/// Its name, as deliveries carry it.
const NAME: &str = "tracker";
/// For how long a comment is tried.
const TRIED_FOR: Duration = Duration::from_hours(24);

/// The tracker, as the outbox sees it.
#[derive(Debug, Clone)]
pub struct TrackerDestination {
    tracker: Tracker,
    /// Comes once the actors are there; nothing is sent before.
    hub: HubSlot,
}

/// What a row of the outbox tells the tracker.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum TrackerRow {
    /// A question moved: its comment is to show how it stands.
    Question {
        id: QuestionId,
    },
    Comment {
        item: WorkItem,
        agent: String,
        text: String,
    },
    /// The author of a comment is answered.
    Reply {
        item: WorkItem,
        author: String,
        question: QuestionId,
        reason: ReplyReason,
    },
}

impl TrackerDestination {
    pub fn new(tracker: Tracker) -> Self {
        Self { tracker, hub: HubSlot::default() }
    }

    /// Sends from now on what this hub has.
    pub fn begin(&self, hub: &HubRef) {
        self.hub.begin(hub);
    }

    fn delivery(&self, entry: &Entry) -> Option<NewDelivery> {
        let (lane, summary, said) = match &entry.record {
            Record::Question(record) => self.of_question(entry.stream.to_string(), record)?,
            Record::Task(record) => self.of_task(record)?,
            Record::Review(_)
            | Record::Pull(_)
            | Record::Agent(_)
            | Record::Session(_)
            | Record::Terminal(_)
            | Record::Workflow(_)
            | Record::Schedule(_) => return None,
            Record::Hub(record) => self.of_hub(record)?,
        };
        let body = serde_json::to_value(said).ok()?;
        Some(NewDelivery { destination: NAME.to_owned(), lane, summary, body })
    }

    /// What is asked, and its answer, in the order of the session.
    fn of_question(&self, session: String, record: &QuestionRecord) -> Option<(String, String, TrackerRow)> {
        match record {
            QuestionRecord::Asked { spec } => {
                let item = spec.work_item.as_ref().filter(|item| self.tracker.0.takes(item))?;
                // Leave for a call is a matter of minutes, and of whoever looks after the agent.
                if spec.permission.is_some() {
                    return None;
                }
                Some((session, format!("a question on {item}"), TrackerRow::Question { id: spec.id.clone() }))
            }
            // Whether it stands on a work item is looked up when it is sent.
            QuestionRecord::Resolved { id, .. } => {
                Some((session, "the answer to a question".to_owned(), TrackerRow::Question { id: id.clone() }))
            }
            QuestionRecord::Reminded { .. }
            | QuestionRecord::Overdue { .. }
            | QuestionRecord::Used { .. }
            | QuestionRecord::AnsweredLate { .. }
            | QuestionRecord::DeliveryMoved { .. } => None,
        }
    }

    /// What an agent posts, and what it says at the end, in the order of the work item.
    fn of_task(&self, record: &TaskRecord) -> Option<(String, String, TrackerRow)> {
        let (item, what, agent, text) = if let TaskRecord::Remarked { comment, posted_to } = record {
            (posted_to.as_ref()?, "comment", comment.from.display_name.clone(), comment.text.clone())
        } else if let TaskRecord::Completed { agent, message, artifacts, posted_to, .. } = record {
            (posted_to.as_ref()?, "completion", agent.to_string(), closing(message, artifacts))
        } else {
            return None;
        };
        let said = || TrackerRow::Comment { item: item.clone(), agent, text };
        let takes = self.tracker.0.takes(item);
        takes.then(|| (item.as_str().to_lowercase(), format!("a {what} on {item}"), said()))
    }

    /// What the hub itself answers to a comment, in the order of the work item.
    fn of_hub(&self, record: &HubRecord) -> Option<(String, String, TrackerRow)> {
        let HubRecord::CommentReplied { item, author, question, reason } = record else { return None };
        let (item, author, question) = (item.clone(), author.clone(), question.clone());
        let (lane, summary) = (item.as_str().to_lowercase(), format!("an answer to a comment on {item}"));
        self.tracker.0.takes(&item).then_some((
            lane,
            summary,
            TrackerRow::Reply { item, author, question, reason: *reason },
        ))
    }

    async fn say(&self, delivery: &Delivery) -> SendOutcome {
        let (hub, said) = match self.hub.open::<TrackerRow>(delivery) {
            Ok(opened) => opened,
            Err(outcome) => return outcome,
        };
        let comment = match self.comment(hub, delivery, said).await {
            Ok(Some(comment)) => comment,
            Ok(None) => return SendOutcome::Delivered { receipt: Some("nothing to say outside".to_owned()) },
            Err(error) => return SendOutcome::Retry { error, after: None },
        };
        match self.write(hub, delivery, &comment).await {
            Ok(receipt) => SendOutcome::Delivered { receipt: Some(receipt) },
            Err(Fail::Later { error, after }) => SendOutcome::Retry { error, after },
            Err(Fail::Never(reason)) => SendOutcome::Refused { reason },
        }
    }

    /// The comment as it is to stand outside now; none where nothing is to stand there.
    async fn comment(&self, hub: &HubRef, delivery: &Delivery, said: TrackerRow) -> Result<Option<Outside>, String> {
        let find = async |id: QuestionId| {
            hub.journal.read(move |reader| reader.question(&id)).await.map_err(|error| error.to_string())
        };
        let since = delivery.created_at;
        Ok(match said {
            TrackerRow::Question { id } => find(id).await?.and_then(|question| {
                let item = question.spec.work_item.clone().filter(|item| self.tracker.0.takes(item))?;
                let (mark, agent) = (question_mark(&question), question.spec.agent_id.to_string());
                let (body, earlier) = (asked(&question, &mark), vec![first_asked(&question.spec, &mark)]);
                let (since, changed) = (question.spec.asked_at, !question.is_open());
                Some(Outside { item, mark, body, earlier, agent, since, changed })
            }),
            TrackerRow::Comment { item, agent, text } => {
                let mark = comment_mark(delivery);
                let body = posted(&agent, &text, &mark);
                Some(Outside { item, mark, body, earlier: Vec::new(), agent, since, changed: false })
            }
            TrackerRow::Reply { item, author, question, reason } => {
                let mark = comment_mark(delivery);
                let body = find(question).await?.and_then(|question| replied(&question, &author, reason, &mark));
                let agent = "callboard".to_owned();
                body.map(|body| Outside { item, mark, body, earlier: Vec::new(), agent, since, changed: false })
            }
        })
    }

    /// Writes it. What it says is remembered as the hub's own before, and where it stands after.
    async fn write(&self, hub: &HubRef, delivery: &Delivery, comment: &Outside) -> Result<String, Fail> {
        let unkept = |error: &dyn fmt::Display| Fail::Later { error: error.to_string(), after: None };
        let fresh = remember_own(hub, OwnKey::Text(&comment.item, &comment.body), None).await;
        let tried = !fresh.map_err(|error| unkept(&error))?;
        let id = place_of(hub, &comment.mark).await.map_err(|error| unkept(&error))?;
        let clocks = hub.forge.clocks();
        let written = self.tracker.0.put(&delivery.key(), comment, Before { tried, id }, clocks).await?;
        remember_own(hub, OwnKey::Id(&written.called), None).await.map_err(|error| unkept(&error))?;
        if written.id.is_some() && id != written.id {
            remember_own(hub, OwnKey::Place(&comment.mark), written.id).await.map_err(|error| unkept(&error))?;
        }
        Ok(written.receipt)
    }
}

impl Destination for TrackerDestination {
    fn name(&self) -> &str {
        NAME
    }

    fn wants(&self, append: &Append) -> Vec<NewDelivery> {
        append.entries.iter().filter_map(|entry| self.delivery(entry)).collect()
    }

    fn give_up_after(&self) -> Option<Duration> {
        Some(TRIED_FOR)
    }

    fn send<'a>(&'a self, delivery: &'a Delivery) -> BoxFuture<'a, SendOutcome> {
        self.say(delivery).boxed()
    }
}
