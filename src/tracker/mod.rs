//! The tracker port, outward: what agents say on the work item that their session is linked to.
//!
//! ```text
//!   question asked, resolved ──► a row of the outbox, in the append ──► TrackerDestination ──► GitHub, or a webhook
//!   comment, completion      ──►                                         (finds its comment by its mark,
//!                                                                         writes it, or brings it up to date)
//! ```
//!
//! GitHub knows no idempotency keys. So what is to be written is remembered in the journal before it goes out
//! ([`remember_own`](crate::webhooks::remember_own)): then an earlier attempt may have left it, and the newest comments
//! are looked through for one of exactly this text by the token's own account. Where a comment stands is remembered
//! after, so a question has one comment, which is updated by its id; what people wrote is never touched. The same
//! memory tells the hub's own comments from those of people when they come back by webhook.
//!
//! Who wrote a comment that answered nothing, and might have answered, is told so there: once for each question. The
//! tracker `builtin` sends nothing: every task has its thread of comments in the hub.

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
