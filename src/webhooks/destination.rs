//! A subscription as a destination of the outbox.
//!
//! One of `hub.yaml` stays the same while the hub runs. One that is added, changed or removed *turns* with the append
//! that has its record, so no event is missed or heard twice.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde::{Deserialize, Serialize};

use super::push::PushDevice;
use super::push_text::{ShownText, shown_text};
use super::sender::Answer;
use super::subscription::Subscription;
use crate::actors::Credentials;
use crate::actors::noticeboard::Event;
use crate::actors::outbox::Destination;
use crate::clock::Clock;
use crate::domain::ids::PrincipalId;
use crate::domain::outbox::{Delivery, NewDelivery, SendOutcome};
use crate::domain::webhook::Webhook;
use crate::journal::{Append, Entry, HubRecord, Kept, Record, Seq, Subject};

/// For how long a delivery is tried.
pub const TRIED_FOR: Duration = Duration::from_hours(24);
/// The receiver wants no more, whatever comes: the status "gone".
const GONE: u16 = 410;
/// A push service that knows the device no more says this, too.
const NOT_FOUND: u16 = 404;
/// The same message will be too long at every attempt.
const TOO_LARGE: u16 = 413;
/// Why a device hears nothing that its push service knows no more.
const DEVICE_GONE: &str = "the push service knows this device no more: remove it, and switch it on there again";
/// Why a device hears nothing whose owner was shut out.
const NO_OWNER: &str = "whoever switched this device on has no token any more that may operate";
/// How long after a send that could not even begin it is tried again.
const LOOK_AGAIN_AFTER: Duration = Duration::from_mins(10);

#[derive(Debug)]
pub struct WebhookDestination {
    name: String,
    label: String,
    before: Hearing,
    after: Hearing,
    /// The record with which it turns; one that does not turn has none.
    turns_with: Option<HubRecord>,
    turned: AtomicBool,
    clock: Clock,
    stopped: AtomicBool,
    /// In whose name is dropped what a device that is gone does not hear; none for one of `hub.yaml`.
    added_by: Option<PrincipalId>,
    credentials: Credentials,
}

#[derive(Debug, Clone)]
pub enum Hearing {
    NotYet,
    On(Box<Subscription>),
    Broken(String),
    Removed(PrincipalId),
}

#[derive(Debug, Serialize, Deserialize)]
struct Body {
    /// Its place in the append, from 0.
    place: u64,
    event: Event,
    /// What a device shows of it beside its type; for those alone whose owner wants its words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    shown: Option<ShownText>,
}

#[derive(Debug, Serialize)]
struct SentEvent {
    #[serde(flatten)]
    event: Event,
    #[serde(skip_serializing_if = "Option::is_none")]
    shown: Option<ShownText>,
}

/// The name under which the outbox knows a subscription of `hub.yaml`.
pub fn destination_name(subscription: &str) -> String {
    format!("webhook.{subscription}")
}

impl WebhookDestination {
    pub fn new(subscription: Subscription, clock: Clock) -> Self {
        let (name, label) = (destination_name(&subscription.name), subscription.name.clone());
        Self::made(name, label, Hearing::On(Box::new(subscription)), clock)
    }

    pub fn kept(webhook: &Webhook, hearing: Hearing, clock: Clock, credentials: Credentials) -> Self {
        let made = Self::made(webhook.destination(), webhook.name.clone(), hearing, clock);
        Self { added_by: Some(webhook.added_by.clone()), credentials, ..made }
    }

    /// Of one that was removed while an earlier hub ran: what waits for it is dropped.
    pub fn removed(destination: &str, name: &str, by: PrincipalId, clock: Clock) -> Self {
        Self::made(destination.to_owned(), name.to_owned(), Hearing::Removed(by), clock)
    }

    /// The same, which turns to that with this record from what is `before`.
    #[must_use]
    pub fn turning(self, before: Hearing, with: HubRecord) -> Self {
        Self { before, turns_with: Some(with), turned: AtomicBool::new(false), ..self }
    }

    fn made(name: String, label: String, after: Hearing, clock: Clock) -> Self {
        let (turned, stopped) = (AtomicBool::new(true), AtomicBool::new(false));
        let (before, credentials) = (Hearing::NotYet, Credentials::default());
        Self { name, label, before, after, turns_with: None, turned, clock, stopped, added_by: None, credentials }
    }

    /// Whether who added it has no token any more that may operate: a device of theirs hears nothing then.
    fn without_owner(&self) -> bool {
        self.added_by.as_ref().is_some_and(|owner| !self.credentials.operates(owner))
    }

    fn hearing(&self) -> &Hearing {
        if self.turned.load(Ordering::Acquire) { &self.after } else { &self.before }
    }

