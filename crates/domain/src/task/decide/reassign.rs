//! By hand, for another target, in other words, or more or less urgent.

use super::super::spec::{Target, TaskEdit};
use super::prelude::*;

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

    /// What is the same already is not written down, nor what was written before the words that are there.
    pub(super) fn edit(&self, edit: &TaskEdit) -> Decided {
        let is_older = edit.written.zip(self.words_at).is_some_and(|(written, newest)| written < newest);
        let title = edit.title.clone().filter(|title| self.spec.title.as_ref() != Some(title) && !is_older);
        let prompt = edit.prompt.clone().filter(|prompt| *prompt != self.spec.prompt && !is_older);
        let words = title.is_some() || prompt.is_some();
        match &self.state {
            TaskState::Queued { .. }
            | TaskState::Blocked { on: BlockedOn::Dependencies | BlockedOn::DependencyFailed { .. }, .. }
                if self.attempts.is_empty() => {}
            TaskState::Queued { .. }
            | TaskState::Assigned { .. }
            | TaskState::InProgress { .. }
            | TaskState::Blocked { .. }
            | TaskState::InReview { .. }
            | TaskState::Timeout { .. } => {
                if words {
                    return Err(self.wrong_state("somebody has read it: comment on it instead"));
                }
            }
            TaskState::Completed { .. }
            | TaskState::Failed { .. }
            | TaskState::Cancelled { .. }
            | TaskState::DeadLetter { .. } => return Err(self.closed()),
        }
        let (sanitized, written) = (edit.sanitized.clone(), edit.written);
        let edited = words.then_some(TaskRecord::Edited { title, prompt, sanitized, written });
        let priority = edit.priority.filter(|priority| *priority != self.spec.priority);
        let records = edited.into_iter().chain(priority.map(|priority| TaskRecord::Prioritised { priority })).collect();
        Ok(TaskDecision { records, ..TaskDecision::default() })
    }
}
