//! By hand, back into the queue: what failed or ran out of time, and the dead letters.

use super::prelude::*;

impl Task {
    /// FAILED or TIMEOUT, for the next attempt.
    pub(super) fn retry(&self) -> Decided {
        match &self.state {
            TaskState::Failed { .. } | TaskState::Timeout { .. } => Ok(requeued(false)),
            TaskState::DeadLetter { .. } => Err(self.wrong_state("a dead letter is requeued, not retried")),
            TaskState::Queued { .. }
            | TaskState::Assigned { .. }
            | TaskState::InProgress { .. }
            | TaskState::Blocked { .. }
            | TaskState::InReview { .. } => Err(self.wrong_state("only a FAILED or TIMEOUT task can be retried")),
            TaskState::Completed { .. } | TaskState::Cancelled { .. } => Err(self.closed()),
        }
    }

    /// A dead letter, with its attempts counted anew.
    pub(super) fn requeue(&self) -> Decided {
        match &self.state {
            TaskState::DeadLetter { .. } => Ok(requeued(true)),
            TaskState::Failed { .. } | TaskState::Timeout { .. } => {
                Err(self.wrong_state("it is no dead letter: retry it"))
            }
            TaskState::Queued { .. }
            | TaskState::Assigned { .. }
            | TaskState::InProgress { .. }
            | TaskState::Blocked { .. }
            | TaskState::InReview { .. } => Err(self.wrong_state("only a dead letter can be requeued")),
            TaskState::Completed { .. } | TaskState::Cancelled { .. } => Err(self.closed()),
        }
    }
}

fn requeued(count_anew: bool) -> TaskDecision {
    TaskDecision { records: vec![TaskRecord::Requeued { count_anew, held_for: None }], ..TaskDecision::default() }
}
