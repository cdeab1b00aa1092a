//! What happens to the hub itself, and to what has no life of its own in the journal.

use serde::{Deserialize, Serialize};

use crate::domain::hook::{HookEvent, ReplyReason};
use crate::domain::ids::{PatternId, QuestionId, TaskId, TicketId};
use crate::domain::outbox::DeliveryId;
use crate::domain::ticket::Ticket;
use crate::domain::time::Timestamp;
use crate::domain::webhook::Webhook;
use crate::domain::work_item::WorkItem;

/// What happened to the hub itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum HubRecord {
    /// It began to serve.
    Started {
        version: String,
    },
    /// It ended gently.
    Stopped,
    /// An actor failed and was built anew.
    ActorRestarted {
        actor: String,
        reason: String,
        /// How many times since the hub started.
        count: u32,
    },
    /// The journal writes again, after it could not.
    JournalMended {
        since: Timestamp,
        /// Why, as it was told first.
        reason: String,
        /// How many appends were refused meanwhile.
        refused: u64,
    },
    /// What people answer to a prompt is suggested no more.
    PatternForgotten {
        pattern: PatternId,
    },
    /// What people answer to a prompt in one workspace is suggested in all.
    PatternPromoted {
        pattern: PatternId,
        /// The hub's own, which it became.
        to: PatternId,
    },
    /// Somebody calls now and fetches the answer later.
    TicketIssued {
        ticket: Box<Ticket>,
    },
    TicketKept {
        ticket: TicketId,
        until: Timestamp,
    },
    /// A ticket has its answer; its row has it.
    TicketAnswered {
        ticket: TicketId,
    },
    /// No answer is wanted any more.
    TicketCancelled {
        ticket: TicketId,
    },
    /// A ticket is kept no longer.
    TicketExpired {
        ticket: TicketId,
    },
    /// A delivery failed for good, and a person is to look at it.
    DeliveryDeadLettered {
        delivery: DeliveryId,
        /// Where it was to go.
        destination: String,
        /// What it is, in a few words.
        summary: String,
        reason: String,
    },
    /// A person has a delivery sent again.
    DeliveryRetried {
        delivery: DeliveryId,
        /// Where it goes.
        destination: String,
        /// What it is, in a few words.
        summary: String,
    },
    /// A person has a delivery not sent.
    DeliveryDropped {
        delivery: DeliveryId,
        /// Where it was to go.
        destination: String,
        /// What it is, in a few words.
        summary: String,
        reason: String,
    },
    /// A forge or a tracker told something by webhook.
    HookReceived {
        /// The source's name.
        source: String,
        /// The id that it gave the delivery.
        delivery: String,
        /// What it said.
        heard: HookEvent,
    },
    /// The author of a comment on a work item is answered there: their comment answered nothing.
    CommentReplied {
        item: WorkItem,
        /// Who wrote the comment, as its forge or tracker names them.
        author: String,
        /// Which question it did not answer.
        question: QuestionId,
        reason: ReplyReason,
    },
    WebhookAdded {
        /// It; its secret is not part of it.
        webhook: Box<Webhook>,
    },
    /// A person changed a webhook that was added.
    WebhookChanged {
        /// It, as it is now.
        webhook: Box<Webhook>,
    },
    /// A person removed a webhook that was added.
    WebhookRemoved {
        name: String,
        /// Which of that name.
        generation: u64,
    },
    /// Work is queued, capacity is free, and nothing moved for `starvationAfter`; or nobody could ever take a task.
    TaskStarving {
        task: TaskId,
        /// Why, in a sentence.
        reason: String,
    },
}
