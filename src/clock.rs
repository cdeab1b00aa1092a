//! The only reader of time.
//!
//! The wall clock is read once, at the start; from then on time is what the machine's monotonic clock adds to it. A
//! step of the wall clock therefore neither fires a deadline nor loses one, and a test that stops tokio's time stops
//! this clock with it.

use std::time::UNIX_EPOCH;

use tokio::time::Instant;

use crate::domain::time::Timestamp;

/// The hub's clock. Cheap to clone; every clone tells the same time.
#[derive(Debug, Clone, Copy)]
pub struct Clock {
    wall: Timestamp,
    anchor: Instant,
}

impl Clock {
    /// A clock that starts at the machine's wall clock.
    #[must_use]
    #[expect(clippy::disallowed_methods, reason = "this is the one reader of the wall clock")]
    pub fn system() -> Self {
        let since_epoch = std::time::SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Self::starting_at(Timestamp::default() + since_epoch)
    }

    /// A clock that starts at `wall`; for tests on stopped time.
    #[must_use]
    pub fn starting_at(wall: Timestamp) -> Self {
        Self { wall, anchor: Instant::now() }
    }

    /// Now.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        self.wall + self.anchor.elapsed()
    }

    /// The monotonic moment of `at`, for timers. A moment that has passed is now or earlier.
    #[must_use]
    pub fn instant(&self, at: Timestamp) -> Instant {
        self.anchor + at.since(self.wall)
    }
}
