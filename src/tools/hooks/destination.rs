//! What was received and is still to be done, as rows of the outbox: tried again until it is done, over crashes too.

use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde::{Deserialize, Serialize};

use super::effect::Effect;
use crate::actors::HubRef;
use crate::actors::outbox::{Destination, HubSlot};
use crate::domain::hook::HookEvent;
use crate::domain::outbox::{Delivery, NewDelivery, SendOutcome};
use crate::journal::{Append, HubRecord, Record};

/// The name under which the outbox knows what came by webhook.
const NAME: &str = "hooks.in";
/// For how long it is tried. What an agent hears a day later helps nobody.
const TRIED_FOR: Duration = Duration::from_hours(24);
/// What the hub answers when it may succeed later.
const LATER: u16 = 500;

/// Does what webhooks said.
#[derive(Debug, Clone, Default)]
pub struct HookEffects(HubSlot);

/// What a row holds.
#[derive(Debug, Serialize, Deserialize)]
struct Body {
    source: String,
    heard: HookEvent,
}

impl HookEffects {
    /// Acts upon this hub from now on. Rows from before wait for it.
    pub fn begin(&self, hub: &HubRef) {
        self.0.begin(hub);
    }

    async fn carry_out(&self, delivery: &Delivery) -> SendOutcome {
        let (hub, Body { source, heard }) = match self.0.open(delivery) {
            Ok(opened) => opened,
            Err(outcome) => return outcome,
        };
        let effect = match Effect::new(hub, &source, delivery.key()) {
            Ok(effect) => effect,
            Err(refusal) => return SendOutcome::Refused { reason: refusal.message },
        };
        match effect.of(&heard).await {
            Ok(done) => SendOutcome::Delivered { receipt: Some(done) },
            Err(refusal) if refusal.status() >= LATER => SendOutcome::Retry { error: refusal.message, after: None },
            Err(refusal) => SendOutcome::Refused { reason: refusal.message },
        }
    }
}

impl Destination for HookEffects {
    fn name(&self) -> &str {
        NAME
    }

    fn wants(&self, append: &Append) -> Vec<NewDelivery> {
        let rows = append.entries.iter().filter_map(|entry| {
            let Record::Hub(HubRecord::HookReceived { source, heard, .. }) = &entry.record else { return None };
            let body = serde_json::to_value(Body { source: source.clone(), heard: heard.clone() }).ok()?;
            let (lane, summary) = (heard.lane(), heard.summary());
            Some(NewDelivery { destination: NAME.to_owned(), lane, summary, body })
        });
        rows.collect()
    }

    fn give_up_after(&self) -> Option<Duration> {
        Some(TRIED_FOR)
    }

    fn send<'a>(&'a self, delivery: &'a Delivery) -> BoxFuture<'a, SendOutcome> {
        self.carry_out(delivery).boxed()
    }
}
