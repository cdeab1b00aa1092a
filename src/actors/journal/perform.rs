//! The write itself: a batch goes into the store, on the thread that its kind of disk asks for.

use std::time::Duration;

use ractor::ActorRef;
use tokio::task::JoinHandle;
use tokio::time::Instant;

use super::message::JournalMessage;
use crate::domain::time::Timestamp;
use crate::journal::{Append, Pruned, Store, Wait, WriteError, Written};

pub(super) struct Ended {
    pub(super) store: Box<dyn Store>,
    pub(super) batch: Vec<Append>,
    pub(super) answers: Vec<Result<Written, WriteError>>,
    pub(super) took: Duration,
}

pub(super) fn write(mut store: Box<dyn Store>, batch: Vec<Append>) -> Ended {
    let started = Instant::now();
    let answers = store.write(&batch);
    Ended { store, batch, answers, took: started.elapsed() }
}

/// Works on a thread for blocking work, and tells the actor when it ended.
pub(super) fn aside<T: Send + 'static>(
    actor: ActorRef<JournalMessage>,
    work: impl FnOnce() -> T + Send + 'static,
) -> JoinHandle<T> {
    tokio::task::spawn_blocking(move || {
        let _tell = TellEnded(actor);
        work()
    })
}

#[expect(clippy::disallowed_methods, reason = "as a thread for blocking work: the actor holds it, and awaits its end")]
pub(super) fn write_slowly(
    store: Box<dyn Store>,
    batch: Vec<Append>,
    [before, after]: [Wait; 2],
    actor: ActorRef<JournalMessage>,
) -> JoinHandle<Ended> {
    tokio::spawn(async move {
        let _tell = TellEnded(actor);
        before.await;
        let ended = write(store, batch);
        after.await;
        ended
    })
}

pub(super) struct PruneEnded {
    pub(super) store: Box<dyn Store>,
    pub(super) pruned: Result<Pruned, WriteError>,
}

/// Records and tasks that are let go of in one transaction: a few milliseconds, for somebody may wait to write.
const PRUNED_AT_ONCE: usize = 256;

/// Lets go of something here and now.
pub(super) fn prune(mut store: Box<dyn Store>, before: Timestamp) -> PruneEnded {
    let pruned = store.prune(before, PRUNED_AT_ONCE);
    PruneEnded { store, pruned }
}

/// Tells the actor that a write ended, also when it ended by a panic.
struct TellEnded(ActorRef<JournalMessage>);

impl Drop for TellEnded {
    fn drop(&mut self) {
        // Refused by an actor that drains: it awaits the handle instead.
        let _ = self.0.send_message(JournalMessage::WriteEnded);
    }
}
