//! A person's order over a delivery, once under its key: the key is in the append of the deed.

use super::message::{OrderError, OrderKey, OrderRequest, Ordered, OutboxOrder};
use super::state::{State, lane_of};
use crate::actors::common::Fault;
use crate::actors::journal::AppendError;
use crate::domain::outbox::{Delivery, DeliveryCommand, DeliveryRecord, DeliveryState, o1_out_once};
use crate::domain::time::Timestamp;
use crate::journal::{Append, Entry, HubRecord, Row, WriteError};

impl State {
    pub(super) async fn order(&mut self, asked: OrderRequest) -> Result<Ordered, OrderError> {
        let OrderRequest { id, order, by, request, key } = asked;
        // Before anything is decided: a delivery that was retried may be a dead letter again by now.
        let now = self.clock.now();
        if let Some(receipt) = self.journal.recall(now, key.as_ref().map(|key| &key.key)).await? {
            return Ok(Ordered::Before(receipt));
        }
        // What is under way is refused by its state: sent once more meanwhile, it would go twice.
        let delivery = match self.sending.get(&id) {
            Some(sending) => sending.clone(),
            None => self.stored(id).await.map_err(Fault::Unavailable)?.ok_or(OrderError::Unknown(id))?,
        };
        let command = match order {
            OutboxOrder::Retry => DeliveryCommand::Retry,
            OutboxOrder::Drop { reason } => DeliveryCommand::Drop { by: by.principal.clone(), reason },
        };
        let record = delivery.decide(now, &command)?;
        let idempotency = key.map(|OrderKey { key, receipt }| {
            let mut after = delivery.clone();
            after.apply(now, &record);
            key.keeps(receipt(&after))
        });
        let append = Append { request, idempotency, ..Append::new(now, by, Vec::new()) };
        let after = match self.write(now, &delivery, &record, append).await {
            Ok(after) => after,
            Err(AppendError::Write(WriteError::Repeated { receipt })) => return Ok(Ordered::Before(receipt)),
            Err(AppendError::Write(WriteError::KeyReused)) => return Err(OrderError::KeyReused),
            Err(error) => return Err(OrderError::Fault(error.into())),
        };
        self.untold = true;
        if let Some(way) = self.ways.get_mut(&after.destination) {
            match after.state {
                DeliveryState::Pending { not_before } => way.lanes.put(&lane_of(&after), id, not_before),
                DeliveryState::Sending { .. }
                | DeliveryState::Delivered { .. }
                | DeliveryState::DeadLetter { .. }
                | DeliveryState::Dropped { .. } => way.lanes.remove(&lane_of(&after), id),
            }
        }
        Ok(Ordered::Now(after))
    }

    /// Writes what happened to a delivery, with an event where people are to hear of it.
    pub(super) async fn write(
        &self,
        now: Timestamp,
        before: &Delivery,
        record: &DeliveryRecord,
        append: Append,
    ) -> Result<Delivery, AppendError> {
        let mut after = before.clone();
        after.apply(now, record);
        debug_assert_eq!(o1_out_once(before, &after), Ok(()));
        let entries = event(&after, record).map(Entry::of_hub).into_iter().collect();
        let is_over = matches!(record, DeliveryRecord::DeadLettered { .. } | DeliveryRecord::Dropped { .. });
        let owed = self.ways.get(&after.destination).filter(|_| is_over).and_then(|way| way.destination.owed(&after));
        let owed = owed.map(|new| Row::Outgoing(Box::new(new)));
        let rows = std::iter::once(Row::Delivery(Box::new(after.clone()))).chain(owed).collect();
        self.journal.append(Append { rows, entries, ..append }).await?;
        Ok(after)
    }
}

fn event(after: &Delivery, record: &DeliveryRecord) -> Option<HubRecord> {
    let (delivery, destination, summary) = (after.id, after.destination.clone(), after.summary.clone());
    match record {
        DeliveryRecord::DeadLettered { reason } => {
            Some(HubRecord::DeliveryDeadLettered { delivery, destination, summary, reason: reason.clone() })
        }
        DeliveryRecord::Retried => Some(HubRecord::DeliveryRetried { delivery, destination, summary }),
        DeliveryRecord::Dropped { reason, .. } => {
            Some(HubRecord::DeliveryDropped { delivery, destination, summary, reason: reason.clone() })
        }
        DeliveryRecord::Begun | DeliveryRecord::Delivered { .. } | DeliveryRecord::Postponed { .. } => None,
    }
}
