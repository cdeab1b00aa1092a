//! What stands still behind a task: every task that waits for it, and for those that wait for it.

use std::collections::{BTreeMap, BTreeSet};

use crate::ids::TaskId;
use crate::task::{BlockedOn, Task, TaskState};

/// Who waits for whom.
#[derive(Debug, Default)]
pub struct Behind {
    waiting: BTreeMap<TaskId, Vec<TaskId>>,
}

impl Behind {
    /// From the tasks that are BLOCKED; others wait for no task.
    pub fn of(tasks: &[Task]) -> Self {
        let mut waiting: BTreeMap<TaskId, Vec<TaskId>> = BTreeMap::new();
        for task in tasks {
            if let TaskState::Blocked { on: BlockedOn::Dependencies | BlockedOn::DependencyFailed { .. }, .. } =
                &task.state
            {
                for needed in task.unmet() {
                    waiting.entry(needed).or_default().push(task.id().clone());
                }
            }
        }
        Self { waiting }
    }

    /// How many tasks stand still until this one is done.
    pub fn count(&self, task: &TaskId) -> usize {
        let (mut seen, mut ahead) = (BTreeSet::new(), vec![task]);
        while let Some(task) = ahead.pop() {
            for behind in self.waiting.get(task).into_iter().flatten() {
                if seen.insert(behind) {
                    ahead.push(behind);
                }
            }
        }
        seen.len()
    }
}
