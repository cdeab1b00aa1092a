//! What forges and trackers tell the hub by webhook: a comment on a work item, or a change of a repository.
//!
//! How a sender writes it is read elsewhere; here is what it says, and what it means for whom.

mod change;
mod event;
mod judgement;
mod meaning;

#[cfg(test)]
mod tests;

pub use change::{Change, PullSaid, SaidReview, Touched};
pub use event::{HookEvent, ItemComment, ReplyReason};
pub use judgement::{Judgement, NoJudgement, is_handed_in, judgement};
pub use meaning::{Awaited, NoAnswer, meaning};
