//! A service: a loop that runs for as long as the hub does, as a connection to somebody outside.
//!
//! The loop is a future of its own beside the actor, since it waits for the world and not for a mailbox; the actor
//! shows it, and ends with it. A loop that returns or panics is begun anew by the supervisor, after a pause that grows
//! with each failure. Whatever it must remember it keeps outside.

mod actor;

pub use actor::{Look, Service, ServiceActor, ServiceArgs, ServiceMessage};
