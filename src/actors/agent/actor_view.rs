//! The agent's picture of itself.

use serde_json::json;

use super::state::State;
use crate::actors::common::ActorView;
use crate::domain::agent::HeldState;

impl State {
    pub(super) fn actor_view(&self) -> ActorView {
        let view = self.view();
        let mut actor_view =
            ActorView::of(format!("agent:{}", self.agent.id), "agent", &self.mailbox_metrics, self.started_at);
        actor_view.state = serde_json::to_value(view.availability)
            .ok()
            .and_then(|state| state.as_str().map(str::to_owned))
            .unwrap_or_default();
        actor_view.deadline = self.timer.armed();
        actor_view.last_refusals = self.refusals.list();
        let held: Vec<_> = self
            .held
            .values()
            .map(|held| {
                let how = match held.state {
                    HeldState::Offered => "offered",
                    HeldState::InProgress => "in progress",
                    HeldState::Blocked => "blocked",
                    HeldState::InReview => "in review",
                };
                json!({ "taskId": held.id, "how": how, "epoch": held.epoch })
            })
            .collect();
        actor_view.detail = json!({
            "role": view.role,
            "sessionId": view.session_id,
            "client": view.client,
            "waitLimitSeconds": self.tolerance.limit().map(|limit| limit.as_secs()),
            "waitingSince": view.waiting_since,
            "lastSeen": view.last_seen,
            "departedAt": view.departed_at,
            "connections": self.connections.len(),
            "held": held,
            "noticesNotHeard": self.agent.notices.len(),
            "noticesShown": self.unread.shown().len(),
            "evicted": self.agent.eviction,
        });
        actor_view
    }
}
