//! What a terminal answers to those who read it: what was printed, the transcript, the view, the picture of the actor.

use serde_json::json;

use super::message::Updates;
use super::state::State;
use super::view::{TerminalView, Transcript};
use crate::actors::common::ActorView;
use crate::domain::terminal::{holds_up, takes_answer};
use crate::domain::text::clean;

impl State {
    pub(super) fn read(&self, since: Option<u64>, most: usize) -> Updates {
        let extract = self.recent.since(since.unwrap_or_default(), most);
        let text = String::from_utf8_lossy(&extract.bytes);
        Updates {
            text: clean(&text, usize::MAX).text,
            position: extract.position,
            more: extract.more,
            missed: if since.is_some() { extract.missed } else { 0 },
        }
    }

    pub(super) fn transcript(&self) -> Transcript {
        let terminal = self.watch.terminal();
        let first_line = terminal.history().dropped() + 1;
        Transcript::of(self.spec.id.to_string(), self.recent.end(), first_line, &terminal.transcript(), terminal)
    }

    pub(super) fn view(&self) -> TerminalView {
        let shown = self.prompting.shown();
        TerminalView {
            input_prompt: shown.map(|shown| shown.prompt.clone()),
            waits_since: shown.map(|shown| shown.since),
            takes_answer: self.hosting.input_writer().is_some()
                && shown.is_some_and(|shown| takes_answer(&shown.prompt, self.host)),
            holds_up: self.hosting.is_there()
                && shown.is_some_and(|shown| {
                    let talks = self.hosting.reader().is_some();
                    holds_up(&shown.prompt, self.host, talks)
                }),
            ..TerminalView::of(&self.spec, self.recent.end(), self.updated_at)
        }
    }

    pub(super) fn actor_view(&self) -> ActorView {
        let mut actor_view =
            ActorView::of(format!("terminal:{}", self.spec.id), "terminal", &self.mailbox_metrics, self.started_at);
        let shown = self.prompting.shown().map(|shown| shown.prompt.prompt_type.as_str());
        actor_view.state = match (shown, &self.lost) {
            (_, Some(why)) => format!("lost: {why}"),
            (Some(kind), None) => format!("waits: {kind}"),
            (None, None) => "runs".to_owned(),
        };
        actor_view.deadline = self.timer.armed();
        let terminal = self.watch.terminal();
        actor_view.detail = json!({
            "kind": self.spec.kind,
            "agentId": self.spec.agent,
            "owner": self.spec.owner,
            "filePosition": self.recent.end(),
            "rows": terminal.size().rows(),
            "cols": terminal.size().cols(),
            "lines": terminal.history().len(),
            "historyBytes": terminal.history().memory(),
            "rests": self.rest.is_resting(),
            "readers": self.waiters.len(),
            "takesInput": self.hosting.input_writer().is_some(),
            "takesNotices": self.hosting.reader().is_some(),
            "updatedAt": self.updated_at,
        });
        actor_view
    }
}
