//! A disk that fails when a test says so.

use std::sync::{Arc, PoisonError};

use super::state::{Disk, Shared};

/// Breaks and mends the disk of one store in memory.
#[derive(Debug, Clone)]
pub struct MemoryFaults {
    shared: Arc<Shared>,
}

impl MemoryFaults {
    pub(super) fn of(shared: Arc<Shared>) -> Self {
        Self { shared }
    }

    /// The next batch fails; the one after it succeeds.
    pub fn fail_next(&self, reason: &str) {
        self.set(Disk::FailsOnce(reason.to_owned()));
    }

    /// Every batch fails until [`MemoryFaults::mend`].
    pub fn break_down(&self, reason: &str) {
        self.set(Disk::Broken(reason.to_owned()));
    }

    /// The disk is full until [`MemoryFaults::mend`].
    pub fn fill(&self) {
        self.set(Disk::Full);
    }

    /// The disk works again.
    pub fn mend(&self) {
        self.set(Disk::Works);
    }

    fn set(&self, disk: Disk) {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner).disk = disk;
    }
}
