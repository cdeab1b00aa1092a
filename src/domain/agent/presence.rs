//! Whether an agent is there: derived from what the hub sees, never journaled.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::time::Timestamp;

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

/// When an agent was last heard, and since when it waits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Presence {
    /// Its last call of any kind, or the last moment it was seen waiting.
    pub last_seen: Option<Timestamp>,
    /// Since when it is parked.
    pub waiting_since: Option<Timestamp>,
}

impl Presence {
    /// What this looks like from outside at `now`. Silence is not failure: it only reads `offline`.
    #[must_use]
    pub fn availability(&self, now: Timestamp, offline_after: Duration, evicted: bool) -> Availability {
        if evicted {
            Availability::Evicted
        } else if self.waiting_since.is_some() {
            Availability::Waiting
        } else if self.last_seen.is_some_and(|seen| now.since(seen) < offline_after) {
            Availability::Working
        } else {
            Availability::Offline
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn silence_reads_offline_only_for_who_neither_waits_nor_was_heard() {
        let (now, span) = (Timestamp(100_000), Duration::from_secs(10));
        let seen = |millis| Presence { last_seen: Some(Timestamp(millis)), waiting_since: None };
        let waits = Presence { last_seen: None, waiting_since: Some(Timestamp(1)) };
        let table = [
            (Presence::default(), false, Availability::Offline),
            (seen(90_001), false, Availability::Working),
            (seen(90_000), false, Availability::Offline),
            (waits, false, Availability::Waiting),
            (waits, true, Availability::Evicted),
            (seen(100_000), true, Availability::Evicted),
        ];
        for (presence, evicted, expected) in table {
            assert_eq!(presence.availability(now, span, evicted), expected, "{presence:?}");
        }
    }
}
