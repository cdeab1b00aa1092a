//! What could not be delivered to the outside, as something that needs a person.

use super::item::{InboxAction, InboxItem, InboxKind};
use super::tasks::LINE;
use crate::outbox::{Delivery, DeliveryState};
use crate::text::shorten;

/// What a delivery needs of a person: a dead letter stays until somebody decides over it. None for any other.
pub fn of_delivery(delivery: &Delivery) -> Option<InboxItem> {
    let (since, why) = match &delivery.state {
        DeliveryState::DeadLetter { at, reason } => (*at, reason),
        DeliveryState::Pending { .. }
        | DeliveryState::Sending { .. }
        | DeliveryState::Delivered { .. }
        | DeliveryState::Dropped { .. } => return None,
    };
    Some(InboxItem {
        title: shorten(&delivery.summary, LINE),
        reason: shorten(&format!("it could not be delivered to `{}`: {why}", delivery.destination), LINE),
        actions: vec![InboxAction::Retry, InboxAction::Drop],
        ..InboxItem::new(InboxKind::DeadDelivery, delivery.id, since)
    })
}
