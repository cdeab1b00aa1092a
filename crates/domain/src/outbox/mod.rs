//! The outbox: what must reach somebody outside the hub, until it did or a person decides otherwise.
//!
//! ```text
//!                      ┌───────────── postponed (failed; again after a pause) ─────────────┐
//!                      ▼                                                                    │
//!   added ─────────► PENDING ───────────────── begun (due, first of its lane) ──────────► SENDING
//!   (in the append     │ ▲                                                                │   │
//!    of the change)    │ └─ retried, by a person ── DEAD_LETTER ◄── refused, or given up ─┘   │
//!                      │                                │                                     │
//!                      └────── dropped, by a person ────┴──► DROPPED        DELIVERED ◄───────┘
//! ```
//!
//! *Lanes.* A destination has many lanes (for a chat a channel, for a webhook its subscription and subject). Within a
//! lane the order is that of the journal, and one delivery is under way at a time; lanes do not hold each other up. A
//! dead letter frees its lane: what a person retries later is sent out of order, which that person decides.
//!
//! *Once.* A delivery may be sent more than once, for the answer to a send can be lost; each time it carries the same
//! idempotency key. The key follows from where the row was written, so a crash does not change it.
//!
//! *What is durable.* SENDING is never written: whoever starts anew finds PENDING and sends again under the same key.
//!
//! Invariant O1 (out-once): what was delivered or dropped stays so, and no step changes what a delivery says, where it
//! goes or its key ([`o1_out_once`]); and nothing is begun in a lane in which something is under way ([`Lanes`]).

mod backoff;
mod decide;
mod delivery;
mod lanes;

#[cfg(test)]
mod tests;

pub use backoff::{LONGEST_PAUSE, pause};
pub use decide::{DeliveryCommand, DeliveryRefusal, SendOutcome, o1_out_once};
pub use delivery::{Delivery, DeliveryId, DeliveryRecord, DeliveryState, DeliveryStateName, NewDelivery};
pub use lanes::{LaneKey, Lanes};
