//! One session: an agent's working context, opened by its registration.

mod actor;
mod handle;
mod message;

pub use actor::{SessionActor, SessionArgs};
pub use handle::SessionRef;
pub use message::{SessionMessage, SessionView};
