//! A machine whose wall clock a test sets: it sleeps, is set forward and back, and runs with tokio's time otherwise.

#![expect(clippy::unwrap_used, reason = "built for tests alone, which move a clock by little")]

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use tokio::time::Instant;

use super::Clock;
use crate::domain::time::Timestamp;

#[derive(Debug, Clone)]
pub struct FakeMachine {
    began: (Timestamp, Instant),
    /// By how many milliseconds its wall clock was moved against the monotonic one.
    moved: Arc<AtomicI64>,
}

impl FakeMachine {
    pub fn showing(at: Timestamp) -> Self {
        Self { began: (at, Instant::now()), moved: Arc::default() }
    }

    /// A clock that starts now, as a hub's on this machine.
    pub fn clock(&self) -> Clock {
        let machine = self.clone();
        Clock::beside(move || machine.wall())
    }

    pub fn wall(&self) -> Timestamp {
        let runs = self.began.0 + self.began.1.elapsed();
        Timestamp(runs.0.saturating_add_signed(self.moved.load(Ordering::SeqCst)))
    }

    /// It sleeps: the wall clock goes on, and the monotonic one does not.
    pub fn sleeps(&self, time: Duration) {
        self.set_forward(time);
    }

    pub fn set_forward(&self, by: Duration) {
        self.moved.fetch_add(millis(by), Ordering::SeqCst);
    }

    pub fn set_back(&self, by: Duration) {
        self.moved.fetch_sub(millis(by), Ordering::SeqCst);
    }
}

fn millis(time: Duration) -> i64 {
    i64::try_from(time.as_millis()).unwrap()
}
