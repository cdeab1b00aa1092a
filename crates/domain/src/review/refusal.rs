//! Why a review says no.

use thiserror::Error;

use super::state::Review;
use crate::names::codes;

/// The refusal of a command by a review, which it leaves as it was.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ReviewRefusal {
    #[error("task `{task}` was not submitted for review yet")]
    NoReview { task: String },
    #[error("comment `{comment}` does not exist, or is not about your work")]
    CommentNotFound { comment: String },
    #[error(
        "the review of task `{task}` is full: it has {} rounds, {} comments or {} bytes of them at the most",
        Review::ROUNDS,
        Review::COMMENTS,
        Review::TEXT
    )]
    Full { task: String },
    /// What the reviewer looked at is not what lies there now, or never was.
    #[error("you name round {seen} of task `{task}`, and its newest is round {newest}")]
    HandedInAgain {
        task: String,
        /// The round that the reviewer names.
        seen: u32,
        newest: u32,
    },
    #[error("`pr_id`, `pr_url` or `diff` is needed: what is the reviewer to look at?")]
    NothingToReview,
    #[error("`comments` must name at least one change, unless a comment is open already")]
    NoWish,
}

codes!(ReviewRefusal {
    NoReview = "REVIEW_NOT_FOUND", CommentNotFound = "COMMENT_NOT_FOUND", Full = "REVIEW_FULL",
    HandedInAgain = "REVIEW_CHANGED", NothingToReview = "NOTHING_TO_REVIEW", NoWish = "COMMENT_MISSING",
});
