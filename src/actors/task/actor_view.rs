//! The task's picture of itself.

use serde_json::json;

use super::state::State;
use crate::actors::common::ActorView;

impl State {
    pub(super) fn actor_view(&self) -> ActorView {
        let mut actor_view = ActorView::of(format!("task:{}", self.id), "task", &self.mailbox_metrics, self.started_at);
        actor_view.deadline = self.timer.armed();
        actor_view.last_refusals = self.refusals.list();
        match &self.task {
            Some(task) => {
                actor_view.state = task.state.name().to_string();
                actor_view.detail = json!({
                    "target": task.spec.target.to_string(),
                    "priority": task.spec.priority,
                    "epoch": task.epoch,
                    "attempt": task.attempt_number(),
                    "holder": task.holder(),
                    "lastHolder": task.last_holder,
                    "waitsFor": task.unmet(),
                    "watchers": self.watchers.len(),
                    "updatedAt": task.updated_at,
                });
            }
            None => "beginning".clone_into(&mut actor_view.state),
        }
        actor_view
    }
}
