//! The pure heart: what may happen to an agent, a task, a session, and what follows from it.
//!
//! Nothing here reads a clock, makes an id, or touches a disk or socket: time and ids are arguments. Each machine has
//! the same two functions:
//!
//! - `decide(&self, now, &command) -> Result<Decision, Refusal>` changes nothing. It says which *records* are to be
//!   kept and which *effects* follow once they are on disk.
//! - `apply(&mut self, &record)` cannot fail. Life and replay share it, so the state after a restart is the state
//!   before it (invariant J1).
//!
//! Three tenses: a command is an order (`Offer`), a record is past (`Offered`), an effect asks the world (`Deliver`).

pub use callboard_base::{ids, text, time};
pub use callboard_detect::{danger, lexicon, prompt};

pub mod agent;
pub mod discord;
pub mod hook;
pub mod inbox;
pub mod invariants;
mod names;
pub mod node;
pub mod on_call;
pub mod outbox;
pub mod permission;
pub mod principal;
pub mod pull;
pub mod refusal;
pub mod reminder;
pub mod review;
pub mod routing;
#[cfg(any(test, feature = "samples"))]
pub mod samples;
pub mod schedule;
pub mod session;
pub mod story;
pub mod task;
pub mod terminal;
pub mod ticket;
pub mod tool_call;
pub mod tool_rule;
pub mod tool_set;
pub mod trace;
pub mod webhook;
pub mod wire;
pub mod work_item;
pub mod workflow;
