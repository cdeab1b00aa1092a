//! Followers: readers of what happens that lose nothing, also over a crash of theirs or of the hub.
//!
//! ```text
//!  noticeboard ──► reader (a task; from the journal up to the live edge, then live) ──► actor ──► consumer
//! ```
//!
//! A follower's place is the number of the last event whose effect is durable. It reads on behind it, so each event is
//! taken at least once and in order. An event that cannot be taken comes again after a pause; a consumer that panics is
//! built anew from its place. Nobody waits for that: events lie in the journal. `/admin/actors` shows place, lag and
//! last error.
//!
//! Readers that live no longer than a connection (event streams, MCP) subscribe to the noticeboard directly.

mod actor;
mod consumer;
mod message;
mod reader;

pub use actor::{FollowerActor, FollowerArgs};
pub use consumer::{Consumer, Outcome};
pub use message::FollowerMessage;
