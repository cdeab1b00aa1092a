//! The dispatcher's picture of itself.

use serde_json::json;

use super::state::State;
use crate::actors::common::Portrait;

impl State {
    pub(super) fn portrait(&self) -> Portrait {
        let mut portrait = Portrait::of("dispatcher", "dispatcher", &self.gauge, self.started_at);
        if self.draining {
            "draining".clone_into(&mut portrait.state);
        }
        portrait.deadline = self.bell.armed();
        portrait.last_refusals = self.refusals.list();
        let offering = self.tasks.values().filter(|entry| entry.offering.is_some()).count();
        portrait.detail = json!({
            "counts": self.counts(),
            "offering": offering,
            "tasksWaitedFor": self.dependents.len(),
        });
        portrait
    }
}
