//! The dispatcher: who gets what.
//!
//! It knows where every open task and every agent is, owns all queues through the pure
//! [`crate::domain::routing::matching`], and orders tasks to offer themselves. It decides nothing durable: a crash of
//! it loses only what agents and tasks tell it again. It never waits for the disk: what it has to know of the
//! journal comes with the question ([`DispatcherRef`] reads it), and what it has to read by itself it reads beside.

mod actor;
mod actor_view;
mod agent_handle;
mod assign;
mod dependencies;
mod handle;
mod message;
mod overview;
mod perform;
mod roster;
mod starving;
mod state;
mod why;

pub use actor::DispatcherActor;
pub use agent_handle::{AgentHandle, AgentHoldings};
pub use handle::DispatcherRef;
pub use message::{
    Asker, AssignError, AssignReceipt, AssignRefusal, AssignRequest, DispatcherMessage, QueueCounts, Why, WhyAgent,
};
pub use overview::{AgentCounts, Overview, Passed};
