//! One actor's one deadline, kept armed at the alarm.

use std::sync::Arc;

use crate::actors::alarm::{AlarmKey, AlarmRef, Ring};
use crate::domain::time::Deadline;

/// Arms the alarm for one actor, and speaks to it only when the deadline changed.
#[derive(Clone)]
pub struct Timer {
    alarm: AlarmRef,
    key: AlarmKey,
    ring: Ring,
    armed: Option<Deadline>,
}

impl std::fmt::Debug for Timer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Timer").field("key", &self.key).field("armed", &self.armed).finish_non_exhaustive()
    }
}

impl Timer {
    /// A timer that is over calls `ring`, which must not block, until somebody hears it. `key` is the actor's name.
    pub fn new(alarm: AlarmRef, key: impl Into<AlarmKey>, ring: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        Self { alarm, key: key.into(), ring: Arc::new(ring), armed: None }
    }

    /// Sets the one deadline, or none. A ring may come late or twice: who hears it acts only on what is due.
    pub fn set(&mut self, deadline: Option<Deadline>) {
        if self.armed == deadline {
            return;
        }
        match deadline {
            Some(deadline) => self.alarm.set(Arc::clone(&self.key), deadline, Arc::clone(&self.ring)),
            None => self.alarm.clear(Arc::clone(&self.key)),
        }
        self.armed = deadline;
    }

    /// The timer rang: whatever was armed is spent, and the next `set` arms anew.
    pub fn rang(&mut self) {
        self.armed = None;
    }

    pub const fn armed(&self) -> Option<Deadline> {
        self.armed
    }
}
