//! By hand, for another target, or more or less urgent.

use super::super::command::Cause;
use super::super::effect::TaskDecision;
use super::super::notify::Notices;
use super::super::record::TaskRecord;
use super::super::spec::{Priority, Target};
use super::super::state::{Task, TaskState};
use super::Decided;
use crate::time::Timestamp;

impl Task {
    /// Takes the task away from whoever has it. One that waits for its dependencies goes on waiting.
    pub(super) fn reassign(&self, now: Timestamp, target: &Target, cause: &Cause) -> Decided {
        match &self.state {
            TaskState::Queued { .. }
            | TaskState::Assigned { .. }
            | TaskState::InProgress { .. }
            | TaskState::Blocked { .. }
            | TaskState::InReview { approved: true, .. }
            | TaskState::Timeout { .. } => Ok(TaskDecision {
                records: vec![TaskRecord::Reassigned { target: target.clone(), escalated: false }],
                notices: Notices::new(self, now, cause).stop("it was given to somebody else").done(),
                effects: Vec::new(),
            }),
            TaskState::InReview { .. } => Err(self.wrong_state("a reviewer has it: request changes first")),
            TaskState::Failed { .. } | TaskState::DeadLetter { .. } => {
                Err(self.wrong_state("put it back into the queue first"))
            }
            TaskState::Completed { .. } | TaskState::Cancelled { .. } => Err(self.closed()),
        }
    }

    pub(super) fn prioritise(&self, priority: Priority) -> Decided {
        match &self.state {
            TaskState::Queued { .. }
            | TaskState::Assigned { .. }
            | TaskState::InProgress { .. }
            | TaskState::Blocked { .. }
            | TaskState::InReview { .. }
            | TaskState::Timeout { .. } => {
                let changes = self.spec.priority != priority;
                let records = changes.then_some(TaskRecord::Prioritised { priority }).into_iter().collect();
                Ok(TaskDecision { records, ..TaskDecision::default() })
            }
            TaskState::Completed { .. }
            | TaskState::Failed { .. }
            | TaskState::Cancelled { .. }
            | TaskState::DeadLetter { .. } => Err(self.closed()),
        }
    }
}
