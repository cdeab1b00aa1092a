//! The asker or an operator calls the task off.

use super::super::command::Authority;
use super::prelude::*;

impl Task {
    /// From every open state. Called off twice, it is so already.
    pub(super) fn cancel(
        &self,
        now: Timestamp,
        authority: &Authority,
        reason: Option<&String>,
        cause: &Cause,
    ) -> Decided {
        self.authorise(authority)?;
        match &self.state {
            open!() => {
                let why = reason.map(|text| format!(": {}", head(text))).unwrap_or_default();
                Ok(TaskDecision {
                    records: vec![TaskRecord::Cancelled { reason: reason.cloned() }],
                    notices: Notices::new(self, now, cause).stop(&format!("it was cancelled{why}")).done(),
                    effects: Vec::new(),
                })
            }
            TaskState::Cancelled { .. } => Ok(TaskDecision::default()),
            TaskState::Completed { .. } | TaskState::Failed { .. } | TaskState::DeadLetter { .. } => Err(self.closed()),
        }
    }
}
