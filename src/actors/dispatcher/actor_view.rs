//! The dispatcher's picture of itself.

use serde_json::json;

use super::state::State;
use crate::actors::common::ActorView;

impl State {
    pub(super) fn actor_view(&self) -> ActorView {
        let mut actor_view = ActorView::of("dispatcher", "dispatcher", &self.mailbox_metrics, self.started_at);
        if self.draining {
            "draining".clone_into(&mut actor_view.state);
        }
        actor_view.deadline = self.timer.armed();
        actor_view.last_refusals = self.refusals.list();
        let offering = self.tasks.values().filter(|entry| entry.offering.is_some()).count();
        actor_view.detail = json!({
            "counts": self.counts(),
            "offering": offering,
            "tasksWaitedFor": self.dependents.len(),
        });
        actor_view
    }
}
