//! One agent: what it has not heard, what it holds, and at most one parked wait.

mod actor;
mod answers;
mod carried;
mod clients;
mod handle;
mod message;
mod notices;
mod once;
mod perform;
mod portrait;
mod state;
mod typing;
mod under_way;
mod wait;

pub use actor::{AgentActor, AgentArgs};
pub use handle::AgentRef;
pub use message::{
    AgentError, AgentMessage, AgentStanding, CallId, Called, Carried, ClientGone, Collected, EvictRequest, Held,
    HeldState, PostRequest, Profile, RegisterRequest, Registered, TypingOrder, WaitEnd, WaitRequest,
};
