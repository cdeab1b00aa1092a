//! The tickets: calls whose answer is fetched later, for clients that rather ask again than keep a stream open.
//!
//! One actor holds all of them (`domain::ticket`). A ticket is on disk before its name leaves the hub, and its answer
//! before anybody reads it. The actor waits for nothing: whoever asks for a ticket waits, at the door, and tells the
//! actor what came.

mod actor;
mod handle;
mod message;
mod state;

pub use actor::TicketsActor;
pub use handle::TicketsRef;
pub use message::{TicketWatch, TicketsMessage};
