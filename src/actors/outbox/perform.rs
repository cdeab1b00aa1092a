//! The outbox's reads from the journal, and its sends.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use ractor::ActorRef;

use super::destination::Destination;
use super::message::OutboxMessage;
use super::state::{AT_ONCE, State, lane_of};
use crate::domain::outbox::{Delivery, DeliveryCommand, DeliveryId, DeliveryState, DeliveryStateName, SendOutcome};
use crate::domain::time::Timestamp;

/// A send that has no outcome by then counts as failed. It may have arrived: it is sent again under the same key.
pub const SEND_WITHIN: Duration = Duration::from_secs(30);

/// How long after a fault of the journal it is asked again.
const RETRY_AFTER: Duration = Duration::from_secs(1);

/// Rows that are read at one go.
const STRIDE: usize = 500;

impl State {
    pub(super) async fn read(&mut self) {
        loop {
            let after = self.read_up_to;
            let found = match self.journal.read(move |reader| reader.waiting_deliveries(after, STRIDE)).await {
                Ok(found) => found,
                Err(error) => return self.stand_still(self.clock.now(), &error.to_string()),
            };
            for delivery in &found {
                self.read_up_to = Some(delivery.id);
                let not_before = match delivery.state {
                    DeliveryState::Pending { not_before } => not_before,
                    DeliveryState::Sending { .. }
                    | DeliveryState::Delivered { .. }
                    | DeliveryState::DeadLetter { .. }
                    | DeliveryState::Dropped { .. } => continue,
                };
                if let Some(way) = self.ways.get_mut(&delivery.destination) {
                    way.lanes.put(&lane_of(delivery), delivery.id, not_before);
                }
            }
            if found.len() < STRIDE {
                return;
            }
        }
    }

    /// Destinations hear which of them have dead letters, when that may have changed.
    pub(super) async fn tell_of_dead_letters(&mut self) {
        if !self.untold {
            return;
        }
        let counts = match self.journal.read(|reader| reader.delivery_counts()).await {
            Ok(counts) => counts,
            Err(error) => return self.stand_still(self.clock.now(), &error.to_string()),
        };
        self.untold = false;
        for (name, way) in &self.ways {
            let dead = counts.get(&(name.clone(), DeliveryStateName::DeadLetter));
            way.destination.has_dead_letters(dead.is_some_and(|count| *count > 0));
        }
    }

    pub(super) async fn send_due(&mut self) {
        let now = self.clock.now();
        let mut due = Vec::new();
        for way in self.ways.values_mut() {
            let taken = way.lanes.take_due(now, AT_ONCE.saturating_sub(way.under_way));
            way.under_way += taken.len();
            due.extend(taken);
        }
        for (lane, id) in due {
            let stored = self.stored(id).await;
            if let Err(why) = &stored {
                self.stand_still(now, why);
            }
            let begun = stored.as_ref().ok().and_then(Option::as_ref).and_then(|delivery| {
                let record = delivery.decide(now, &DeliveryCommand::Begin).ok()?;
                let mut begun = delivery.clone();
                begun.apply(now, &record);
                Some(begun)
            });
            let Some(way) = self.ways.get_mut(&lane.0) else { continue };
            match begun {
                Some(delivery) => {
                    let sending = send(Arc::clone(&way.destination), delivery.clone(), self.myself.clone());
                    self.sends.spawn(sending);
                    self.sending.insert(id, delivery);
                }
                None => {
                    // Where its row cannot be read, it is its turn again later; one that does not wait is let go of.
                    let again = stored.is_err().then_some(now + RETRY_AFTER);
                    way.under_way = way.under_way.saturating_sub(1);
                    way.lanes.settled(&lane, id, again);
                }
            }
        }
    }

    pub(super) async fn stored(&self, id: DeliveryId) -> Result<Option<Delivery>, String> {
        self.journal.read(move |reader| reader.delivery(id)).await.map_err(|error| error.to_string())
    }

    /// The journal cannot be read or written: again in a moment.
    pub(super) fn stand_still(&mut self, now: Timestamp, why: &str) {
        self.errors.note(now, "UNAVAILABLE", why);
        self.retry_at = Some(now + RETRY_AFTER);
    }
}

async fn send(destination: Arc<dyn Destination>, delivery: Delivery, outbox: ActorRef<OutboxMessage>) {
    let sent = AssertUnwindSafe(destination.send(&delivery)).catch_unwind();
    let failed = |error: &str| SendOutcome::Retry { error: error.to_owned(), after: None };
    let outcome = match tokio::time::timeout(SEND_WITHIN, sent).await {
        Ok(Ok(outcome)) => outcome,
        Ok(Err(_)) => failed("the destination's code panicked"),
        Err(_) => failed("no answer within 30 s"),
    };
    // An outbox that is gone is built anew, and sends again.
    let _ = outbox.send_message(OutboxMessage::Settled { id: delivery.id, outcome });
}
