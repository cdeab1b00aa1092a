//! The outbox: sends what must reach somebody outside the hub, until it has arrived or a person decides otherwise.
//!
//! ```text
//!  append ──► journal ──(asks each destination: what of this must go out?)──► one transaction: records and rows
//!                                                                                    │ "written"
//!  person ──► retry, drop ──────────────────────────────────────────► OUTBOX ◄───────┘
//!                                        lanes (domain::outbox)  ◄──┘   │ ▲ what came of it
//!                                                                       ▼ │
//!                                                    a task for each send: Destination::send, 30 s at most
//! ```
//!
//! *Rows are the truth.* The actor keeps only names and moments in memory. What came of a send is written before the
//! next of its lane begins; where the disk takes nothing, it is written later and nothing is sent again meanwhile.
//!
//! *Nobody waits for it:* no append, no other lane, no other destination. A destination has at most [`AT_ONCE`] sends
//! under way, and a send that hangs is given up after [`SEND_WITHIN`]. A crash between a send and its row has it sent
//! again, under the same key: the other side drops it by that.
//!
//! *Left out on purpose:* a destination that is no longer configured keeps its rows; a person may drop them.

mod actor;
mod destination;
mod handle;
mod hub_slot;
mod message;
mod orders;
mod perform;
mod state;

#[cfg(test)]
mod tests;

pub use actor::{OutboxActor, OutboxArgs};
pub use destination::{Destination, Destinations, DestinationsOutlet};
pub use handle::OutboxRef;
pub use hub_slot::HubSlot;
pub use message::{OrderError, OrderKey, OrderRequest, Ordered, OutboxMessage, OutboxOrder};
pub use perform::SEND_WITHIN;
pub use state::AT_ONCE;
