//! What an agent may do: one verb, one file, the same on every door.
//!
//! A verb knows nothing of MCP or HTTP. It gets a [`Caller`], whose identity comes from a credential, and arguments; it
//! gives a [`Reply`] or a [`Refusal`], which each door writes out in its own way. The input and output schemas are
//! generated from the types that read and write them.

mod caller;
mod refusal;
mod reply;

pub use caller::Caller;
pub use refusal::Refusal;
pub use reply::Reply;
