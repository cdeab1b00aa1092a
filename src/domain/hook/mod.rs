//! What forges and trackers tell the hub by webhook: a comment on a work item, or a change of a repository.
//!
//! How a sender writes it is read elsewhere; here is what it says, and what it means for whom.

mod heard;
mod meaning;

#[cfg(test)]
mod tests;

pub use heard::{Change, Heard, ItemComment, NamedIn, OWN_MARK, is_own};
pub use meaning::{Awaited, NoAnswer, meaning};
