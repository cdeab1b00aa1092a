//! What happens to the hub itself, and to what has no life of its own in the journal.

use serde::{Deserialize, Serialize};

use crate::domain::hook::{Heard, ReplyReason};
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
    /// What people answer to a prompt is suggested no more.
    PatternForgotten {
        /// Which.
        pattern: PatternId,
    },
    /// What people answer to a prompt in one workspace is suggested in all.
    PatternPromoted {
        /// Which.
        pattern: PatternId,
        /// The hub's own, which it became.
        to: PatternId,
    },
    /// Somebody calls now and fetches the answer later.
    TicketIssued {
        /// Its ticket.
        ticket: Box<Ticket>,
    },
    /// A ticket is asked for, and kept until then.
    TicketKept {
        /// Which.
        ticket: TicketId,
        /// Until when.
        until: Timestamp,
    },
    /// A ticket has its answer; its row has it.
    TicketAnswered {
        /// Which.
        ticket: TicketId,
    },
    /// No answer is wanted any more.
    TicketCancelled {
        /// Which.
        ticket: TicketId,
    },
    /// A ticket is kept no longer.
    TicketExpired {
        /// Which.
        ticket: TicketId,
    },
    /// A delivery failed for good, and a person is to look at it.
    DeliveryDeadLettered {
        /// Which.
        delivery: DeliveryId,
        /// Where it was to go.
        destination: String,
        /// What it is, in a few words.
        summary: String,
        /// Why.
        reason: String,
    },
    /// A person has a delivery sent again.
    DeliveryRetried {
        /// Which.
        delivery: DeliveryId,
        /// Where it goes.
        destination: String,
        /// What it is, in a few words.
        summary: String,
    },
    /// A person has a delivery not sent.
    DeliveryDropped {
        /// Which.
        delivery: DeliveryId,
        /// Where it was to go.
        destination: String,
        /// What it is, in a few words.
        summary: String,
        /// Why.
        reason: String,
    },
    /// A forge or a tracker told something by webhook.
    HookReceived {
        /// The source's name.
        source: String,
        /// The id that it gave the delivery.
        delivery: String,
        /// What it said.
        heard: Heard,
    },
    /// The author of a comment on a work item is answered there: their comment answered nothing.
    CommentReplied {
        /// On what.
        item: WorkItem,
        /// Who wrote the comment, as its forge or tracker names them.
        author: String,
        /// Which question it did not answer.
        question: QuestionId,
        /// Why not.
        reason: ReplyReason,
    },
    /// A person added a webhook.
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
        /// Its name.
        name: String,
        /// Which of that name.
        generation: u64,
    },
    /// Work is queued, capacity is free, and nothing moved for `starvationAfter`; or nobody could ever take a task.
    TaskStarving {
        /// Which.
        task: TaskId,
        /// Why, in a sentence.
        reason: String,
    },
}
