//! The search index, kept up behind the journal and never in its way.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Notify, mpsc};
use tokio::task::JoinHandle;

use crate::journal::Kept;
use crate::journal::search::{Heard, SearchIndex};

/// How long the index waits after a write: what comes meanwhile shares its transaction.
const LAG: Duration = Duration::from_millis(200);

/// Records taken in at one go, so that the thread is given back now and then.
const STRIDE: usize = 5_000;

/// How many batches may wait for the index in memory; what comes beyond is read from the journal.
const HEARD: usize = 512;

/// Follows the journal until it is dropped.
#[derive(Debug)]
pub(super) struct Indexing {
    written: Arc<Notify>,
    heard: mpsc::Sender<Heard>,
    follower: JoinHandle<()>,
}

impl Indexing {
    pub(super) fn follow(index: SearchIndex) -> Self {
        let written = Arc::new(Notify::new());
        let (heard, hears) = mpsc::channel(HEARD);
        // What was written while no hub ran is taken in at once.
        written.notify_one();
        #[expect(clippy::disallowed_methods, reason = "the follower is a part of the journal's actor and dies with it")]
        let follower = tokio::spawn(follow(index, Arc::clone(&written), hears));
        Self { written, heard, follower }
    }

    /// These were written, without a gap.
    pub(super) fn hear(&self, records: &[Kept]) {
        if let Some(heard) = Heard::of(records) {
            // No room, or no follower: the index reads what it did not hear.
            drop(self.heard.try_send(heard));
        }
        self.written.notify_one();
    }
}

impl Drop for Indexing {
    fn drop(&mut self) {
        self.follower.abort();
    }
}

async fn follow(mut index: SearchIndex, written: Arc<Notify>, mut hears: mpsc::Receiver<Heard>) {
    loop {
        written.notified().await;
        tokio::time::sleep(LAG).await;
        let heard: Vec<Heard> = std::iter::from_fn(|| hears.try_recv().ok()).collect();
        let step = tokio::task::spawn_blocking(move || {
            // Whatever is in its way is in that of the next line, too, which says so or mends it.
            drop(index.take_in(heard));
            let taken = index.catch_up(STRIDE);
            (index, taken)
        });
        let Ok((back, taken)) = step.await else {
            tracing::error!("the search index is lost until the next start: its writer panicked");
            return;
        };
        index = back;
        match taken {
            Ok(taken) if taken == STRIDE => written.notify_one(),
            Ok(_) => {}
            Err(error) => tracing::warn!(%error, "search lags behind: {error}"),
        }
    }
}
