//! What could not leave the hub.

use serde_json::json;

use super::*;
use crate::outbox::{Delivery, DeliveryId, DeliveryRecord, NewDelivery};

fn after(records: &[DeliveryRecord]) -> Delivery {
    let (destination, lane, summary) = ("chat".to_owned(), "a".to_owned(), "a task is done".to_owned());
    let new = NewDelivery { destination, lane, summary, body: json!({"text": "secret"}) };
    let mut delivery = Delivery::new(DeliveryId { seq: 7, part: 1 }, NOW, new);
    records.iter().for_each(|record| delivery.apply(Timestamp(NOW.0 + MINUTE), record));
    delivery
}

#[test]
fn only_a_dead_letter_needs_somebody_and_may_be_retried_or_dropped() {
    let dead = DeliveryRecord::DeadLettered { reason: "410 Gone".to_owned() };
    let item = of_delivery(&after(std::slice::from_ref(&dead))).unwrap();
    assert_eq!((item.id.as_str(), item.title.as_str()), ("dead_delivery:d_7_1", "a task is done"));
    assert_eq!(item.reason, "it could not be delivered to `chat`: 410 Gone");
    assert_eq!((item.since, item.actions), (Timestamp(NOW.0 + MINUTE), vec![InboxAction::Retry, InboxAction::Drop]));
    let postponed = DeliveryRecord::Postponed { not_before: NOW, error: "503".to_owned() };
    let others = [vec![], vec![DeliveryRecord::Begun], vec![postponed], vec![dead, DeliveryRecord::Retried]];
    assert!(others.iter().all(|records| of_delivery(&after(records)).is_none()));
}
