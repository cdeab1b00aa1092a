//! The clock of a service outside: its own, so that a test can set it apart from the hub's.

use std::fmt;
use std::ops::Add;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tokio::time::Instant;

/// A moment: milliseconds since 1970-01-01T00:00:00Z. Shown as RFC 3339 with milliseconds.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(pub u64);

impl Timestamp {
    /// How long this moment lies after `earlier`; zero when it does not.
    #[must_use]
    pub const fn since(self, earlier: Self) -> Duration {
        Duration::from_millis(self.0.saturating_sub(earlier.0))
    }
}

impl Add<Duration> for Timestamp {
    type Output = Self;
    fn add(self, span: Duration) -> Self {
        Self(self.0.saturating_add(u64::try_from(span.as_millis()).unwrap_or(u64::MAX)))
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        humantime::format_rfc3339_millis(UNIX_EPOCH + Duration::from_millis(self.0)).fmt(f)
    }
}

impl fmt::Debug for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

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
