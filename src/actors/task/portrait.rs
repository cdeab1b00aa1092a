//! The task's picture of itself.

use serde_json::json;

use super::state::State;
use crate::actors::common::Portrait;

impl State {
    pub(super) fn portrait(&self) -> Portrait {
        let mut portrait = Portrait::of(format!("task:{}", self.id), "task", &self.gauge, self.started_at);
        portrait.deadline = self.bell.armed();
        portrait.last_refusals = self.refusals.list();
        match &self.task {
            Some(task) => {
                portrait.state = task.state.name().to_string();
                portrait.detail = json!({
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
            None => "beginning".clone_into(&mut portrait.state),
        }
        portrait
    }
}
