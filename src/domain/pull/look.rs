//! How a pull request stands on its forge, looked at now.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::decide::PullSeen;

/// All that is seen of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PullLook {
    /// What the hub remembers of it.
    pub seen: PullSeen,
    /// Whether the forge could merge it: none while it does not know.
    pub mergeable: Option<bool>,
    /// The commit that it ends in.
    pub commit: String,
    /// What was run on that commit.
    pub checks: Vec<Check>,
    /// What people said of it, each person's last verdict.
    pub reviews: Vec<Reviewed>,
    /// How many threads of comments are open; none where the forge does not say.
    pub unresolved_threads: Option<u32>,
    /// How large it is.
    pub sizes: Sizes,
}

/// One check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Check {
    /// Its name.
    pub name: String,
    /// Whether it waits, runs, or is completed: `queued`, `in_progress`, `completed`.
    pub status: String,
    /// How it ended, as `success` or `failure`; left out before that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conclusion: Option<String>,
}

/// What one person says of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Reviewed {
    /// Their name on the forge.
    pub who: String,
    /// What they say.
    pub verdict: Verdict,
}

/// What a review says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// It may be merged.
    Approved,
    /// It may not, as it is.
    ChangesRequested,
    /// Neither.
    Commented,
    /// What they said counts no more.
    Dismissed,
}

/// How large a change is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Sizes {
    /// Commits.
    pub commits: u64,
    /// Files.
    pub files: u64,
    /// Lines that are new.
    pub additions: u64,
    /// Lines that are gone.
    pub deletions: u64,
}

/// Each person's last verdict, of reviews in the order in which they were written. Whoever comments after a verdict
/// does not take it back.
#[must_use]
pub fn last_verdicts(reviews: impl IntoIterator<Item = Reviewed>) -> Vec<Reviewed> {
    let mut last: Vec<Reviewed> = Vec::new();
    for review in reviews {
        match last.iter_mut().find(|known| known.who == review.who) {
            Some(_) if review.verdict == Verdict::Commented => {}
            Some(known) => *known = review,
            None => last.push(review),
        }
    }
    last
}
