//! One lane: the queued tasks of one target, by class and age.

use std::collections::BTreeSet;

use crate::ids::TaskId;
use crate::task::Priority;
use crate::time::Timestamp;

/// Queued tasks of one target. Within a class the oldest comes first.
#[derive(Debug, Clone, Default)]
pub(super) struct Lane {
    normal: BTreeSet<(Timestamp, TaskId)>,
    high: BTreeSet<(Timestamp, TaskId)>,
    critical: BTreeSet<(Timestamp, TaskId)>,
}

impl Lane {
    pub(super) fn insert(&mut self, priority: Priority, created_at: Timestamp, id: TaskId) {
        self.class(priority).insert((created_at, id));
    }

    pub(super) fn remove(&mut self, priority: Priority, created_at: Timestamp, id: &TaskId) {
        self.class(priority).remove(&(created_at, id.clone()));
    }

    pub(super) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(super) fn len(&self) -> usize {
        self.normal.len() + self.high.len() + self.critical.len()
    }

    /// The oldest task of each class that may be taken: the lane's best is among them, since age raises a task's class.
    pub(super) fn heads(&self, may_take: impl Fn(&TaskId) -> bool) -> impl Iterator<Item = &TaskId> {
        [&self.critical, &self.high, &self.normal]
            .into_iter()
            .filter_map(move |class| class.iter().map(|(_, id)| id).find(|id| may_take(id)))
    }

    /// Every task, the most urgent class first.
    pub(super) fn ids(&self) -> impl Iterator<Item = &TaskId> {
        [&self.critical, &self.high, &self.normal].into_iter().flatten().map(|(_, id)| id)
    }

    fn class(&mut self, priority: Priority) -> &mut BTreeSet<(Timestamp, TaskId)> {
        match priority {
            Priority::Normal => &mut self.normal,
            Priority::High => &mut self.high,
            Priority::Critical => &mut self.critical,
        }
    }
}
