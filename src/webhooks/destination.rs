//! A subscription as a destination of the outbox.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde::{Deserialize, Serialize};

use super::post::Answer;
use super::subscription::Subscription;
use crate::actors::noticeboard::Event;
use crate::actors::outbox::Destination;
use crate::clock::Clock;
use crate::domain::outbox::{Delivery, NewDelivery, SendOutcome};
use crate::journal::{Append, Entry, Kept, Seq, Subject};

/// For how long a delivery is tried.
pub const TRIED_FOR: Duration = Duration::from_hours(24);
/// The receiver wants no more, whatever comes: the status "gone".
const GONE: u16 = 410;

/// One subscriber.
#[derive(Debug)]
pub struct WebhookDestination {
    name: String,
    subscription: Subscription,
    clock: Clock,
    stopped: AtomicBool,
}

/// What a row of the outbox holds: the event, whose number is known once the row is written.
#[derive(Debug, Serialize, Deserialize)]
struct Body {
    /// Its place in the append, from 0.
    place: u64,
    event: Event,
}

/// The name under which the outbox knows a subscription.
#[must_use]
pub fn destination_name(subscription: &str) -> String {
    format!("webhook.{subscription}")
}

impl WebhookDestination {
    /// Of this subscription.
    #[must_use]
    pub fn new(subscription: Subscription, clock: Clock) -> Self {
        let name = destination_name(&subscription.name);
        Self { name, subscription, clock, stopped: AtomicBool::new(false) }
    }

    async fn post(&self, delivery: &Delivery) -> SendOutcome {
        let Some(body) = event_of(delivery) else {
            return SendOutcome::Refused { reason: "this version cannot read what was to be sent".to_owned() };
        };
        // A full stop parts what is signed, so none stands in the id.
        let id = delivery.key().replace('.', "_");
        let answer = self.subscription.post.send(&id, self.clock.now(), body).await;
        match (answer.error(), answer) {
            (None, answer) => SendOutcome::Delivered { receipt: Some(answer.words()) },
            (Some(reason), Answer::Status { code: GONE, .. }) => SendOutcome::Refused { reason },
            (Some(error), Answer::Status { retry_after: after, .. }) => SendOutcome::Retry { error, after },
            (Some(error), Answer::None(_)) => SendOutcome::Retry { error, after: None },
        }
    }
}

impl Destination for WebhookDestination {
    fn name(&self) -> &str {
        &self.name
    }

    fn wants(&self, append: &Append) -> Vec<NewDelivery> {
        if self.stopped.load(Ordering::Relaxed) {
            return Vec::new();
        }
        let wanted = (0..).zip(&append.entries).filter(|(_, entry)| self.subscription.wants(entry.record.kind().name));
        wanted.filter_map(|(place, entry)| self.delivery(append, place, entry)).collect()
    }

    fn give_up_after(&self) -> Option<Duration> {
        Some(TRIED_FOR)
    }

    fn has_dead_letters(&self, any: bool) {
        if any && !self.stopped.swap(any, Ordering::Relaxed) {
            let name = &self.subscription.name;
            tracing::warn!("the webhook `{name}` is stopped until its dead letters are retried or dropped");
        }
        self.stopped.store(any, Ordering::Relaxed);
    }

    fn send<'a>(&'a self, delivery: &'a Delivery) -> BoxFuture<'a, SendOutcome> {
        self.post(delivery).boxed()
    }
}

impl WebhookDestination {
    fn delivery(&self, append: &Append, place: u64, entry: &Entry) -> Option<NewDelivery> {
        let kept = Kept {
            seq: Seq(place),
            at: append.at,
            by: append.by.clone(),
            request: append.request.clone(),
            cause: None,
            stream: entry.stream.clone(),
            record: entry.record.clone(),
            about: entry.about.clone(),
        };
        let event = Event::of(&kept);
        let lane = lane(&event.subject);
        let summary = format!("{} of {lane}", event.kind);
        let body = serde_json::to_value(Body { place, event }).ok()?;
        Some(NewDelivery { destination: self.name.clone(), lane, summary, body })
    }
}

/// The order is kept for each subject: the narrowest thing that an event is about.
fn lane(subject: &Subject) -> String {
    let task = subject.task.as_ref().map(ToString::to_string);
    let session = || subject.session.as_ref().map(ToString::to_string);
    let agent = || subject.agent.as_ref().map(ToString::to_string);
    task.or_else(session).or_else(agent).unwrap_or_else(|| "hub".to_owned())
}

/// The event of a delivery, with the number that its record got.
pub(super) fn event_of(delivery: &Delivery) -> Option<String> {
    let Body { place, event } = serde_json::from_value(delivery.body.clone()).ok()?;
    let first = delivery.id.seq;
    let named = |seq: u64| format!("ev_{seq}");
    let seq = first + place;
    let cause = (place > 0).then(|| named(first));
    serde_json::to_string(&Event { seq: Seq(seq), id: named(seq), cause, ..event }).ok()
}
