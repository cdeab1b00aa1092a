//! The twin of the SQLite store that keeps everything in memory: for tests on stopped time.
//!
//! It promises the same (`conformance` holds both to it) and adds what tests need: a disk that fails when
//! told to, and a crash, after which a new hub opens what the old one had written.

mod faults;
mod read;
mod state;

use std::sync::{Arc, PoisonError};

pub use faults::MemoryFaults;
use state::{Shared, State};

use crate::domain::ids::TaskId;
use crate::domain::task::Task;
use crate::domain::time::Timestamp;
use crate::entry::{Append, Seq, Written};
use crate::store::{Pruned, Store, WriteError};

/// The one writer of a journal in memory.
#[derive(Debug)]
pub struct MemoryStore {
    shared: Arc<Shared>,
}

/// Any number of readers of the same journal.
#[derive(Debug, Clone)]
pub struct MemoryReader {
    shared: Arc<Shared>,
}

/// An empty journal in memory.
pub fn open() -> (MemoryStore, MemoryReader) {
    with(State::default())
}

fn with(state: State) -> (MemoryStore, MemoryReader) {
    let shared = Arc::new(Shared::new(state));
    (MemoryStore { shared: Arc::clone(&shared) }, MemoryReader { shared })
}

impl MemoryStore {
    /// The hand that breaks this store's disk.
    pub fn faults(&self) -> MemoryFaults {
        MemoryFaults::of(Arc::clone(&self.shared))
    }
}

impl MemoryReader {
    /// What a hub would find that starts after this one was killed now. The old store goes on with a state of its own.
    pub fn reopened(&self) -> (MemoryStore, Self) {
        with(self.state().after_crash())
    }

    /// The row of a task, which stays as it is when the task moves on: whoever looks at every row again and again
    /// copies none of them.
    pub fn row(&self, id: &TaskId) -> Option<Arc<Task>> {
        self.state().tasks.get(id).cloned()
    }

    /// The same, of each task that is not closed, by id.
    pub fn open_rows(&self) -> Vec<Arc<Task>> {
        self.state().tasks.values().filter(|task| task.is_open()).cloned().collect()
    }

    fn state(&self) -> state::Guard<'_> {
        // A panic while the lock is held is a test's own; what was written before it is whole.
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Store for MemoryStore {
    fn write(&mut self, batch: &[Append]) -> Vec<Result<Written, WriteError>> {
        let mut state = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        match state.next_fault() {
            Some(fault) => batch.iter().map(|_| Err(fault.clone())).collect(),
            None => batch.iter().map(|append| state.write(append)).collect(),
        }
    }

    fn prune(&mut self, before: Timestamp, limit: usize) -> Result<Pruned, WriteError> {
        let mut state = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        match state.next_fault() {
            Some(fault) => Err(fault),
            None => state.prune(before, limit),
        }
    }

    fn position(&self) -> Seq {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner).position()
    }

    fn blocks(&self) -> bool {
        false
    }
}
