//! The clock of a service outside: its own, so that a test can set it apart from the hub's.

use std::time::{SystemTime, UNIX_EPOCH};

pub use callboard_base::time::Timestamp;
use tokio::time::Instant;

/// A clock that goes on with tokio's time, so that a test that stops that stops this one, too.
#[derive(Debug, Clone, Copy)]
pub struct Clock {
    wall: Timestamp,
    anchor: Instant,
}

impl Clock {
    /// A clock that starts at the machine's wall clock.
    #[must_use]
    #[expect(clippy::disallowed_methods, reason = "a service outside has a clock of its own")]
    pub fn system() -> Self {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Self::starting_at(Timestamp::default() + since)
    }

    /// A clock that shows `wall` now.
    #[must_use]
    pub fn starting_at(wall: Timestamp) -> Self {
        Self { wall, anchor: Instant::now() }
    }

    /// What it shows.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        self.wall + self.anchor.elapsed()
    }
}
