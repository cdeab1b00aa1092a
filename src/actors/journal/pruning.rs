//! `journal.retention`, kept: what is older goes in small batches with pauses; the next is a deadline of the journal's.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;

use crate::domain::time::{Deadline, Timestamp};
use crate::journal::{Pruned, WriteError};
use crate::settings::Settings;

/// How long after the start the first look is taken: whoever comes back after a restart goes first.
const FIRST_AFTER: Duration = Duration::from_secs(60);

/// How often is looked.
const EVERY: Duration = Duration::from_secs(60 * 60);

/// The pause between two batches.
const PAUSE: Duration = Duration::from_millis(250);

/// Lets go of what is older than `journal.retention`, now and then.
#[derive(Debug)]
pub(super) struct Retention {
    settings: watch::Receiver<Arc<Settings>>,
    due_at: Timestamp,
}

impl Retention {
    pub(super) fn new(settings: watch::Receiver<Arc<Settings>>, now: Timestamp) -> Self {
        Self { settings, due_at: now + FIRST_AFTER }
    }

    pub(super) const fn next_deadline(&self) -> Deadline {
        Deadline { at: self.due_at, reason: "what is older than `journal.retention` is let go of" }
    }

    /// Before when everything may go, if it is time to look.
    pub(super) fn due(&mut self, now: Timestamp) -> Option<Timestamp> {
        if self.due_at > now {
            return None;
        }
        // Until the batch ended it is as far away as a look that found nothing.
        self.due_at = now + EVERY;
        Some(now - self.settings.borrow().hub.journal.retention)
    }

    pub(super) fn ended(&mut self, now: Timestamp, pruned: &Result<Pruned, WriteError>) {
        match pruned {
            Ok(pruned) if pruned.more => self.due_at = now + PAUSE,
            Ok(_) => {}
            Err(fault) => tracing::warn!("what is older than `journal.retention` could not be let go of: {fault}"),
        }
    }
}
