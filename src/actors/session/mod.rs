//! One session: an agent's working context, opened by its registration, with its status, open question and waiters.

mod actor;
mod handle;
mod message;
mod perform;
mod state;
mod turn;
mod view;
mod wait;

pub use actor::SessionActor;
pub use handle::SessionRef;
pub use message::{SessionError, SessionMessage, SessionOrder, SessionReceipt};
pub use view::SessionView;
