//! The dispatcher: who gets what.
//!
//! It knows every open task and agent, owns all queues through the pure [`crate::domain::routing::matching`], and
//! orders tasks to offer themselves. It decides nothing durable: agents and tasks tell it again after a crash. It never
//! waits for the disk: [`DispatcherRef`] reads the journal before it asks, and its own reads go beside it.

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
