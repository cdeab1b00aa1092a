//! When the gateway may be tried again: a pause that grows while sessions end at once, and a budget of identifications.
//!
//! Discord ends all sessions and resets the token after 1,000 identifications within 24 hours.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::time::Timestamp;

/// The most identifications within 24 hours; Discord's own limit is 1,000.
pub const IDENTIFIES_A_DAY: usize = 900;
/// A day, in milliseconds.
const DAY: u64 = 24 * 60 * 60 * 1_000;
/// A session that lived this long did not end at once.
const LONG: Duration = Duration::from_secs(60);
const LONGEST_PAUSE: Duration = Duration::from_secs(60);

/// The identifications of the last 24 hours.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Identifies(Vec<Timestamp>);

impl Identifies {
    /// Takes one, where the budget has one left.
    pub fn take(&mut self, now: Timestamp) -> bool {
        self.0.retain(|at| now.0.saturating_sub(at.0) < DAY);
        let left = self.0.len() < IDENTIFIES_A_DAY;
        if left {
            self.0.push(now);
        }
        left
    }

    /// How many there were within the last 24 hours.
    pub fn count(&self, now: Timestamp) -> usize {
        self.0.iter().filter(|at| now.0.saturating_sub(at.0) < DAY).count()
    }

    /// When the budget has one left again.
    pub fn next(&self, now: Timestamp) -> Timestamp {
        let of_today = self.0.iter().filter(|at| now.0.saturating_sub(at.0) < DAY);
        let excess = self.count(now).checked_sub(IDENTIFIES_A_DAY);
        excess.and_then(|excess| of_today.skip(excess).min()).map_or(now, |first| Timestamp(first.0 + DAY))
    }
}

/// How often connections ended at once, and the pause before the next: none after one that lived a minute, else a
/// share of 1, 2, 4 … 60 seconds by chance.
pub fn reconnect_pause(ended_at_once: u32, lived: Duration, jitter: u32) -> (u32, Duration) {
    if lived >= LONG {
        return (0, Duration::ZERO);
    }
    // The first loss is an accident, and resumed without a pause.
    let bound = match ended_at_once {
        0 => Duration::ZERO,
        failures => Duration::from_secs(1).saturating_mul(1 << (failures - 1).min(6)).min(LONGEST_PAUSE),
    };
    let share = u64::try_from(bound.as_millis()).unwrap_or(u64::MAX).saturating_mul(u64::from(jitter)) >> 32;
    (ended_at_once.saturating_add(1), Duration::from_millis(share))
}
