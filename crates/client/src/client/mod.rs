//! The hub, as its command line sees it: HTTP, with a token that a file holds.
//!
//! - `find`: which hub, and with whose token;
//! - `nodes`: several addresses, of which one is the hub that owns the journal;
//! - `token`: a token that may be rotated while it is used;
//! - `request`: one question, asked again with the same key when the connection was lost;
//! - `refusal`: what the hub's no means to whoever typed the command;
//! - `socket`: a WebSocket;
//! - `calls`: requests as another caller;
//! - `stream` and `sse`: events as they happen, going on where a lost connection left off.

mod calls;
mod find;
mod nodes;
mod refusal;
mod request;
mod socket;
mod sse;
mod stream;
#[cfg(test)]
mod tests;
mod token;

pub use calls::HubCalls;
pub use find::{HubClient, HubPlace, address_of, loopback};
pub use nodes::is_not_owner;
pub use refusal::Unheard;
pub use request::Words;
pub use socket::{HubSocket, NoSocket};
pub use sse::events as sse_events;
pub use stream::StreamItem;
