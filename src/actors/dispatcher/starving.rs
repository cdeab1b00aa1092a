//! Reports tasks that nobody takes: at once where no agent ever could, and again when one has waited for too long.
//!
//! Written as an event beside the queues, once for each time a task is queued; if the journal fails, as a log warning.

use super::perform::queued_of;
use super::state::State;
use crate::actors::task::TaskSummary;
use crate::domain::ids::TaskId;
use crate::domain::task::TaskStateName;
use crate::domain::time::Timestamp;
use crate::journal::{Append, Entry, HubRecord};

/// The most remarks of one append.
const AT_ONCE: usize = 200;

impl State {
    /// A task is queued: nobody could ever take it, or somebody should before long.
    pub(super) fn watch_for_starving(&mut self, summary: &TaskSummary) {
        let now = self.clock.now();
        let reachable = self.matching.reachable(&queued_of(summary));
        let patience = self.settings.borrow().hub.leases.starvation_after;
        self.starving.begin(&summary.id, if reachable { now + patience } else { now });
    }

    pub(super) fn report_starving(&mut self) {
        let now = self.clock.now();
        let mut remarks = Vec::new();
        for id in self.starving.take_due(now) {
            let Some(summary) = self.tasks.get(&id).and_then(|entry| entry.summary.as_ref()) else { continue };
            let reachable = self.matching.reachable(&queued_of(summary));
            let reason = self.in_a_sentence(now, summary, reachable);
            remarks.push(Entry::of_hub(HubRecord::TaskStarving { task: id, reason }));
        }
        // After a start they may be thousands: not one append for each.
        while !remarks.is_empty() {
            let rest = remarks.split_off(AT_ONCE.min(remarks.len()));
            self.write_beside(now, std::mem::replace(&mut remarks, rest));
        }
    }

    pub(super) fn starving(&self) -> Vec<(TaskId, bool)> {
        let patience = self.settings.borrow().hub.leases.starvation_after;
        let now = self.clock.now();
        let is_so = |id: &TaskId| {
            let summary = self.tasks.get(id)?.summary.as_ref().filter(|it| it.state == TaskStateName::Queued)?;
            let reachable = self.matching.reachable(&queued_of(summary));
            // Somebody who fits came since, and has the same time to take it.
            let is_new = reachable && now.since(summary.spec.created_at) < patience;
            (!is_new).then(|| (id.clone(), reachable))
        };
        self.starving.said().filter_map(is_so).collect()
    }

    fn write_beside(&self, at: Timestamp, remarks: Vec<Entry>) {
        let append = Append::new(at, self.hub.clone(), remarks);
        let journal = self.journal.clone();
        #[expect(clippy::disallowed_methods, reason = "writes one remark and ends; nothing depends on it")]
        drop(tokio::spawn(async move {
            if let Err(fault) = journal.append(append).await {
                tracing::warn!("a remark on starving work could not be written down: {fault}");
            }
        }));
    }
}
