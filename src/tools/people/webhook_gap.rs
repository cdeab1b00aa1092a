//! What a stopped webhook missed, and how it goes on.
//!
//! From its first dead letter on no events are written for it. The journal has them: the gap is two numbers and a
//! count.

use super::prelude::*;
use super::webhook_known::find;
use crate::actors::outbox::{OrderError, OrderRequest, Ordered, OutboxOrder};
use crate::domain::outbox::{Delivery, DeliveryId, DeliveryState, DeliveryStateName};
use crate::domain::time::Timestamp;
use crate::domain::webhook::wants;
use crate::journal::{DeliveryFilter, HubRecord, Kept, Page, ReadError, Reader, Record, Seq};
use crate::tools::once::once;

/// How many rows or records are read at one go.
const STRIDE: usize = 500;

/// What a stopped webhook has missed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WebhookGap {
    /// Since when it is stopped.
    #[schemars(with = "String")]
    pub since: Timestamp,
    /// What its first dead letter says.
    pub why: String,
    /// How many events that it wants came since.
    pub missed: u64,
    /// The number of the last event before the first that it missed.
    pub after: u64,
    /// Where they are read.
    pub read: String,
}

/// Has a stopped webhook hear again: its dead letters are retried, or dropped.
#[derive(Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct EnableWebhook {
    /// Drops its dead letters in place of sending them again.
    drop: bool,
}

/// A webhook that hears again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WebhookEnabled {
    pub name: String,
    /// How many dead letters are sent again.
    pub retried: u64,
    /// How many were dropped.
    pub dropped: u64,
    /// It hears every event after this number.
    pub hears_after: u64,
    /// What it missed meanwhile, up to that number; nothing where it was not stopped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gap: Option<WebhookGap>,
}

impl PersonVerb for EnableWebhook {
    const NAME: &'static str = "enable_webhook";
    const SCOPE: Scope = Scope::Admin;
    type Reply = WebhookEnabled;

    async fn act(&self, call: &PersonCall, name: &str) -> Result<WebhookEnabled> {
        authorize::person(&call.hub, call.who(), Deed::SettleDelivery, Whose::Everybody).await?;
        let known = find(&call.hub, name).await?;
        once(&call.hub, &call.caller, call.key_of(name, self), async {
            let destination = known.destination();
            if let Some(why) = call.hub.destinations.added(&destination).and_then(|sent_to| sent_to.fault()) {
                let message = format!("the webhook `{}` cannot hear: {why}", shown(name));
                return Err(Refusal::without_advice("WEBHOOK_UNUSABLE", message));
            }
            let gap = gap(&call.hub, &destination, known.events()).await?;
            let order = match self.drop {
                true => OutboxOrder::Drop { reason: "the webhook goes on without it".to_owned() },
                false => OutboxOrder::Retry,
            };
            let settled = settle_all(call, &destination, &[DeliveryStateName::DeadLetter], &order).await?;
            let (retried, dropped) = if self.drop { (0, settled) } else { (settled, 0) };
            let position = call.hub.journal.read(|reader| reader.position()).await.map_err(|error| read(&error))?;
            // The count as of now: what came between the first look and the last order was missed, too.
            let gap = match gap {
                Some(gap) => Some(counted(&call.hub, gap, known.events()).await?),
                None => None,
            };
            Ok(WebhookEnabled { name: name.to_owned(), retried, dropped, hears_after: position.0, gap })
        })
        .await
    }
}

/// Oldest first; returns how many. What is being sent just now is left alone.
pub(super) async fn settle_all(
    call: &PersonCall,
    destination: &str,
    states: &[DeliveryStateName],
    order: &OutboxOrder,
) -> Result<u64> {
    let filter = DeliveryFilter {
        states: states.to_vec(),
        destination: Some(destination.to_owned()),
        ..DeliveryFilter::default()
    };
    let all = call
        .hub
        .journal
        .read(move |reader| Page::all(|page| reader.deliveries(&filter, page)))
        .await
        .map_err(|error| read(&error))?;
    let mut settled = 0;
    for id in all.iter().rev().map(|delivery| delivery.id) {
        let (by, request) = (call.caller.by(), Some(call.caller.request.clone()));
        match call.hub.outbox.order(OrderRequest { id, order: order.clone(), by, request, key: None }).await {
            Ok(Ordered::Now(_) | Ordered::Before(_)) => settled += 1,
            // Somebody else was faster, or it is under way.
            Err(OrderError::Unknown(_) | OrderError::Refused(_) | OrderError::KeyReused) => {}
            Err(OrderError::Fault(error)) => return Err(fault(error)),
        }
    }
    Ok(settled)
}

