//! What may be said to the outbox.

use ractor::RpcReplyPort;
use thiserror::Error;

use crate::actors::common::{Fault, Portrait};
use crate::domain::outbox::{Delivery, DeliveryId, DeliveryRefusal, SendOutcome};
use crate::domain::principal::By;

/// A message to the outbox.
#[derive(Debug)]
pub enum OutboxMessage {
    /// Something that must go out is on disk.
    Written,
    /// This came of sending one.
    Settled {
        /// Which.
        id: DeliveryId,
        /// What.
        outcome: SendOutcome,
    },
    /// A person orders something of one.
    Order {
        /// Which.
        id: DeliveryId,
        /// What.
        order: OutboxOrder,
        /// Who, and where.
        by: By,
        /// The request, for logs and events.
        request: Option<String>,
        /// Where to: the delivery after it.
        reply: RpcReplyPort<Result<Delivery, OrderError>>,
    },
    /// The time has come for something.
    Tick,
    /// Draw yourself.
    Portrait {
        /// Where to.
        reply: RpcReplyPort<Portrait>,
    },
}

/// What a person orders.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OutboxOrder {
    /// Send it now.
    Retry,
    /// Do not send it.
    Drop {
        /// Why.
        reason: String,
    },
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
    /// The world's.
    #[error(transparent)]
    Fault(#[from] Fault),
}
