//! One agent: its notices, the tasks that it holds, and at most one parked wait.

mod actor;
mod actor_view;
mod answers;
mod clients;
mod guard;
mod handle;
mod message;
mod notices;
mod once;
mod perform;
mod state;
mod typing;
mod wait;

pub use crate::domain::agent::{CallId, HeldState};
pub use actor::AgentActor;
pub use guard::AnswerGuard;
pub use handle::AgentRef;
pub use message::{
    AgentError, AgentMessage, AgentStanding, Awaited, Called, ClientGone, Collected, EvictRequest, Held, PostRequest,
    Profile, RegisterRequest, Registered, TypingOrder, WaitEnd, WaitRequest,
};