/// What a destination has missed since its first dead letter that stands; nothing where none does.
pub(super) async fn gap(hub: &HubRef, destination: &str, events: &[String]) -> Result<Option<WebhookGap>> {
    let (destination, events) = (destination.to_owned(), events.to_vec());
    let found = hub.journal.read(move |reader| gap_of(reader, destination, &events)).await;
    found.map_err(|error| read(&error))
}

async fn counted(hub: &HubRef, gap: WebhookGap, events: &[String]) -> Result<WebhookGap> {
    let (after, events) = (Seq(gap.after), events.to_vec());
    let missed = hub.journal.read(move |reader| missed(reader, after, &events)).await.map_err(|error| read(&error))?;
    Ok(WebhookGap { missed, ..gap })
}

fn gap_of(reader: &dyn Reader, destination: String, events: &[String]) -> Result<Option<WebhookGap>, ReadError> {
    let states = vec![DeliveryStateName::DeadLetter];
    let filter = DeliveryFilter { states, destination: Some(destination), ..DeliveryFilter::default() };
    let dead = Page::all(|page| reader.deliveries(&filter, page))?;
    let stopped = |delivery: &Delivery| match &delivery.state {
        DeliveryState::DeadLetter { at, reason } => Some((*at, delivery.id, reason.clone())),
        DeliveryState::Pending { .. }
        | DeliveryState::Sending { .. }
        | DeliveryState::Delivered { .. }
        | DeliveryState::Dropped { .. } => None,
    };
    let Some((since, id, why)) = dead.iter().filter_map(stopped).min() else { return Ok(None) };
    let after = dead_lettered_at(reader, since, id)?;
    let (missed, after) = (missed(reader, after, events)?, after.0);
    Ok(Some(WebhookGap { since, why, missed, after, read: format!("GET /api/v1/events?after={after}") }))
}

/// The number of the record of its failure; if retention removed that, the last number that is gone.
fn dead_lettered_at(reader: &dyn Reader, moment: Timestamp, id: DeliveryId) -> Result<Seq, ReadError> {
    // Moments rise with the numbers, so the first record of the moment is found by halving.
    let (mut before, mut last) = (reader.report()?.horizon, reader.position()?);
    while before.next() < last {
        let middle = Seq(before.0.midpoint(last.0));
        match reader.records(Seq(middle.0.saturating_sub(1)), 1)?.first() {
            Some(kept) if kept.at < moment => before = middle,
            Some(_) | None => last = middle,
        }
    }
    let says = |kept: &&Kept| {
        let Record::Hub(HubRecord::DeliveryDeadLettered { delivery, .. }) = &kept.record else { return false };
        *delivery == id
    };
    let mut after = Seq(before.0.saturating_sub(1));
    loop {
        let found = reader.records(after, STRIDE)?;
        if let Some(kept) = found.iter().find(says) {
            return Ok(kept.seq);
        }
        match found.last() {
            Some(kept) if kept.at <= moment => after = kept.seq,
            Some(_) | None => return Ok(before),
        }
    }
}

/// How many events came after it that such a subscription is sent. What happens to deliveries is sent to nobody.
fn missed(reader: &dyn Reader, after: Seq, events: &[String]) -> Result<u64, ReadError> {
    let sent = |kind: &str| wants(events, kind) && !kind.starts_with("hub.delivery_");
    Ok(reader.kinds_after(after)?.into_iter().filter(|(kind, _)| sent(kind)).map(|(_, count)| count).sum())
}
