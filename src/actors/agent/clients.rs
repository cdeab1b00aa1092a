//! The client programs that speak for an agent, and what follows when one of them goes away.
//!
//! An agent may have several connections at once (a proxy that reconnects early, a restarted client, a second window):
//! the end of one means that the agent is gone only when no other is open, and it was the client that works.

use super::message::ClientGone;
use super::state::State;
use crate::domain::agent::{CallId, Departure, DepartureKind, HeldState, WaitTolerance};
use crate::domain::task::ReturnReason;

impl State {
    /// A client is connected. One whose place another has taken speaks for the agent no more.
    pub(super) fn is_present(&mut self, instance: Option<String>, connection: CallId) {
        if self.agent.was_superseded(instance.as_deref()) {
            return;
        }
        self.presence.heard(self.clock.now());
        if !self.connections.iter().any(|(known, _)| *known == connection) {
            self.connections.push((connection, instance));
        }
    }

    pub(super) fn works_by(&mut self, instance: Option<&String>) {
        if self.worker.as_ref() != instance {
            self.worker = instance.cloned();
            self.tolerance = WaitTolerance::default();
        }
    }

    /// A client went away.
    pub(super) fn client_gone(&mut self, gone: &ClientGone) {
        self.connections.retain(|(known, _)| Some(*known) != gone.connection);
        let instance = gone.instance.as_deref();
        let registered = || self.agent.registration.as_ref()?.instance.as_deref();
        let works = self.worker.as_deref().or_else(registered).is_none_or(|worker| Some(worker) == instance);
        if !works || self.agent.was_superseded(instance) {
            return;
        }
        if gone.how == DepartureKind::Ended {
            self.nobody_acknowledges(instance);
        }
        let is_live = |(_, other): &(CallId, Option<String>)| !self.agent.was_superseded(other.as_deref());
        if !self.connections.iter().any(is_live) {
            self.presence.departs(Departure { at: self.clock.now(), how: gone.how });
        }
    }

    /// The client that waited is gone for good: its wait ends, and what it was offered goes to the next.
    fn nobody_acknowledges(&mut self, instance: Option<&str>) {
        if self.waiter.as_ref().is_some_and(|waiter| waiter.request.instance.as_deref() == instance) {
            self.unpark();
        }
        for (_, offered) in self.held.extract_if(.., |_, held| held.state == HeldState::Offered).collect::<Vec<_>>() {
            self.give_back(&offered.task, offered.epoch, ReturnReason::ConnectionLost);
        }
    }
}
