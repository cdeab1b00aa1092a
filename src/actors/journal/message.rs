//! What may be said to the journal.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use ractor::RpcReplyPort;
use tokio::sync::watch;

use super::view::JournalView;
use crate::actors::alarm::AlarmRef;
use crate::clock::Clock;
use crate::domain::time::Timestamp;
use crate::journal::search::{SearchError, SearchIndex};
use crate::journal::{Append, Pruned, WriteError, Written};
use crate::settings::Settings;

#[derive(Debug)]
pub enum JournalMessage {
    Append(Box<Waiting>),
    /// The store came back from a write.
    WriteEnded,
    /// Answer when everything that is written by now can be found by its words.
    CatchUp {
        reply: RpcReplyPort<()>,
    },
    /// A step of the search index ended; none when it panicked.
    Indexed(Option<Indexed>),
    /// Your deadlines stand at this alarm from now on.
    Timing {
        alarm: AlarmRef,
        clock: Clock,
    },
    /// Let go of what is older than `journal.retention`, from now on.
    KeepToRetention {
        settings: watch::Receiver<Arc<Settings>>,
    },
    Tick,
    /// Let go of a little of what is from before that.
    Prune {
        before: Timestamp,
        reply: RpcReplyPort<Result<Pruned, WriteError>>,
    },
    /// The journal could not write: try whether it can.
    Try,
    View {
        reply: RpcReplyPort<JournalView>,
    },
}

/// An append that is not answered yet.
#[derive(Debug)]
pub struct Waiting {
    pub(super) append: Append,
    pub(super) asker: Asker,
}

#[derive(Debug)]
pub(super) struct Asker {
    pub(super) reply: RpcReplyPort<Result<Written, WriteError>>,
    pub(super) place: QueueSlot,
}

impl Asker {
    /// Answers, and gives the place back first: who has the answer may append again.
    pub(super) fn answer(self, answer: Result<Written, WriteError>) {
        drop(self.place);
        // Who stopped waiting finds the append in the journal, or repeats it under its idempotency key.
        let _ = self.reply.send(answer);
    }
}

/// A slot in the queue of waiting appends; dropping it frees the slot.
#[derive(Debug)]
pub(super) struct QueueSlot(Arc<AtomicUsize>);

impl QueueSlot {
    pub(super) fn take(taken: &Arc<AtomicUsize>, limit: usize) -> Option<Self> {
        let count = |now: usize| (now < limit).then_some(now + 1);
        taken.fetch_update(Ordering::AcqRel, Ordering::Acquire, count).ok()?;
        Some(Self(Arc::clone(taken)))
    }
}

impl Drop for QueueSlot {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

/// What came of taking records into the search index.
#[derive(Debug)]
pub struct Indexed {
    pub(super) index: Box<SearchIndex>,
    pub(super) taken: Result<usize, SearchError>,
}