    async fn post(&self, delivery: &Delivery) -> SendOutcome {
        let subscription = match self.hearing() {
            Hearing::On(subscription) => subscription,
            Hearing::Removed(by) => {
                let reason = format!("the webhook `{}` was removed", self.label);
                return SendOutcome::Unwanted { by: by.clone(), reason };
            }
            Hearing::Broken(why) => {
                return SendOutcome::Retry { error: why.clone(), after: Some(LOOK_AGAIN_AFTER) };
            }
            Hearing::NotYet => {
                let error = "the webhook is being added".to_owned();
                return SendOutcome::Retry { error, after: Some(LOOK_AGAIN_AFTER) };
            }
        };
        let Some(body) = event_of(delivery) else {
            return SendOutcome::Refused { reason: "this version cannot read what was to be sent".to_owned() };
        };
        let device = subscription.post.device();
        if let (Some(by), Some(_)) = (self.added_by.clone().filter(|_| self.without_owner()), device) {
            return SendOutcome::Unwanted { by, reason: NO_OWNER.to_owned() };
        }
        // A full stop parts what is signed, so none stands in the id.
        let id = delivery.key().replace('.', "_");
        let answer = subscription.post.send(&id, self.clock.machine_now(), body).await;
        match (answer.error(), answer) {
            (Some(reason), Answer::Status { code: NOT_FOUND | GONE, .. }) if device.is_some_and(forgotten) => {
                match self.added_by.clone() {
                    Some(by) => SendOutcome::Unwanted { by, reason: DEVICE_GONE.to_owned() },
                    None => SendOutcome::Refused { reason },
                }
            }
            (Some(reason), Answer::Status { code: TOO_LARGE, .. }) if device.is_some() => {
                SendOutcome::Refused { reason }
            }
            (None, answer) => SendOutcome::Delivered { receipt: Some(answer.words()) },
            (Some(reason), Answer::Status { code: GONE, .. }) => SendOutcome::Refused { reason },
            (Some(error), Answer::Status { retry_after: after, .. }) => SendOutcome::Retry { error, after },
            (Some(error), Answer::None(_)) => SendOutcome::Retry { error, after: None },
        }
    }

    /// What these settings want of an append.
    fn rows(&self, hearing: &Hearing, append: &Append) -> Vec<NewDelivery> {
        let Hearing::On(subscription) = hearing else { return Vec::new() };
        let silent = |device: &PushDevice| device.is_gone() || self.without_owner();
        if self.stopped.load(Ordering::Relaxed) || subscription.post.device().is_some_and(silent) {
            return Vec::new();
        }
        let wanted = (0..).zip(&append.entries).filter(|(_, entry)| subscription.wants(entry.record.kind().name));
        let shows = subscription.post.device().is_some_and(PushDevice::shows_text);
        wanted.filter_map(|(place, entry)| self.delivery(append, place, entry, shows)).collect()
    }

    fn turns_with(&self, append: &Append) -> bool {
        let its =
            |entry: &Entry| matches!(&entry.record, Record::Hub(record) if Some(record) == self.turns_with.as_ref());
        !self.turned.load(Ordering::Acquire) && append.entries.iter().any(its)
    }

    fn delivery(&self, append: &Append, place: u64, entry: &Entry, shows: bool) -> Option<NewDelivery> {
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
        let shown = shows.then(|| shown_text(&entry.record)).flatten();
        let body = serde_json::to_value(Body { place, event, shown }).ok()?;
        Some(NewDelivery { destination: self.name.clone(), lane, summary, body })
    }
}

impl Destination for WebhookDestination {
    fn name(&self) -> &str {
        &self.name
    }

    fn wants(&self, append: &Append) -> Vec<NewDelivery> {
        if !self.turns_with(append) {
            return self.rows(self.hearing(), append);
        }
        self.turned.store(true, Ordering::Release);
        match &self.after {
            // A change is told to who heard until then; that it is gone, to nobody.
            Hearing::On(_) | Hearing::Broken(_) | Hearing::NotYet => self.rows(&self.before, append),
            Hearing::Removed(_) => Vec::new(),
        }
    }

    fn give_up_after(&self) -> Option<Duration> {
        Some(TRIED_FOR)
    }

    fn has_dead_letters(&self, any: bool) {
        if any && !self.stopped.swap(any, Ordering::Relaxed) {
            tracing::warn!("the webhook `{}` is stopped until its dead letters are retried or dropped", self.label);
        }
        self.stopped.store(any, Ordering::Relaxed);
    }

    fn fault(&self) -> Option<String> {
        match self.hearing() {
            Hearing::Broken(why) => Some(why.clone()),
            Hearing::On(subscription) if subscription.post.device().is_some_and(PushDevice::is_gone) => {
                Some(DEVICE_GONE.to_owned())
            }
            Hearing::On(subscription) if subscription.post.device().is_some() && self.without_owner() => {
                Some(NO_OWNER.to_owned())
            }
            Hearing::NotYet | Hearing::On(_) | Hearing::Removed(_) => None,
        }
    }

    fn send<'a>(&'a self, delivery: &'a Delivery) -> BoxFuture<'a, SendOutcome> {
        self.post(delivery).boxed()
    }
}

fn forgotten(device: &PushDevice) -> bool {
    device.forget();
    true
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
    let Body { place, event, shown } = serde_json::from_value(delivery.body.clone()).ok()?;
    let first = delivery.id.seq;
    let named = |seq: u64| format!("ev_{seq}");
    let seq = first + place;
    let cause = (place > 0).then(|| named(first));
    let event = Event { seq: Seq(seq), id: named(seq), cause, ..event };
    serde_json::to_string(&SentEvent { event, shown }).ok()
}
