//! The asker answers a task that is BLOCKED on an answer: back to its last holder.

use super::super::command::Authority;
use super::super::spec::Comment;
use super::prelude::*;

impl Task {
    pub(super) fn answer(&self, now: Timestamp, authority: &Authority, answer: &Comment) -> Decided {
        self.authorise(authority)?;
        match &self.state {
            // Whoever answered the task would leave its question open to a second first answer.
            TaskState::Blocked { on: BlockedOn::Answer { question: Some(_), .. }, .. } => {
                Err(self.wrong_state("it stands still for a question: a person answers that, and it goes on"))
            }
            TaskState::Blocked { on: BlockedOn::Answer { .. }, .. }
                if *authority != Authority::Operator && self.is_out_of_budget() =>
            {
                Err(self.wrong_state("its budget is used up: only a person lets it go on"))
            }
            TaskState::Blocked { on: BlockedOn::Answer { agent, .. }, .. } => {
                let held_for = self.hold_for(agent, now);
                let records = vec![TaskRecord::Answered { answer: answer.clone(), held_for }];
                Ok(TaskDecision { records, ..TaskDecision::default() })
            }
            TaskState::Blocked { on: BlockedOn::Dependencies | BlockedOn::DependencyFailed { .. }, .. } => {
                Err(self.wrong_state("it waits for another task and not for an answer"))
            }
            TaskState::Queued { .. }
            | TaskState::Assigned { .. }
            | TaskState::InProgress { .. }
            | TaskState::InReview { .. }
            | TaskState::Timeout { .. } => Err(self.wrong_state("only a BLOCKED task can be answered")),
            TaskState::Completed { .. }
            | TaskState::Failed { .. }
            | TaskState::Cancelled { .. }
            | TaskState::DeadLetter { .. } => Err(self.closed()),
        }
    }
}
