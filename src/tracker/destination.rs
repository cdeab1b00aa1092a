//! The outbox's way to the tracker.

use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde::{Deserialize, Serialize};

use super::comment::{Fail, Outside};
use super::load::Tracker;
use super::text::{asked, closing, comment_mark, posted, question_mark};
use crate::actors::HubRef;
use crate::actors::outbox::{Destination, HubSlot};
use crate::domain::ids::QuestionId;
use crate::domain::outbox::{Delivery, NewDelivery, SendOutcome};
use crate::domain::session::question::QuestionRecord;
use crate::domain::task::TaskRecord;
use crate::domain::work_item::WorkItem;
use crate::journal::{Append, Entry, Record};

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

/// What a row holds.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Said {
    /// A question moved: its comment is to show how it stands.
    Question { id: QuestionId },
    /// An agent comments.
    Comment { item: WorkItem, agent: String, text: String },
}

impl TrackerDestination {
    /// For this tracker.
    #[must_use]
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
            | Record::Hub(_) => return None,
        };
        let body = serde_json::to_value(said).ok()?;
        Some(NewDelivery { destination: NAME.to_owned(), lane, summary, body })
    }

    /// What is asked, and its answer, in the order of the session.
    fn of_question(&self, session: String, record: &QuestionRecord) -> Option<(String, String, Said)> {
        match record {
            QuestionRecord::Asked { spec } => {
                let item = spec.work_item.as_ref().filter(|item| self.tracker.0.takes(item))?;
                Some((session, format!("a question on {item}"), Said::Question { id: spec.id.clone() }))
            }
            // Whether it stands on a work item is looked up when it is sent.
            QuestionRecord::Resolved { id, .. } => {
                Some((session, "the answer to a question".to_owned(), Said::Question { id: id.clone() }))
            }
            QuestionRecord::Reminded { .. }
            | QuestionRecord::Overdue { .. }
            | QuestionRecord::AnsweredLate { .. }
            | QuestionRecord::DeliveryMoved { .. } => None,
        }
    }

    /// What an agent posts, and what it says at the end, in the order of the work item.
    fn of_task(&self, record: &TaskRecord) -> Option<(String, String, Said)> {
        let (item, what, agent, text) = if let TaskRecord::Remarked { comment, posted_to } = record {
            (posted_to.as_ref()?, "comment", comment.from.display_name.clone(), comment.text.clone())
        } else if let TaskRecord::Completed { agent, message, artifacts, posted_to, .. } = record {
            (posted_to.as_ref()?, "completion", agent.to_string(), closing(message, artifacts))
        } else {
            return None;
        };
        let said = || Said::Comment { item: item.clone(), agent, text };
        let takes = self.tracker.0.takes(item);
        takes.then(|| (item.as_str().to_lowercase(), format!("a {what} on {item}"), said()))
    }

    async fn say(&self, delivery: &Delivery) -> SendOutcome {
        let (hub, said) = match self.hub.open::<Said>(delivery) {
            Ok(opened) => opened,
            Err(outcome) => return outcome,
        };
        let comment = match said {
            Said::Question { id } => match hub.journal.read(move |reader| reader.question(&id)).await {
                Err(error) => return SendOutcome::Retry { error: error.to_string(), after: None },
                Ok(question) => question.and_then(|question| {
                    let item = question.spec.work_item.clone().filter(|item| self.tracker.0.takes(item))?;
                    let mark = question_mark(&question);
                    Some(Outside {
                        item,
                        body: asked(&question, &mark),
                        mark,
                        agent: question.spec.agent_id.to_string(),
                        since: question.spec.asked_at,
                        changed: !question.is_open(),
                    })
                }),
            },
            Said::Comment { item, agent, text } => {
                let (mark, since) = (comment_mark(delivery), delivery.created_at);
                Some(Outside { item, body: posted(&agent, &text, &mark), mark, agent, since, changed: false })
            }
        };
        let Some(comment) = comment else {
            return SendOutcome::Delivered { receipt: Some("on no work item outside".to_owned()) };
        };
        match self.tracker.0.put(&delivery.key(), &comment).await {
            Ok(receipt) => SendOutcome::Delivered { receipt: Some(receipt) },
            Err(Fail::Later { error, after }) => SendOutcome::Retry { error, after },
            Err(Fail::Never(reason)) => SendOutcome::Refused { reason },
        }
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
