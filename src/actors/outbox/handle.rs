//! The typed door to the outbox.

use super::message::{OrderError, OutboxMessage, OutboxOrder};
use crate::actors::common::Line;
use crate::domain::outbox::{Delivery, DeliveryId};
use crate::domain::principal::By;

/// A line to the outbox.
#[derive(Debug, Clone)]
pub struct OutboxRef(Line<OutboxMessage>);

impl OutboxRef {
    /// Wraps a line.
    #[must_use]
    pub const fn new(line: Line<OutboxMessage>) -> Self {
        Self(line)
    }

    /// Says that something that must go out is on disk.
    pub fn written(&self) {
        self.0.tell(OutboxMessage::Written);
    }

    /// Orders something of a delivery; on disk once this returns.
    ///
    /// # Errors
    /// When there is no such delivery, its state does not admit it, or the outbox is busy or gone.
    pub async fn order(
        &self,
        id: DeliveryId,
        order: OutboxOrder,
        by: By,
        request: Option<String>,
    ) -> Result<Delivery, OrderError> {
        self.0.ask(|reply| OutboxMessage::Order { id, order, by, request, reply }).await?
    }
}
