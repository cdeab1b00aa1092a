//! A person has a delivery of the outbox sent again, or not sent.

use super::prelude::*;
use crate::actors::outbox::{OrderError, OrderKey, OrderRequest, Ordered, OutboxOrder};
use crate::domain::outbox::{Delivery, DeliveryId, DeliveryState, DeliveryStateName};
use crate::domain::time::Timestamp;

/// Sends a delivery now: a dead letter, or one that waits for the end of a pause.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RetryDelivery {}

/// Has a delivery not sent.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DropDelivery {
    /// Why; whoever looks at it later reads this.
    pub(super) reason: String,
}

/// A delivery, as people see it. What it says to its destination is not shown.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeliveryView {
    pub id: String,
    /// Where it goes.
    pub destination: String,
    /// The lane of it, within which the order is kept.
    pub lane: String,
    /// What it is, in a few words.
    pub summary: String,
    /// The key under which each attempt is sent.
    pub idempotency_key: String,
    /// Where it stands.
    pub state: DeliveryStateName,
    /// When the change was decided that it tells of.
    #[schemars(with = "String")]
    pub created_at: Timestamp,
    /// How often it was sent.
    pub attempts: u32,
    /// It is sent then, or later.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub not_before: Option<Timestamp>,
    /// When it came to its end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub settled_at: Option<Timestamp>,
    /// What went wrong last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_error: Option<String>,
    /// Why it is a dead letter, or was dropped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Who dropped it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dropped_by: Option<String>,
    /// What the destination calls it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub receipt: Option<String>,
}

impl From<&Delivery> for DeliveryView {
    fn from(delivery: &Delivery) -> Self {
        let mut view = Self {
            id: delivery.id.to_string(),
            destination: delivery.destination.clone(),
            lane: delivery.lane.clone(),
            summary: delivery.summary.clone(),
            idempotency_key: delivery.key(),
            state: delivery.state.name(),
            created_at: delivery.created_at,
            attempts: delivery.attempts,
            not_before: None,
            settled_at: delivery.settled_at(),
            last_error: delivery.last_error.clone(),
            reason: None,
            dropped_by: None,
            receipt: None,
        };
        match &delivery.state {
            DeliveryState::Pending { not_before } => view.not_before = Some(*not_before),
            DeliveryState::Sending { .. } => {}
            DeliveryState::Delivered { receipt, .. } => view.receipt.clone_from(receipt),
            DeliveryState::DeadLetter { reason, .. } => view.reason = Some(reason.clone()),
            DeliveryState::Dropped { by, reason, .. } => {
                (view.dropped_by, view.reason) = (Some(by.to_string()), Some(reason.clone()));
            }
        }
        view
    }
}

impl PersonVerb for RetryDelivery {
    const NAME: &'static str = "retry_delivery";
    type Reply = DeliveryView;

    async fn act(&self, call: &PersonCall, id: &str) -> Result<DeliveryView> {
        order(call, id, call.key_of(id, self), OutboxOrder::Retry).await
    }
}

impl PersonVerb for DropDelivery {
    const NAME: &'static str = "drop_delivery";
    type Reply = DeliveryView;

    async fn act(&self, call: &PersonCall, id: &str) -> Result<DeliveryView> {
        let reason = words("reason", &self.reason)?;
        order(call, id, call.key_of(id, self), OutboxOrder::Drop { reason }).await
    }
}

async fn order(
    call: &PersonCall,
    given: &str,
    key: Option<IdempotencyKey>,
    order: OutboxOrder,
) -> Result<DeliveryView> {
    // What goes out is not one agent's: whoever is narrowed to some has no say in it.
    authorize::person(&call.hub, call.who(), Deed::SettleDelivery, Whose::Everybody).await?;
    let id = DeliveryId::parse(given).ok_or_else(|| no_such_delivery(given))?;
    let key = key.map(|key| OrderKey { key, receipt: |after| json!(DeliveryView::from(after)) });
    let asked = OrderRequest { id, order, by: call.caller.by(), request: Some(call.caller.request.clone()), key };
    match call.hub.outbox.order(asked).await {
        Ok(Ordered::Now(after)) => Ok(DeliveryView::from(&after)),
        Ok(Ordered::Before(receipt)) => serde_json::from_value(receipt).map_err(|_| refuse::key_reused()),
        Err(error) => Err(refused(given, error)),
    }
}

fn refused(given: &str, error: OrderError) -> Refusal {
    match error {
        OrderError::Unknown(_) => no_such_delivery(given),
        OrderError::Refused(refusal) => Refusal::without_advice("DELIVERY_WRONG_STATE", refusal.to_string()),
        OrderError::KeyReused => refuse::key_reused(),
        OrderError::Fault(error) => fault(error),
    }
}

/// A delivery by its name. Fails with `DELIVERY_NOT_FOUND`, or when the journal cannot be read.
pub async fn find_delivery(hub: &HubRef, given: &str) -> Result<Delivery> {
    let id = DeliveryId::parse(given).ok_or_else(|| no_such_delivery(given))?;
    let found = hub.journal.read(move |reader| reader.delivery(id)).await.map_err(|error| read(&error))?;
    found.ok_or_else(|| no_such_delivery(given))
}

fn no_such_delivery(given: &str) -> Refusal {
    let message = format!("there is no delivery `{}`, or it was let go of", shown(given));
    Refusal::without_advice("DELIVERY_NOT_FOUND", message)
}
