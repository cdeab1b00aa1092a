//! The only reader of time.
//!
//! The wall clock is read once, at the start; from then on time is what the machine's monotonic clock adds to it. A
//! step of the wall clock therefore neither fires a deadline nor loses one, and a test that stops tokio's time stops
//! this clock with it.

use std::time::{Duration, UNIX_EPOCH};

use tokio::time::Instant;

use crate::domain::time::Timestamp;

/// A wall clock that was set back by more than this was wrong before, and is believed now.
const SET_BACK_AT_MOST: Duration = Duration::from_secs(24 * 60 * 60);

/// The hub's clock. Cheap to clone; every clone tells the same time.
#[derive(Debug, Clone, Copy)]
pub struct Clock {
    wall: Timestamp,
    anchor: Instant,
    /// The machine's wall clock, where there is one beside this clock.
    machine: fn() -> Option<Timestamp>,
}

impl Clock {
    /// A clock that starts at the machine's wall clock.
    #[must_use]
    pub fn system() -> Self {
        Self { machine: || Some(wall_clock()), ..Self::starting_at(wall_clock()) }
    }

    /// A clock that starts at `wall`; for tests on stopped time.
    #[must_use]
    pub fn starting_at(wall: Timestamp) -> Self {
        Self { wall, anchor: Instant::now(), machine: || None }
    }

    /// The same beside a machine whose wall clock shows this.
    #[cfg(test)]
    #[must_use]
    pub fn beside(self, machine: fn() -> Option<Timestamp>) -> Self {
        Self { machine, ..self }
    }

    /// By how much this clock and the machine's wall clock differ, and whether this one is ahead: it is behind after
    /// the machine slept or its clock was set forward, and ahead after that was set back.
    #[must_use]
    pub fn skew(&self) -> (Duration, bool) {
        let (mine, machine) = (self.now(), (self.machine)().unwrap_or_else(|| self.now()));
        (mine.since(machine).max(machine.since(mine)), mine > machine)
    }

    /// The same clock, beginning no earlier than `at`: what was written last. A wall clock that was set back between
    /// two runs of the hub then delays no deadline, and nothing happens before what caused it.
    #[must_use]
    pub fn not_before(self, at: Timestamp) -> Self {
        let behind = at.since(self.now());
        if behind > SET_BACK_AT_MOST { self } else { Self { wall: self.wall + behind, ..self } }
    }

    /// Now.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        self.wall + self.anchor.elapsed()
    }

    /// How long ago the machine's wall clock showed `then`, as files carry it: nothing for what lies ahead.
    #[must_use]
    #[expect(clippy::disallowed_methods, reason = "the time of a file can be compared with the wall clock alone")]
    pub fn ago(&self, then: std::time::SystemTime) -> Duration {
        std::time::SystemTime::now().duration_since(then).unwrap_or_default()
    }

    /// The monotonic moment of `at`, for timers. A moment that has passed is now or earlier.
    #[must_use]
    pub fn instant(&self, at: Timestamp) -> Instant {
        self.anchor + at.since(self.wall)
    }
}

#[expect(clippy::disallowed_methods, reason = "this is the one reader of the wall clock")]
fn wall_clock() -> Timestamp {
    Timestamp::default() + std::time::SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_clock_that_was_set_back_goes_on_from_what_was_written_last() {
        let clock = Clock::starting_at(Timestamp(1_000_000));
        assert_eq!(clock.not_before(Timestamp(900_000)).now(), Timestamp(1_000_000));
        assert_eq!(clock.not_before(Timestamp(1_003_000)).now(), Timestamp(1_003_000));
        let set_back = clock.not_before(Timestamp(1_003_000));
        assert_eq!(set_back.instant(Timestamp(1_004_000)), Instant::now() + Duration::from_secs(1));
    }

    #[tokio::test(start_paused = true)]
    async fn a_clock_that_was_wrong_by_years_is_believed_when_it_is_mended() {
        let clock = Clock::starting_at(Timestamp(1_000_000));
        assert_eq!(clock.not_before(Timestamp(1_000_000_000_000)).now(), Timestamp(1_000_000));
    }

    #[tokio::test(start_paused = true)]
    async fn how_far_the_machines_clock_is_away_is_known_in_both_directions() {
        let clock = Clock::starting_at(Timestamp(1_000_000));
        assert_eq!(clock.skew(), (Duration::ZERO, false));
        assert_eq!(clock.beside(|| Some(Timestamp(1_060_000))).skew(), (Duration::from_secs(60), false));
        assert_eq!(clock.beside(|| Some(Timestamp(990_000))).skew(), (Duration::from_secs(10), true));
        let (away, _) = Clock::system().skew();
        assert!(away < Duration::from_secs(60), "{away:?}");
    }
}
