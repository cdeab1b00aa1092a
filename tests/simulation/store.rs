//! The store of a simulated hub: the journal in memory, which can be cut off between any two writes.
//!
//! Three writes of four take a few turns, so that what others ask for meanwhile is written together; and a cut comes
//! after the write and before anybody hears of it, or before the write.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};

use callboard::journal::memory::{MemoryReader, MemoryStore};
use callboard::journal::{Append, Seq, Store, Wait, WriteError, Written};

use crate::traps::Trap;

const NEVER: usize = usize::MAX;

/// What the next hub finds.
pub(crate) type Disk = (MemoryStore, MemoryReader);

struct Cutting {
    inner: MemoryStore,
    reader: MemoryReader,
    plan: Arc<Plan>,
    left: Sender<Disk>,
    trap: Option<Trap>,
}

struct Plan {
    writes: AtomicUsize,
    kept: AtomicBool,
    dead: AtomicBool,
    lies: AtomicUsize,
    /// How many appends the largest batch had since somebody looked, and how many the one that was cut.
    together: AtomicUsize,
    fell: AtomicUsize,
}

/// The hand on the knife.
pub(crate) struct Cutter {
    plan: Arc<Plan>,
    left: Receiver<Disk>,
}

/// Tells whoever holds it whether the hub is cut off: what it answers from then on was never heard.
#[derive(Clone)]
pub(crate) struct Pulse(Arc<Plan>);

pub(crate) fn cutting((inner, reader): Disk, trap: Option<Trap>) -> (Box<dyn Store>, Cutter) {
    let plan = Arc::new(Plan {
        writes: AtomicUsize::new(NEVER),
        kept: AtomicBool::new(false),
        dead: AtomicBool::new(false),
        lies: AtomicUsize::new(0),
        together: AtomicUsize::new(0),
        fell: AtomicUsize::new(0),
    });
    let (sender, left) = channel();
    let store = Cutting { inner, reader, plan: Arc::clone(&plan), left: sender, trap };
    (Box::new(store), Cutter { plan, left })
}

impl Cutter {
    /// After so many more writes the hub is dead; the last of them is kept, or not.
    pub(crate) fn cut_after(&self, writes: usize, kept: bool) {
        self.plan.kept.store(kept, Ordering::Relaxed);
        self.plan.writes.store(writes, Ordering::Relaxed);
    }

    /// Whether the last write before the cut is on disk.
    pub(crate) fn kept(&self) -> bool {
        self.plan.kept.load(Ordering::Relaxed)
    }

    pub(crate) fn spare(&self) {
        self.plan.writes.store(NEVER, Ordering::Relaxed);
    }

    pub(crate) fn pulse(&self) -> Pulse {
        Pulse(Arc::clone(&self.plan))
    }

    /// How many appends were written together at most, since it was asked last.
    pub(crate) fn together(&self) -> usize {
        self.plan.together.swap(0, Ordering::Relaxed)
    }

    /// How many appends were in the batch that was cut.
    pub(crate) fn fell(&self) -> usize {
        self.plan.fell.load(Ordering::Relaxed)
    }

    /// What was on disk when the hub was cut off, if it was.
    pub(crate) fn left(&self) -> Option<Disk> {
        self.left.try_recv().ok()
    }
}

impl Pulse {
    pub(crate) fn is_dead(&self) -> bool {
        self.0.dead.load(Ordering::Relaxed)
    }
}

impl Cutting {
    fn falls(&self) -> bool {
        let left = self.plan.writes.load(Ordering::Relaxed);
        if left == NEVER || self.plan.dead.load(Ordering::Relaxed) {
            return false;
        }
        self.plan.writes.store(left.saturating_sub(1), Ordering::Relaxed);
        left == 0
    }

    /// What the trap makes of a batch: its answers, when the disk is not to see it.
    fn lie(&self, batch: &[Append]) -> Option<Vec<Result<Written, WriteError>>> {
        let lies = self.trap == Some(Trap::AcknowledgesBeforeTheWrite)
            && self.plan.lies.fetch_add(1, Ordering::Relaxed) % 8 == 7;
        lies.then(|| batch.iter().map(|_| Ok(Written { first: Seq(1), last: Seq(0) })).collect())
    }
}

impl Store for Cutting {
    fn write(&mut self, batch: &[Append]) -> Vec<Result<Written, WriteError>> {
        self.plan.together.fetch_max(batch.len(), Ordering::Relaxed);
        if let Some(answers) = self.lie(batch) {
            return answers;
        }
        let falls = self.falls();
        let kept = self.plan.kept.load(Ordering::Relaxed);
        let before = (falls && !kept).then(|| self.reader.reopened());
        let answers = if self.trap == Some(Trap::ForgetsRows) && self.inner.position().0 % 5 == 4 {
            let torn: Vec<Append> = batch.iter().map(|append| Append { rows: Vec::new(), ..append.clone() }).collect();
            self.inner.write(&torn)
        } else {
            self.inner.write(batch)
        };
        if falls {
            self.plan.dead.store(true, Ordering::Relaxed);
            self.plan.fell.store(batch.len(), Ordering::Relaxed);
            // Nobody listens any more when the schedule is over.
            let _ = self.left.send(before.unwrap_or_else(|| self.reader.reopened()));
        }
        answers
    }

    fn position(&self) -> Seq {
        self.inner.position()
    }

    fn blocks(&self) -> bool {
        false
    }

    /// By what was written so far, so that each seed has its own order and keeps it.
    fn waits(&mut self, _: &[Append]) -> Option<[Wait; 2]> {
        let turns = self.inner.position().0 % 4;
        (turns > 0).then(|| [passes(turns), passes(turns)])
    }
}

fn passes(turns: u64) -> Wait {
    Box::pin(async move {
        for _ in 0..turns {
            tokio::task::yield_now().await;
        }
    })
}
