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
    /// This came of sending one.
    Settled {
        id: DeliveryId,
        outcome: SendOutcome,
    },
    /// A person orders something of one.
    Order {
        asked: Box<OrderRequest>,
        /// Where to: the delivery after it.
        reply: RpcReplyPort<Result<Ordered, OrderError>>,
    },
    Tick,
    ActorView {
        reply: RpcReplyPort<ActorView>,
    },
}

/// An order of a person, on its way in.
#[derive(Debug)]
pub struct OrderRequest {
    pub id: DeliveryId,
    /// What is to be done with it.
    pub order: OutboxOrder,
    /// Who, and where.
    pub by: By,
    pub request: Option<String>,
    /// The caller's key.
    pub key: Option<OrderKey>,
}

/// A caller's key, written with the deed itself.
#[derive(Debug)]
pub struct OrderKey {
    /// The key, with a digest of what is asked.
    pub key: IdempotencyKey,
    /// What a repeat is answered with.
    pub receipt: fn(&Delivery) -> Value,
}

/// What came of an order.
#[derive(Debug)]
pub enum Ordered {
    /// The delivery after it; on disk.
    Now(Delivery),
    /// It was given before under the same key: its receipt.
    Before(Value),
}

/// What a person orders.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OutboxOrder {
    /// Send it now.
    Retry,
    /// Do not send it.
    Drop { reason: String },
}

/// Why an order is not followed.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum OrderError {
    /// There is no such delivery.
    #[error("there is no delivery `{0}`")]
    Unknown(DeliveryId),
    /// Its state does not admit it.
    #[error(transparent)]
    Refused(#[from] DeliveryRefusal),
    /// The key was used before for another request.
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
