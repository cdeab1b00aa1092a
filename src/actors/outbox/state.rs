//! What the outbox keeps in memory, and its picture.

use std::collections::BTreeMap;
use std::sync::Arc;

use ractor::ActorRef;
use serde_json::json;
use tokio::task::JoinSet;

use super::destination::{Destination, Destinations};
use super::message::OutboxMessage;
use crate::actors::common::{ActorView, MailboxMetrics, Refusals, Timer};
use crate::actors::journal::JournalRef;
use crate::broken::{self, Break};
use crate::clock::Clock;
use crate::domain::outbox::{Delivery, DeliveryId, LaneKey, Lanes, SendOutcome};
use crate::domain::principal::By;
use crate::domain::time::{Deadline, Timestamp};
use crate::ids::Ids;

/// The most sends to one destination that are under way at once.
pub const AT_ONCE: usize = 8;

pub struct State {
    pub(super) myself: ActorRef<OutboxMessage>,
    pub(super) journal: JournalRef,
    pub(super) clock: Clock,
    pub(super) ids: Ids,
    pub(super) hub: By,
    pub(super) timer: Timer,
    pub(super) mailbox_metrics: Arc<MailboxMetrics>,
    pub(super) started_at: Timestamp,
    pub(super) destinations: Destinations,
    pub(super) ways: BTreeMap<String, DestinationState>,
    /// Up to which delivery the waiting ones were read.
    pub(super) read_up_to: Option<DeliveryId>,
    pub(super) sending: BTreeMap<DeliveryId, Delivery>,
    /// What came of a send and is not on disk: the journal takes nothing.
    pub(super) unwritten: Vec<(DeliveryId, SendOutcome)>,
    /// When what could not be read or written is tried again.
    pub(super) retry_at: Option<Timestamp>,
    /// The tasks that send; ended with the actor.
    pub(super) sends: JoinSet<()>,
    /// Whether destinations are still to be told which of them have dead letters.
    pub(super) untold: bool,
    pub(super) delivered: u64,
    pub(super) errors: Refusals,
}

pub(super) struct DestinationState {
    pub(super) destination: Arc<dyn Destination>,
    pub(super) lanes: Lanes,
    pub(super) under_way: usize,
}

pub(super) fn lane_of(delivery: &Delivery) -> LaneKey {
    let mixed = broken::by(Break::MixesLanes).then(|| delivery.id.to_string());
    (delivery.destination.clone(), mixed.unwrap_or_else(|| delivery.lane.clone()))
}

impl DestinationState {
    pub(super) fn new(destination: Arc<dyn Destination>) -> Self {
        Self { destination, lanes: Lanes::default(), under_way: 0 }
    }

    fn next_due(&self) -> Option<Timestamp> {
        if self.under_way < AT_ONCE { self.lanes.next_due() } else { None }
    }
}

impl State {
    /// Takes in destinations that were added or changed; one taken away is let go of once nothing waits for it.
    pub(super) fn meet(&mut self) {
        let all = self.destinations.all();
        self.ways.retain(|name, way| !way.lanes.is_empty() || all.iter().any(|one| one.name() == name));
        for one in all {
            let way = self.ways.get_mut(one.name());
            if way.as_ref().is_some_and(|way| Arc::ptr_eq(&way.destination, &one)) {
                continue;
            }
            // It is told, too, whether it has dead letters.
            self.untold = true;
            match way {
                Some(way) => way.destination = one,
                None => drop(self.ways.insert(one.name().to_owned(), DestinationState::new(one))),
            }
        }
    }

    pub(super) fn settle(&mut self) {
        let due = self.ways.values().filter_map(DestinationState::next_due).min();
        // While the journal fails, nothing else is begun.
        self.timer.set(self.retry_at.or(due).map(|at| Deadline { at, reason: "a delivery that is due" }));
    }

    pub(super) fn actor_view(&self) -> ActorView {
        let mut actor_view = ActorView::of("outbox", "outbox", &self.mailbox_metrics, self.started_at);
        let destinations: BTreeMap<_, _> = self.ways.iter().map(|(name, way)| (name, drawn(name, way))).collect();
        if !self.unwritten.is_empty() {
            "standing still".clone_into(&mut actor_view.state);
        }
        actor_view.deadline = self.timer.armed();
        actor_view.last_refusals = self.errors.list();
        actor_view.detail = json!({
            "destinations": destinations,
            "delivered": self.delivered,
            "unwritten": self.unwritten.len(),
            "readUpTo": self.read_up_to,
        });
        actor_view
    }
}

fn drawn(name: &str, way: &DestinationState) -> serde_json::Value {
    let depth = way.lanes.depths().get(name).copied();
    json!({
        "lanes": way.lanes.len(),
        "waiting": depth.map_or(0, |(count, _)| count),
        "oldest": depth.map(|(_, id)| id),
        "underWay": way.under_way,
        "nextDue": way.lanes.next_due(),
    })
}
