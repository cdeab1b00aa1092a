//! Which queued tasks are kept for their last holder, and until when.

use std::collections::{BTreeMap, BTreeSet};

use crate::ids::{AgentId, TaskId};
use crate::time::Timestamp;

/// Tasks that are kept for somebody: until the end of the hold, or as long as the last holder is present.
#[derive(Debug, Clone, Default)]
pub(super) struct Holds {
    by_end: BTreeSet<(Timestamp, TaskId)>,
    by_holder: BTreeMap<AgentId, BTreeMap<TaskId, Kept>>,
}

#[derive(Debug, Clone, Copy)]
struct Kept {
    until: Timestamp,
    ends: Timestamp,
}

impl Holds {
    /// A task is kept until then, and not longer than its holder is present.
    pub(super) fn keep(&mut self, task: &TaskId, holder: &AgentId, until: Timestamp, present_until: Timestamp) {
        let ends = until.min(present_until);
        self.by_end.insert((ends, task.clone()));
        self.by_holder.entry(holder.clone()).or_default().insert(task.clone(), Kept { until, ends });
    }

    pub(super) fn drop(&mut self, task: &TaskId, holder: &AgentId) {
        let Some(kept) = self.by_holder.get_mut(holder) else { return };
        if let Some(Kept { ends, .. }) = kept.remove(task) {
            self.by_end.remove(&(ends, task.clone()));
        }
        if kept.is_empty() {
            self.by_holder.remove(holder);
        }
    }

    /// A holder was seen, or is gone: it is present until then.
    pub(super) fn seen(&mut self, holder: &AgentId, present_until: Timestamp) {
        for (task, kept) in self.by_holder.get_mut(holder).into_iter().flatten() {
            let ends = kept.until.min(present_until);
            if ends != kept.ends {
                self.by_end.remove(&(kept.ends, task.clone()));
                self.by_end.insert((ends, task.clone()));
                kept.ends = ends;
            }
        }
    }

    pub(super) fn of(&self, holder: &AgentId) -> impl Iterator<Item = &TaskId> {
        self.by_holder.get(holder).into_iter().flat_map(BTreeMap::keys)
    }

    pub(super) fn holders(&self) -> Vec<AgentId> {
        self.by_holder.keys().cloned().collect()
    }

    pub(super) fn next_end(&self) -> Option<Timestamp> {
        self.by_end.first().map(|(ends, _)| *ends)
    }

    pub(super) fn over(&self, now: Timestamp) -> Option<TaskId> {
        self.by_end.first().filter(|(ends, _)| *ends <= now).map(|(_, task)| task.clone())
    }
}
