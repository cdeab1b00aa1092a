//! Work that nobody takes: said at once when nobody could ever take it, and again when it has waited for too long.
//!
//! Said as an event, once for each time a task is queued: people see it on the page and in `events`, and `why` tells
//! them more. Saying so must not hold up the queues, so it is written beside them; if the journal fails, a warning is
//! left in the log instead.

use super::perform::queued_of;
use super::state::State;
use crate::actors::task::TaskSummary;
use crate::domain::time::Timestamp;
use crate::journal::{Append, Entry, HubRecord};

impl State {
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
