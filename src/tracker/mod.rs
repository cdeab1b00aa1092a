//! The tracker port, outward: what agents say on the work item that their session is linked to.
//!
//! ```text
//!   question asked, resolved ──► a row of the outbox, in the append ──► TrackerDestination ──► GitHub, or a webhook
//!   comment, completion      ──►                                         (finds its comment by its mark,
//!                                                                         writes it, or brings it up to date)
//! ```
//!
//! GitHub knows no idempotency keys. So each comment carries a mark that people do not see, made from what it says or
//! from its question, and it is looked for before it is written: a send whose answer was lost doubles nothing, and a
//! question has one comment, which is brought up to date once it is resolved. The mark also tells the hub's own
//! comments from those of people when they come back by webhook: see [`is_own`](crate::domain::hook::is_own).
//!
//! The tracker `builtin` sends nothing: every task has its thread of comments in the hub.

mod adapter;
mod comment;
mod destination;
mod github;
mod load;
mod text;
mod token;

#[cfg(test)]
mod tests;
#[cfg(test)]
mod webhook_tests;

pub use destination::TrackerDestination;
pub use load::Tracker;
