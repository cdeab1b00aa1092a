//! The tickets: calls whose answer is fetched later, for clients that rather ask again than keep a stream open.
//!
//! A ticket is on disk before its name leaves the hub, and its answer before anybody reads it (`domain::ticket`).
//! Callers wait at the door, not in the actor.

mod actor;
mod handle;
mod message;
mod state;

pub use actor::TicketsActor;
pub use handle::TicketsRef;
pub use message::{TicketWatch, TicketsMessage};
