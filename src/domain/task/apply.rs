//! stub

use super::record::TaskRecord;
use super::state::Task;
use crate::domain::time::Timestamp;

impl Task {
    /// A task from its first record; none when the record is not `Created`.
    #[must_use]
    pub fn from_created(at: Timestamp, record: &TaskRecord) -> Option<Self> {
        let _ = (at, record);
        unimplemented!()
    }

    /// A record into the state; cannot fail.
    pub fn apply(&mut self, at: Timestamp, record: &TaskRecord) {
        let _ = (at, record);
        unimplemented!()
    }
}
