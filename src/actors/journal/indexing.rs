//! The search index, kept up behind the journal and never in its way.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Notify;
use tokio::task::JoinHandle;

use crate::journal::search::SearchIndex;

/// How long the index waits after a write: what comes meanwhile shares its transaction.
const LAG: Duration = Duration::from_millis(200);

/// Records taken in at one go, so that the thread is given back now and then.
const STRIDE: usize = 5_000;

/// Follows the journal until it is dropped.
#[derive(Debug)]
pub(super) struct Indexing {
    written: Arc<Notify>,
    follower: JoinHandle<()>,
}

impl Indexing {
    pub(super) fn follow(index: SearchIndex) -> Self {
        let written = Arc::new(Notify::new());
        // What was written while no hub ran is taken in at once.
        written.notify_one();
        #[expect(clippy::disallowed_methods, reason = "the follower is a part of the journal's actor and dies with it")]
        let follower = tokio::spawn(follow(index, Arc::clone(&written)));
        Self { written, follower }
    }

    /// Something was written.
    pub(super) fn nudge(&self) {
        self.written.notify_one();
    }
}

impl Drop for Indexing {
    fn drop(&mut self) {
        self.follower.abort();
    }
}

async fn follow(mut index: SearchIndex, written: Arc<Notify>) {
    loop {
        written.notified().await;
        tokio::time::sleep(LAG).await;
        let step = tokio::task::spawn_blocking(move || {
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
