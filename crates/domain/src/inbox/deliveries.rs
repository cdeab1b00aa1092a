//! What could not be delivered to the outside, as something that needs a person.

use super::item::{InboxAction, InboxCost, InboxItem, InboxKind};
use super::tasks::LINE;
use crate::outbox::{Delivery, DeliveryState};
use crate::task::Priority;
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
        id: format!("{}:{}", InboxKind::DeadDelivery.as_str(), delivery.id),
        kind: InboxKind::DeadDelivery,
        title: shorten(&delivery.summary, LINE),
        reason: shorten(&format!("it could not be delivered to `{}`: {why}", delivery.destination), LINE),
        task_id: None,
        workflow_id: None,
        agent_id: None,
        session_id: None,
        role: None,
        owner: None,
        since,
        deadline: None,
        then: None,
        options: Vec::new(),
        dangerous: false,
        priority: Priority::Normal,
        cost: InboxCost::default(),
        actions: vec![InboxAction::Retry, InboxAction::Drop],
        sanitized: None,
    })
}
