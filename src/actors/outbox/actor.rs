//! The outbox's actor: what is due, the outcome of each attempt, and commands of people.

use std::sync::Arc;

use ractor::{Actor, ActorRef};
use tokio::task::JoinSet;

use super::destination::Destinations;
use super::message::OutboxMessage;
use super::state::{State, lane_of};
use crate::actors::common::{ActorResult, MailboxMetrics, Refusals, Timer};
use crate::actors::journal::JournalRef;
use crate::clock::Clock;
use crate::domain::outbox::{Delivery, DeliveryCommand, DeliveryId, DeliveryRecord, DeliveryState, SendOutcome};
use crate::domain::principal::By;
use crate::domain::time::Timestamp;
use crate::ids::Ids;
use crate::journal::Append;

#[derive(Debug)]
pub struct OutboxActor;

#[derive(Debug)]
pub struct OutboxArgs {
    pub journal: JournalRef,
    pub destinations: Destinations,
    pub clock: Clock,
    pub ids: Ids,
    /// How the hub signs what nobody asked for.
    pub hub: By,
    pub timer: Timer,
    pub mailbox_metrics: Arc<MailboxMetrics>,
}

impl std::fmt::Debug for State {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("State").field("read_up_to", &self.read_up_to).finish_non_exhaustive()
    }
}

impl Actor for OutboxActor {
    type Msg = OutboxMessage;
    type State = State;
    type Arguments = OutboxArgs;

    async fn pre_start(&self, myself: ActorRef<Self::Msg>, args: OutboxArgs) -> ActorResult<State> {
        let OutboxArgs { journal, destinations, clock, ids, hub, timer, mailbox_metrics } = args;
        let mut state = State {
            myself,
            journal,
            started_at: clock.now(),
            clock,
            ids,
            hub,
            timer,
            mailbox_metrics,
            ways: std::collections::BTreeMap::new(),
            destinations,
            read_up_to: None,
            sending: std::collections::BTreeMap::new(),
            unwritten: Vec::new(),
            retry_at: None,
            sends: JoinSet::new(),
            untold: true,
            delivered: 0,
            errors: Refusals::default(),
        };
        state.turn().await;
        Ok(state)
    }

    async fn handle(&self, _: ActorRef<Self::Msg>, message: OutboxMessage, state: &mut State) -> ActorResult {
        match message {
            OutboxMessage::Written => state.mailbox_metrics.took(),
            // From a task of its own, and so not counted.
            OutboxMessage::Settled { id, outcome } => state.settled(id, outcome).await,
            OutboxMessage::Order { asked, reply } => {
                state.mailbox_metrics.took();
                let ordered = state.order(*asked).await;
                // Whoever is answered that the last dead letter is gone may count on its destination from then on.
                state.tell_of_dead_letters().await;
                let _ = reply.send(ordered);
            }
            OutboxMessage::Tick => {
                state.mailbox_metrics.took();
                state.timer.rang();
            }
            OutboxMessage::ActorView { reply } => {
                state.mailbox_metrics.took();
                let _ = reply.send(state.actor_view());
                return Ok(());
            }
        }
        state.turn().await;
        Ok(())
    }
}

impl State {
    /// What could not be written is tried again, what is new is read, and what is due is sent.
    async fn turn(&mut self) {
        while self.sends.try_join_next().is_some() {}
        self.meet();
        let now = self.clock.now();
        if !self.destinations.ownership().holds() {
            self.stand_still(now, "whether another hub has taken the journal is not known");
        } else if self.retry_at.is_none_or(|at| at <= now) {
            self.retry_at = None;
            for (id, outcome) in std::mem::take(&mut self.unwritten) {
                self.settled(id, outcome).await;
            }
            self.read().await;
            self.tell_of_dead_letters().await;
            self.send_due().await;
        }
        self.settle();
    }

    async fn settled(&mut self, id: DeliveryId, outcome: SendOutcome) {
        let Some(delivery) = self.sending.get(&id).cloned() else { return };
        let Some(way) = self.ways.get(&delivery.destination) else { return };
        // What a machine slept over is no time in which it was tried: the network comes back later than the hub.
        let give_up_after = way.destination.give_up_after().map(|after| after + self.clock.leapt(delivery.created_at));
        let (now, jitter) = (self.clock.now(), self.ids.chance());
        let command = DeliveryCommand::Settle { outcome: outcome.clone(), jitter, give_up_after };
        let Ok(record) = delivery.decide(now, &command) else { return };
        match self.write(now, &delivery, &record, Append::new(now, self.hub.clone(), Vec::new())).await {
            Ok(after) => {
                self.sending.remove(&id);
                self.note(&record, &after, now);
                let again = match after.state {
                    DeliveryState::Pending { not_before } => Some(not_before),
                    DeliveryState::Sending { .. }
                    | DeliveryState::Delivered { .. }
                    | DeliveryState::DeadLetter { .. }
                    | DeliveryState::Dropped { .. } => None,
                };
                if let Some(way) = self.ways.get_mut(&after.destination) {
                    way.under_way = way.under_way.saturating_sub(1);
                    way.lanes.settled(&lane_of(&after), id, again);
                }
            }
            // It was sent: that must not be forgotten, and nothing is sent in its lane until it is on disk.
            Err(error) => {
                self.unwritten.push((id, outcome));
                self.stand_still(now, &error.to_string());
            }
        }
    }

    fn note(&mut self, record: &DeliveryRecord, after: &Delivery, now: Timestamp) {
        match record {
            DeliveryRecord::Delivered { .. } => self.delivered += 1,
            DeliveryRecord::Postponed { error, .. } => {
                self.errors.note(now, "UNAVAILABLE", format!("{} ({}): {error}", after.id, after.destination));
            }
            DeliveryRecord::DeadLettered { reason } => {
                let (id, destination) = (after.id, &after.destination);
                tracing::warn!("delivery `{id}` to `{destination}` is a dead letter: {reason}");
                self.errors.note(now, "DEAD_LETTER", format!("{id} ({destination}): {reason}"));
                self.untold = true;
            }
            DeliveryRecord::Begun | DeliveryRecord::Retried | DeliveryRecord::Dropped { .. } => {}
        }
    }
}
