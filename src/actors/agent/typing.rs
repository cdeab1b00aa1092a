//! What the agent does not fetch is typed into its terminal. The agent writes down each step: one append has both, that
//! the terminal types and that the notice is on its way.

use std::collections::BTreeSet;

use super::message::{AgentError, TypingOrder};
use super::perform::Beside;
use super::state::State;
use crate::domain::agent::{AgentCommand, ToType, TypingStage};
use crate::domain::ids::NoticeId;
use crate::domain::session::question::{AnswerRoute, Delivery};
use crate::domain::terminal::{OrderEnd, TerminalRecord};
use crate::journal::Entry;

impl State {
    /// What may be typed: nothing while it waits, for then it hears by that.
    pub(super) fn to_type(&self) -> ToType {
        if self.waiter.is_some() || self.draining {
            return ToType::Nothing;
        }
        let told: BTreeSet<NoticeId> = self.unread.shown().cloned().collect();
        let after = self.settings.borrow().hub.notices.type_after;
        self.agent.to_type(self.clock.now(), self.quiet_since, after, &told)
    }

    /// A notice is about to be typed: on disk before the host hears of it.
    pub(super) async fn order_typing(&mut self, order: TypingOrder) -> Result<bool, AgentError> {
        let TypingOrder { terminal, notice, whole, input } = order;
        if self.waiter.is_some() || self.draining || self.unread.is_shown(&notice) {
            return Ok(false);
        }
        let now = self.clock.now();
        let command = AgentCommand::Type { id: notice, order_id: input.order_id.clone(), whole };
        let decision = self.agent.decide(now, &command)?;
        if decision.records.is_empty() {
            return Ok(false);
        }
        let record = TerminalRecord::InputOrdered { agent: Some(self.agent.id.clone()), order: Box::new(input) };
        let entries = vec![Entry::of_terminal(&terminal, record)];
        self.write_down(now, &command, &decision, self.beside(entries)).await?;
        Ok(true)
    }

    /// What the host says. What was typed and cannot be written down is told by the next call, but never typed again.
    pub(super) async fn end_typing(&mut self, order: TypingOrder, done: OrderEnd) {
        let TypingOrder { terminal, notice, input, .. } = order;
        let now = self.clock.now();
        let stage = match &done {
            OrderEnd::Delivered => TypingStage::Typed,
            OrderEnd::Declined(_) => TypingStage::Declined,
            OrderEnd::Undelivered(_) => TypingStage::Undelivered,
        };
        let command = AgentCommand::EndTyping { id: notice.clone(), order_id: input.order_id.clone(), stage };
        let Ok(decision) = self.agent.decide(now, &command) else { return };
        let agent = Some(self.agent.id.clone());
        let record = TerminalRecord::of_end(agent, input, done);
        let mut entries = vec![Entry::of_terminal(&terminal, record)];
        let open = self.agent.typing.get(&notice).filter(|typing| typing.whole && !decision.records.is_empty());
        if stage == TypingStage::Typed && open.is_some() {
            let typed = BTreeSet::from([notice]);
            let moved = self.agent.answers_among(&typed, Delivery::Delivered, |_| Some(AnswerRoute::Terminal));
            entries.extend(self.answered(moved));
        }
        if let Err(error) = self.write_down(now, &command, &decision, self.beside(entries)).await {
            self.refusals.note(now, "UNAVAILABLE", error.to_string());
        }
    }

    fn beside(&self, entries: Vec<Entry>) -> Beside {
        Beside { by: self.hub.clone(), request: None, idempotency: None, entries }
    }
}
