//! What happened to a review, as the journal keeps it: in the stream of its task.

use serde::{Deserialize, Serialize};

use super::state::{ReviewComment, Round, Verdict, Withdrawal};
use crate::ids::CommentId;
use crate::task::Origin;

/// What happened. The moment stands beside it in the journal's entry.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ReviewRecord {
    /// The work was handed in; the first of these begins the review.
    Submitted { round: Box<Round> },
    /// Somebody said something without a verdict.
    Commented { comment: Box<ReviewComment> },
    /// Somebody settled a thread.
    Resolved { comment: CommentId, by: Origin, response: Option<String> },
    /// A reviewer agreed.
    Approved { verdict: Verdict },
    ChangesRequested {
        verdict: Verdict,
        /// What is to change, beside the threads that are open already.
        comments: Vec<ReviewComment>,
    },
    /// What this login had approved on the forge was dismissed there.
    TakenBack { login: String },
    /// Nobody needs to judge it any more.
    Withdrawn { why: Withdrawal },
}
