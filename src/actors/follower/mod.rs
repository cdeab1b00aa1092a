//! Followers: readers of what happens that lose nothing, also over a crash of theirs or of the hub.
//!
//! ```text
//!  noticeboard ──► reader (a task; from the journal up to the live edge, then live) ──► actor ──► consumer
//! ```
//!
//! A follower knows its place: the number of the last event whose effect is durable. It reads on behind that place, so
//! each event is taken at least once and in order. A consumer that cannot take an event is given the same one again
//! after a pause; one that panics is built anew by the supervisor, from its place. None of that delays anybody: events
//! wait in the journal. `/admin/actors` shows each follower's place, how far it is behind, and its last error.
//!
//! Readers that live no longer than a connection (event streams, change notices of MCP) keep their place on their
//! side, and subscribe to the noticeboard directly.

mod actor;
mod consumer;
mod message;
mod reader;

pub use actor::{FollowerActor, FollowerArgs};
pub use consumer::{Consumer, Outcome};
pub use message::FollowerMessage;
