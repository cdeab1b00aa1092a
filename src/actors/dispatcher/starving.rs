//! Work that nobody takes: said at once when nobody could ever take it, and again when it has waited for too long.
//!
//! Said as an event, once for each time a task is queued: people see it on the page and in `events`, and `why` tells
//! them more. Saying so must not hold up the queues, so it is written beside them; if the journal fails, a warning is
//! left in the log instead.

use std::collections::{BTreeMap, BTreeSet};

use super::actor::Desk;
use super::perform::queued_of;
use crate::actors::task::TaskSummary;
use crate::domain::ids::TaskId;
use crate::domain::time::Timestamp;
use crate::journal::{Append, Entry, HubRecord};

/// Queued tasks of which nothing was said yet, by the moment at which something will be.
#[derive(Debug, Default)]
pub(super) struct Watch {
    due: BTreeSet<(Timestamp, TaskId)>,
    by_task: BTreeMap<TaskId, Timestamp>,
}

impl Watch {
    pub(super) fn begin(&mut self, task: &TaskId, due: Timestamp) {
        if !self.by_task.contains_key(task) {
            self.by_task.insert(task.clone(), due);
            self.due.insert((due, task.clone()));
        }
    }

    pub(super) fn end(&mut self, task: &TaskId) {
        if let Some(due) = self.by_task.remove(task) {
            self.due.remove(&(due, task.clone()));
        }
    }

    pub(super) fn next(&self) -> Option<Timestamp> {
        self.due.first().map(|(due, _)| *due)
    }

    /// Those of whom it is time to speak. They stay known, so that nothing is said of them twice.
    fn take_due(&mut self, now: Timestamp) -> Vec<TaskId> {
        let mut due = Vec::new();
        while self.next().is_some_and(|at| at <= now) {
            due.extend(self.due.pop_first().map(|(_, task)| task));
        }
        due
    }
}

impl Desk {
    /// A task is queued: nobody could ever take it, or somebody should before long.
    pub(super) fn watch_for_starving(&mut self, summary: &TaskSummary) {
        let now = self.clock.now();
        let reachable = self.matching.reachable(&queued_of(summary));
        let patience = self.settings.borrow().hub.leases.starvation_after;
        self.starving.begin(&summary.id, if reachable { now + patience } else { now });
    }

    /// Says so of every task that has waited for too long.
    pub(super) fn report_starving(&mut self) {
        let now = self.clock.now();
        for id in self.starving.take_due(now) {
            let Some(summary) = self.tasks.get(&id).and_then(|entry| entry.summary.as_ref()) else { continue };
            let reachable = self.matching.reachable(&queued_of(summary));
            let reason = self.in_a_sentence(now, summary, reachable);
            self.write_beside(now, HubRecord::TaskStarving { task: id, reason });
        }
    }

    fn write_beside(&self, at: Timestamp, record: HubRecord) {
        let append = Append {
            at,
            by: self.hub.clone(),
            request: None,
            entries: vec![Entry::of_hub(record)],
            rows: Vec::new(),
            blobs: Vec::new(),
            idempotency: None,
            expects: Vec::new(),
        };
        let journal = self.journal.clone();
        #[expect(clippy::disallowed_methods, reason = "writes one remark and ends; nothing depends on it")]
        drop(tokio::spawn(async move {
            if let Err(fault) = journal.append(append).await {
                tracing::warn!("a remark on starving work could not be written down: {fault}");
            }
        }));
    }
}
