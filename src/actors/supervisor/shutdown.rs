//! The gentle end: open waits hear "reconnect", what was accepted is written, the journal ends last.

use std::time::Duration;

use futures_util::future::join_all;
use ractor::ActorCell;

use super::actor::Desk;
use super::child::Rank;
use crate::actors::dispatcher::DispatcherMessage;

impl Desk {
    /// Ends everybody, leaves first. Each is drained: what lies in its mailbox is still handled.
    pub(super) async fn shutdown(&mut self, within: Duration) {
        self.ending = true;
        self.hub.dispatcher.tell(DispatcherMessage::Drain);
        for rank in Rank::ALL {
            let ranked = self.children.values().filter(|held| held.child.rank() == rank);
            let cells: Vec<ActorCell> = ranked.map(|held| held.cell.clone()).collect();
            drain(cells, within).await;
            // With their sockets: nobody waits for them to be rebuilt.
            self.children.retain(|_, held| held.child.rank() != rank);
        }
        drain(vec![self.hub.journal.actor().get_cell()], within).await;
        drain(vec![self.hub.noticeboard.actor().get_cell()], within).await;
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
