//! Whether an agent is there: derived from what the hub sees, never journaled.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::time::Timestamp;

/// What an agent is doing, as others see it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Availability {
    /// Parked in `wait_for_prompt`.
    Waiting,
    /// Present, and not waiting.
    Working,
    /// Not heard of for `offlineAfter`. Its acknowledged tasks keep their leases.
    Offline,
    /// Sent away; must register again.
    Evicted,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DepartureKind {
    /// It said so: it closed its connection or deleted its session, or its proxy saw it end.
    Ended,
    /// Its connection broke. A proxy that lost the hub reconnects by itself.
    Lost,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Departure {
    pub at: Timestamp,
    pub how: DepartureKind,
}

impl Departure {
    /// How long a broken connection may take to come back: by then a proxy has tried seven times (pauses 0.1 s to 5 s).
    pub const LOST_AFTER: Duration = Duration::from_secs(10);

    /// From when on the agent counts as offline.
    pub fn counts_at(&self) -> Timestamp {
        match self.how {
            DepartureKind::Ended => self.at,
            DepartureKind::Lost => self.at + Self::LOST_AFTER,
        }
    }

    /// In words: `its client ended 3 s ago; lease until 10:40 UTC`.
    pub fn told(&self, now: Timestamp, lease_until: Option<Timestamp>) -> String {
        let what = match self.how {
            DepartureKind::Ended => "its client ended",
            DepartureKind::Lost => "the connection to its client broke",
        };
        let ago = match now.since(self.at).as_secs() {
            seconds @ 0..120 => format!("{seconds} s"),
            seconds @ 120..7_200 => format!("{} min", seconds / 60),
            seconds => format!("{} h", seconds / 3_600),
        };
        let lease = lease_until.map(|until| format!("; lease until {}", until.near(now))).unwrap_or_default();
        format!("{what} {ago} ago{lease}")
    }
}

/// Whether an agent is there.
///
/// ```text
///            any call, registration or wait; its proxy connects or answers a ping
///  ┌─────────────────────────────────────────────────────────────────────────────┐
///  ▼                                                                             │
/// present ──its last client ends (`Ended`)─────────────────► offline, "its client ended 3 s ago"
///    │ └────its last connection breaks (`Lost`), for 10 s──► offline, "the connection to its client broke 12 s ago"
///    └──────nothing is heard for `offlineAfter`────────────► offline
/// ```
///
/// Not journaled: connections end with the hub, and after a restart an agent is offline until something is heard of it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Presence {
    /// Its last call of any kind, or the last moment it was seen waiting.
    pub last_seen: Option<Timestamp>,
    /// Since when it is parked.
    pub waiting_since: Option<Timestamp>,
    /// That its client went away, until something is heard of it again.
    pub departure: Option<Departure>,
}

impl Presence {
    pub const fn heard(&mut self, now: Timestamp) {
        self.last_seen = Some(now);
        self.departure = None;
    }

    /// Its last client went away. A client that ended is not lost afterwards.
    pub fn departs(&mut self, departure: Departure) {
        if !self.departure.is_some_and(|known| known.how == DepartureKind::Ended) {
            self.departure = Some(departure);
        }
    }

    /// That its client went away, once it counts.
    pub fn departed(&self, now: Timestamp) -> Option<Departure> {
        self.departure.filter(|departure| departure.counts_at() <= now && self.waiting_since.is_none())
    }

    /// From when on it counts as offline, should nothing be heard of it; none when nothing ever was.
    pub fn offline_at(&self, offline_after: Duration) -> Option<Timestamp> {
        let silent = self.last_seen? + offline_after;
        Some(self.departure.map_or(silent, |departure| departure.counts_at().min(silent)))
    }

    /// What this looks like from outside at `now`. Silence is not failure: it only reads `offline`.
    pub fn availability(&self, now: Timestamp, offline_after: Duration, evicted: bool) -> Availability {
        if evicted {
            Availability::Evicted
        } else if self.waiting_since.is_some() {
            Availability::Waiting
        } else if self.offline_at(offline_after).is_some_and(|offline_at| now < offline_at) {
            Availability::Working
        } else {
            Availability::Offline
        }
    }
}

#[cfg(test)]
mod tests;
