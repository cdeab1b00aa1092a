//! What the hub's own review says of a pull request.
//!
//! An approval is of what was handed in: of this pull request, in the commit that it ended in then. Work that was
//! handed in as a diff, another pull request of the same task, and commits that were pushed since are none of it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::state::PullRequest;
use crate::domain::ids::SessionId;
use crate::domain::review::{Review, ReviewState, Round};

/// Where the hub's own review of a pull request stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum HubReview {
    /// It was not handed in.
    NotAsked,
    /// Its reviewer did not judge it yet.
    Open,
    /// Its reviewer wants changes.
    ChangesRequested,
    /// Its reviewer approved it as it is.
    Approved,
    /// Its reviewer approved it, and its branch moved on since.
    Outdated,
}

impl HubReview {
    /// What these reviews say of a pull request of this session that ends in this commit: the one in which it was
    /// handed in last.
    #[must_use]
    pub fn of(pull: &PullRequest, session: &SessionId, commit: &str, reviews: &[Review]) -> Self {
        let handed_in = reviews.iter().filter_map(|review| Some((handed_in(pull, session, review)?, review.state)));
        match handed_in.max_by_key(|(round, _)| round.at) {
            None | Some((_, ReviewState::Withdrawn)) => Self::NotAsked,
            Some((_, ReviewState::Open)) => Self::Open,
            Some((_, ReviewState::ChangesRequested)) => Self::ChangesRequested,
            Some((round, ReviewState::Approved)) => match &round.change.commit {
                Some(approved) if approved != commit => Self::Outdated,
                Some(_) | None => Self::Approved,
            },
        }
    }
}

/// The newest round of a review, where the pull request was handed in with it: by name, or, where neither a name nor a
/// diff was given, as the one that stood open for the task.
fn handed_in<'a>(pull: &PullRequest, session: &SessionId, review: &'a Review) -> Option<&'a Round> {
    let round = review.round().filter(|round| round.session.as_ref() == Some(session))?;
    let mut named = round.change.pr_id.iter().chain(&round.change.pr_url).peekable();
    let is_it = match named.peek() {
        Some(_) => named.any(|name| pull.is_called(name.trim())),
        None => {
            let of_task = pull.task.as_ref() == Some(&review.task) && pull.requested_at <= round.at;
            of_task && round.change.diff.is_none()
        }
    };
    is_it.then_some(round)
}
