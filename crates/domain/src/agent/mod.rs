//! An agent: a registered worker, what it has not heard yet, and whether it was sent away.
//!
//! ```text
//!  unknown ──register──► registered ◄──register (again: the same agent, its tasks and its session)──┐
//!                            │                                                                       │
//!                            └──evict──► evicted ──its next wait hears it, then register ────────────┘
//! ```
//!
//! Only this is journaled. Whether an agent waits, when it was last heard, and what it holds is derived: a parked wait
//! dies with its connection, and what is held is what tasks say.

mod answers;
mod apply;
mod client;
mod command;
mod decide;
mod presence;
mod record;
mod refusal;
mod standing;
mod state;
mod typing;
mod unread;
mod view;
mod wait;

#[cfg(test)]
mod tests;

pub use answers::Answered;
pub use client::{ClientDoor, DeclaredClient, WaitTolerance, WakeWay};
pub use command::{AgentCommand, Claim};
pub use decide::AgentDecision;
pub use presence::{Availability, Departure, DepartureKind, Presence};
pub use record::AgentRecord;
pub use refusal::AgentRefusal;
pub use state::{Agent, Eviction, EvictionAction, Notice, NoticeKind, Registration, Typing, TypingStage};
pub use typing::{HOST_ANSWERS_WITHIN, ToType};
pub use unread::{CallId, Carried, Unread};
pub use view::{AgentView, ClientView};
pub use wait::{HeldState, Load, Pending, WaitOver};
