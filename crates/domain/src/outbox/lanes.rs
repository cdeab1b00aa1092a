//! What waits, lane by lane, and which lane is due when.
//!
//! Lanes that can go on stand in one index by their moment, so a look costs as much as there is to do.

use std::collections::{BTreeMap, BTreeSet};

use super::delivery::DeliveryId;
use crate::time::Timestamp;

/// A destination, and the lane of it.
pub type LaneKey = (String, String);

/// Which deliveries wait or are under way; what they say stays in the store.
#[derive(Debug, Clone, Default)]
pub struct Lanes {
    lanes: BTreeMap<LaneKey, Lane>,
    /// The moment of the first delivery of each lane in which nothing is under way.
    due: BTreeSet<(Timestamp, LaneKey)>,
}

#[derive(Debug, Clone, Default)]
struct Lane {
    /// By name, which is the order: not before when.
    waiting: BTreeMap<DeliveryId, Timestamp>,
    sending: Option<DeliveryId>,
}

impl Lane {
    /// When it can go on: with its first delivery, once nothing is under way.
    fn due(&self) -> Option<Timestamp> {
        let (_, not_before) = self.waiting.first_key_value()?;
        self.sending.is_none().then_some(*not_before)
    }
}

impl Lanes {
    /// A delivery waits, until then at least. One that is under way stays so.
    pub fn put(&mut self, key: &LaneKey, id: DeliveryId, not_before: Timestamp) {
        self.change(key, |lane| {
            if lane.sending != Some(id) {
                lane.waiting.insert(id, not_before);
            }
        });
    }

    /// Takes the first delivery of each lane that is due, at most `most`; they are under way from now on.
    pub fn take_due(&mut self, now: Timestamp, most: usize) -> Vec<(LaneKey, DeliveryId)> {
        let mut taken = Vec::new();
        while taken.len() < most {
            let Some((_, key)) = self.due.first().filter(|(at, _)| *at <= now).cloned() else { break };
            let mut begun = None;
            self.change(&key, |lane| {
                begun = lane.waiting.pop_first().map(|(id, _)| id);
                lane.sending = begun;
            });
            taken.extend(begun.map(|id| (key, id)));
        }
        taken
    }

    /// A delivery is under way no longer, and waits again if a moment is given.
    pub fn settled(&mut self, key: &LaneKey, id: DeliveryId, again: Option<Timestamp>) {
        self.change(key, |lane| {
            // Whatever else is under way there stays so.
            if lane.sending == Some(id) {
                lane.sending = None;
            }
            if let Some(not_before) = again {
                lane.waiting.insert(id, not_before);
            }
        });
    }

    pub fn remove(&mut self, key: &LaneKey, id: DeliveryId) {
        self.change(key, |lane| {
            lane.waiting.remove(&id);
        });
    }

    /// The next moment at which a lane can go on.
    pub fn next_due(&self) -> Option<Timestamp> {
        self.due.first().map(|(at, _)| *at)
    }

    /// How many lanes have something to do.
    pub fn len(&self) -> usize {
        self.lanes.len()
    }

    pub fn is_empty(&self) -> bool {
        self.lanes.is_empty()
    }

    /// How many deliveries wait or are under way, by destination, and the oldest of each.
    pub fn depths(&self) -> BTreeMap<&str, (usize, DeliveryId)> {
        let mut depths: BTreeMap<&str, (usize, DeliveryId)> = BTreeMap::new();
        for ((destination, _), lane) in &self.lanes {
            let count = lane.waiting.len() + usize::from(lane.sending.is_some());
            if let Some(first) = lane.sending.iter().chain(lane.waiting.keys().next()).min() {
                let (all, oldest) = depths.entry(destination).or_insert((0, *first));
                (*all, *oldest) = (*all + count, (*oldest).min(*first));
            }
        }
        depths
    }

    /// Changes a lane, and keeps the index true.
    fn change(&mut self, key: &LaneKey, change: impl FnOnce(&mut Lane)) {
        let mut lane = self.lanes.remove(key).unwrap_or_default();
        if let Some(at) = lane.due() {
            self.due.remove(&(at, key.clone()));
        }
        change(&mut lane);
        if let Some(at) = lane.due() {
            self.due.insert((at, key.clone()));
        }
        if !lane.waiting.is_empty() || lane.sending.is_some() {
            self.lanes.insert(key.clone(), lane);
        }
    }
}
