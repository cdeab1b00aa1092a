//! Why a review says no.

use thiserror::Error;

use super::state::Review;

/// The refusal of a command by a review, which it leaves as it was.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ReviewRefusal {
    /// The task was never handed in.
    #[error("task `{task}` was not submitted for review yet")]
    NoReview { task: String },
    #[error("comment `{comment}` does not exist, or is not about your work")]
    CommentNotFound { comment: String },
    /// It has as much as it may hold.
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
    /// Changes are wanted, and none is named.
    #[error("`comments` must name at least one change, unless a comment is open already")]
    NoWish,
}

impl ReviewRefusal {
    pub const fn code(&self) -> &'static str {
        match self {
            Self::NoReview { .. } => "REVIEW_NOT_FOUND",
            Self::CommentNotFound { .. } => "COMMENT_NOT_FOUND",
            Self::Full { .. } => "REVIEW_FULL",
            Self::HandedInAgain { .. } => "REVIEW_CHANGED",
            Self::NothingToReview => "NOTHING_TO_REVIEW",
            Self::NoWish => "COMMENT_MISSING",
        }
    }
}
