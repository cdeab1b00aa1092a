//! The one place that decides which parts of an append must reach the outside.
//!
//! What it answers is written in the same append, so no crash is between a change and what is told of it. Writes about
//! deliveries are not shown to it, or a dead letter about dead letters would never end.

use super::message::Waiting;
use crate::domain::outbox::NewDelivery;
use crate::journal::{Append, Row};

/// Who knows what must reach the outside. Called on the actor's own thread: must neither block nor wait.
pub trait Outlet: Send + Sync + 'static {
    fn outgoing(&self, append: &Append) -> Vec<NewDelivery>;
    /// Something that must go out is durable.
    fn written(&self);
}

/// An append with what must go out because of it.
pub(super) fn with_deliveries(outlet: Option<&dyn Outlet>, waiting: Waiting) -> Waiting {
    let Some(outlet) = outlet else { return waiting };
    let Waiting { mut append, asker } = waiting;
    // Without records it is no change, and has no number that a delivery could be named by.
    if !append.entries.is_empty() && !append.rows.iter().any(|row| matches!(row, Row::Delivery(_))) {
        let outgoing = outlet.outgoing(&append);
        append.rows.extend(outgoing.into_iter().map(|new| Row::Outgoing(Box::new(new))));
    }
    Waiting { append, asker }
}

/// Whether something must go out because of it.
pub(super) fn has_deliveries(append: &Append) -> bool {
    append.rows.iter().any(|row| matches!(row, Row::Outgoing(_)))
}
