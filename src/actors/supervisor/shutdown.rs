//! The gentle end: open waits hear "reconnect", what was accepted is written, the journal ends last.

use std::time::Duration;

use futures_util::future::join_all;
use ractor::ActorCell;

use super::child::Rank;
use super::state::State;
use crate::actors::dispatcher::DispatcherMessage;

/// How long followers may take for what was posted last.
const LAST_WORDS: Duration = Duration::from_secs(1);

impl State {
    /// Ends everybody, leaves first. Each is drained: what lies in its mailbox is still handled.
    pub(super) async fn shutdown(&mut self, within: Duration) {
        self.ending = true;
        self.hub.dispatcher.tell(DispatcherMessage::Drain);
        for rank in Rank::BEFORE_THE_JOURNAL {
            drain(self.ranked(rank), within).await;
            // With their sockets: nobody waits for them to be rebuilt.
            self.children.retain(|_, held| held.child.rank() != rank);
        }
        drain(vec![self.hub.journal.actor().get_cell()], within).await;
        drain(vec![self.hub.noticeboard.actor().get_cell()], within).await;
        join_all(self.ranked(Rank::Followers).into_iter().map(end_of_follower)).await;
    }

    fn ranked(&self, rank: Rank) -> Vec<ActorCell> {
        let ranked = self.children.values().filter(|held| held.child.rank() == rank);
        ranked.map(|held| held.cell.clone()).collect()
    }
}

/// A follower ends by itself once it has taken what was posted. What it cannot take now, the next start reads.
async fn end_of_follower(cell: ActorCell) {
    if cell.wait(Some(LAST_WORDS)).await.is_err() {
        cell.kill();
    }
}

async fn drain(cells: Vec<ActorCell>, within: Duration) {
    let ends = cells.iter().map(|cell| cell.drain_and_wait(Some(within)));
    for (cell, end) in cells.iter().zip(join_all(ends).await) {
        if end.is_err() {
            tracing::warn!(actor = %cell.get_id(), "an actor did not end in time");
        }
    }
}
