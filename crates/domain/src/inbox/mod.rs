//! What needs a person: one list of questions, reviews, blocked tasks, dead letters, terminals, and what nobody heard.
//!
//! Each item says why it is there and what waiting costs: who waits, since when, what stands still behind it, and what
//! happens by itself, when. The order is a function of these and of the time, and of nothing else:
//!
//! ```text
//!  1. what happens by itself within minutes      the nearest deadline first
//!  2. what somebody waits for                    the urgent, the dangerous, the costly, the old
//!  3. what only lies there                       the urgent, the old
//! ```

mod agents;
mod behind;
mod deliveries;
mod item;
mod order;
mod page;
mod questions;
mod tasks;
mod terminals;
#[cfg(test)]
mod tests;
mod workflows;

pub use agents::{of_budget, of_limited, of_slot, of_unheard};
pub use behind::Behind;
pub use deliveries::of_delivery;
pub use item::{InboxAction, InboxCost, InboxItem, InboxKind};
pub use order::{DUE_SOON, order};
pub use page::{InboxCursor, page};
pub use questions::of_question;
pub use tasks::{of_abandoned, of_starving, of_task};
pub use terminals::{needs_somebody, of_terminal, prompt_of};
pub use workflows::{of_workflow, waited_for_by};
