//! The typed door to the outbox.

use super::message::{OrderError, OrderRequest, Ordered, OutboxMessage};
use crate::actors::common::ActorHandle;

#[derive(Debug, Clone)]
pub struct OutboxRef(ActorHandle<OutboxMessage>);

impl OutboxRef {
    pub const fn new(line: ActorHandle<OutboxMessage>) -> Self {
        Self(line)
    }

    pub fn written(&self) {
        self.0.tell(OutboxMessage::Written);
    }

    /// Orders something of a delivery; on disk with its key once this returns. Fails when there is none, its state does
    /// not admit it, its key was used for another request, or the outbox is busy or gone.
    pub async fn order(&self, asked: OrderRequest) -> Result<Ordered, OrderError> {
        self.0.ask(|reply| OutboxMessage::Order { asked: Box::new(asked), reply }).await?
    }
}
