//! The messages of the outbox.

use ractor::RpcReplyPort;
use serde_json::Value;
use thiserror::Error;

use crate::actors::common::{ActorView, Fault};
use crate::actors::journal::RecallError;
use crate::domain::outbox::{Delivery, DeliveryId, DeliveryRefusal, SendOutcome};
use crate::domain::principal::By;
use crate::journal::IdempotencyKey;

#[derive(Debug)]
pub enum OutboxMessage {
    /// Something that must go out is on disk.
    Written,
    Settled {
        id: DeliveryId,
        outcome: SendOutcome,
    },
    Order {
        asked: Box<OrderRequest>,
        reply: RpcReplyPort<Result<Ordered, OrderError>>,
    },
    Tick,
    ActorView {
        reply: RpcReplyPort<ActorView>,
    },
}

#[derive(Debug)]
pub struct OrderRequest {
    pub id: DeliveryId,
    pub order: OutboxOrder,
    pub by: By,
    pub request: Option<String>,
    pub key: Option<OrderKey>,
}

#[derive(Debug)]
pub struct OrderKey {
    pub key: IdempotencyKey,
    /// What a repeat is answered with.
    pub receipt: fn(&Delivery) -> Value,
}

#[derive(Debug)]
pub enum Ordered {
    /// The delivery after it; on disk.
    Now(Delivery),
    /// It was given before under the same key: its receipt.
    Before(Value),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OutboxOrder {
    Retry,
    Drop { reason: String },
}

#[derive(Debug, Clone, PartialEq, Error)]
pub enum OrderError {
    #[error("there is no delivery `{0}`")]
    Unknown(DeliveryId),
    #[error(transparent)]
    Refused(#[from] DeliveryRefusal),
    #[error("this idempotency key was used before, for another request: choose a new one")]
    KeyReused,
    #[error(transparent)]
    Fault(#[from] Fault),
}

impl From<RecallError> for OrderError {
    fn from(error: RecallError) -> Self {
        match error {
            RecallError::KeyReused => Self::KeyReused,
            RecallError::Read(error) => Self::Fault(error.into()),
        }
    }
}
