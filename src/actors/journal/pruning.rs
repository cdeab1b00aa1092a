//! `journal.retention`, kept: what is older goes, in small batches with pauses between them.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;

use super::handle::JournalRef;
use crate::clock::Clock;
use crate::settings::Settings;

/// How long after the start the first look is taken: whoever comes back after a restart goes first.
const FIRST_AFTER: Duration = Duration::from_secs(60);

/// How often is looked.
const EVERY: Duration = Duration::from_secs(60 * 60);

/// The pause between two batches.
const PAUSE: Duration = Duration::from_millis(250);

/// Lets go of what is older than `journal.retention`, now and then, until the hub goes down.
pub async fn keep_to_retention(
    journal: JournalRef,
    settings: watch::Receiver<Arc<Settings>>,
    mut draining: watch::Receiver<bool>,
    clock: Clock,
) {
    let mut pause = FIRST_AFTER;
    loop {
        tokio::select! {
            // An error means that nobody is left who could say so.
            _ = draining.wait_for(|down| *down) => return,
            () = tokio::time::sleep(pause) => {}
        }
        let before = clock.now() - settings.borrow().hub.journal.retention;
        pause = match journal.prune(before).await {
            Ok(pruned) if pruned.more => PAUSE,
            Ok(_) => EVERY,
            Err(fault) => {
                tracing::warn!("what is older than `journal.retention` could not be let go of: {fault}");
                EVERY
            }
        };
    }
}
