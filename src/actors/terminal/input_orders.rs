//! Orders to type into a hosted terminal, on their way to its host and back.
//!
//! ```text
//!  order ─► may it be typed? ─► `input_ordered` on disk ─► host ─┬─► `input_injected`: the program took it
//!                                                                ├─► `input_undelivered`: typed, and stands unsent
//!                                                                └─► `input_declined`: not typed
//! ```
//!
//! An order without any of them at its end went to a host that was lost: whether it was typed nobody knows.

use super::message::{Back, HostOrder, TypeOrder, TypeReply};
use super::state::State;
use crate::domain::terminal::{NotTyped, OrderEnd, TerminalRecord};
use crate::journal::{Append, Entry};

impl State {
    pub(super) async fn type_in(&mut self, order: TypeOrder, reply: TypeReply) {
        let TypeOrder { ask, order_id, by, request, key } = order;
        let seen = self.detect();
        let decided = ask.decide(order_id, seen.as_ref(), self.host);
        // A place is kept before it is written down: what is written down is handed on.
        let input_writer = self.hosting.input_writer().cloned();
        let place =
            input_writer.as_ref().and_then(|input_writer| input_writer.try_reserve().ok()).ok_or(NotTyped::NoTypist);
        let (place, order) = match place.and_then(|place| Ok((place, decided?.0))) {
            Ok(both) => both,
            Err(why) => {
                let _unheard = reply.send(Err(why.into()));
                return;
            }
        };
        let record = TerminalRecord::InputOrdered { agent: self.spec.agent.clone(), order: Box::new(order.clone()) };
        let idempotency = key.map(|key| key.keeps(serde_json::Value::String(order.order_id.clone())));
        let entries = vec![Entry::of_terminal(&self.spec.id, record)];
        let append =
            Append { request: request.clone(), idempotency, ..Append::new(self.clock.now(), by.clone(), entries) };
        match self.journal.append(append).await {
            Ok(_) => place.send(HostOrder { order, by, request, back: Back::Caller(reply) }),
            Err(error) => {
                let _unheard = reply.send(Err(error.into()));
            }
        }
    }

    /// The host says what came of an order. What was typed is typed, also where that cannot be written down.
    pub(super) async fn was_ordered(&mut self, order: HostOrder, done: OrderEnd) {
        let HostOrder { order, by, request, back } = order;
        let reply = match back {
            Back::Caller(reply) => reply,
            Back::Agent { agent, order } => {
                agent.end_typing(*order, done);
                return;
            }
        };
        let agent = self.spec.agent.clone();
        let record = TerminalRecord::of_end(agent, order.clone(), done.clone());
        if let Err(fault) = self.append(by, request, vec![record]).await {
            tracing::warn!("what came of order `{}` could not be written down: {fault}", order.order_id);
        }
        let _unheard = reply.send(match done {
            OrderEnd::Delivered => Ok(order),
            OrderEnd::Declined(why) => Err(NotTyped::Host(why).into()),
            OrderEnd::Undelivered(why) => Err(NotTyped::Undelivered(why).into()),
        });
    }
}
