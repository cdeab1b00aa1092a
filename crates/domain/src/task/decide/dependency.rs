//! A task that this one depends on moved.

use super::super::query::WaitsFor;
use super::super::spec::Dependency;
use super::prelude::*;
use crate::agent::Notice;
use crate::ids::TaskId;

impl Task {
    /// Only a task that still waits for its dependencies cares. One that was met stays met: COMPLETED is for good.
    pub(super) fn dependency_moved(
        &self,
        now: Timestamp,
        dependency: &TaskId,
        how: &Dependency,
        cause: &Cause,
    ) -> TaskDecision {
        match &self.state {
            TaskState::Blocked { on: BlockedOn::Dependencies | BlockedOn::DependencyFailed { .. }, .. } => {}
            TaskState::Blocked { on: BlockedOn::Answer { .. }, .. }
            | TaskState::Queued { .. }
            | TaskState::Assigned { .. }
            | TaskState::InProgress { .. }
            | TaskState::InReview { .. }
            | TaskState::Timeout { .. }
            | closed!() => return TaskDecision::default(),
        }
        let moves = match self.dependencies.get(dependency) {
            None | Some(Dependency::Met { .. }) => false,
            Some(before @ (Dependency::Pending | Dependency::Failed { .. })) => before != how,
        };
        if !moves {
            return TaskDecision::default();
        }
        let record = TaskRecord::DependencyMoved { task: dependency.clone(), now: how.clone() };
        let mut after = self.clone();
        after.apply(now, &record);
        let notices = if matches!(how, Dependency::Failed { .. }) {
            asker_hears_of(self, &after, now, cause)
        } else {
            Vec::new()
        };
        TaskDecision { records: vec![record], notices, effects: Vec::new() }
    }
}

/// The asker hears that the task cannot begin before somebody acts.
pub(super) fn asker_hears_of(task: &Task, after: &Task, now: Timestamp, cause: &Cause) -> Vec<(AgentId, Notice)> {
    let Some(repair @ WaitsFor::Repair { .. }) = after.waits_for() else { return Vec::new() };
    Notices::new(task, now, cause).asker(format!("{} is BLOCKED: {repair}", task.called())).done()
}
