//! The dispatcher: who gets what.
//!
//! It knows where every open task and every agent is, owns all queues through the pure
//! [`crate::domain::routing::matching`], and orders tasks to offer themselves. It decides nothing durable: a crash of
//! it loses only what agents and tasks tell it again. It writes nothing that it waits for, and reads from the journal
//! in two places alone: the dependencies of a new task, where they are closed, and an agent that is hired.

mod actor;
mod assign;
mod dependencies;
mod handle;
mod message;
mod overview;
mod perform;
mod portrait;
mod roster;
mod starving;
mod state;
mod why;

pub use actor::{DispatcherActor, DispatcherArgs};
pub use handle::DispatcherRef;
pub use message::{
    AgentHoldings, AgentLine, Asker, AssignError, AssignReceipt, AssignRefusal, AssignRequest, DispatcherMessage,
    QueueCounts, Why, WhyAgent,
};
pub use overview::{AgentCounts, Overview, Passed};
