//! How a pull request stands on its forge, looked at now.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::decide::PullSeen;
use super::spec::PullState;
use crate::text::quoted;
use crate::time::Timestamp;

/// How much of a name on the forge is repeated in a sentence, in characters.
const NAME: usize = 60;
/// How many names of one sort a sentence has at most.
const NAMES: usize = 5;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PullLook {
    /// What the hub remembers of it.
    pub seen: PullSeen,
    /// Whether the forge could merge it: none while it does not know.
    pub mergeable: Option<bool>,
    /// What was run on the commit that it ends in.
    pub checks: Vec<Check>,
    /// Whether checks are run there at all.
    pub runs_checks: bool,
    /// What people said of it, each person's last verdict.
    pub reviews: Vec<Reviewed>,
    /// When what it is to be merged into was last changed, none where it never was; or why nobody knows that now.
    pub base_changed_at: Result<Option<Timestamp>, String>,
    /// Where its commit parted from its base, where the forge says so.
    pub fork: Option<String>,
    /// The forks of approvals that its base does not hold any more, as far as they were asked for.
    pub lost: BTreeSet<String>,
    /// How many threads of comments are open; none where the forge does not say.
    pub unresolved_threads: Option<u32>,
    pub sizes: Sizes,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Check {
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
    /// Who they are to the repository: the words of a `writer` alone count.
    pub standing: ReviewerRole,
    /// Of which commit they say it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Timestamp>,
}

/// What somebody who reviews is to the repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReviewerRole {
    /// May write there, as the forge says now.
    Writer,
    /// May not write there.
    Reader,
    /// Is a program.
    Program,
    /// Is the hub's own account there, or opened the pull request.
    Own,
}

/// What a review says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// It may be merged.
    Approved,
    /// It may not, as it is.
    ChangesRequested,
    /// A comment, and no verdict.
    Commented,
    /// What they said counts no more.
    Dismissed,
}

/// How large a change is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Sizes {
    pub commits: u64,
    pub files: u64,
    /// Lines that are new.
    pub additions: u64,
    /// Lines that are gone.
    pub deletions: u64,
}

impl Check {
    /// Why it is not green, as a sentence goes on behind its name.
    pub(super) fn trouble(&self) -> Option<String> {
        match self.conclusion.as_deref() {
            Some("success" | "neutral" | "skipped") => None,
            Some(end) => Some(format!("ended with {end}")),
            None => Some(format!("is {}", self.status)),
        }
    }
}

impl PullLook {
    /// How it stands, in a sentence for its agent. Names are other people's: each is cut short and quoted.
    pub fn sentence(&self) -> String {
        let draft = if self.seen.draft { " and a draft" } else { "" };
        let mut parts = vec![format!("It is {}{draft} now", self.seen.state)];
        if self.seen.state == PullState::Open {
            let (yes, no) = (Verdict::Approved, Verdict::ChangesRequested);
            parts.extend(self.named(yes, true).map(|who| format!("approved by {who}")));
            parts.extend(self.named(no, true).map(|who| format!("changes are wanted by {who}")));
            let others = self.named(yes, false).into_iter().chain(self.named(no, false)).collect::<Vec<_>>();
            if !others.is_empty() {
                parts.push(format!(
                    "reviews that do not count, as they may not write there, are by {}",
                    others.join(", ")
                ));
            }
            parts.extend(self.trouble_with_checks());
            if self.mergeable == Some(false) {
                parts.push("it conflicts with its base".to_owned());
            }
        }
        format!("{}.", parts.join("; "))
    }

    /// Who says so, of those who may write there or of the others; none where nobody does.
    fn named(&self, verdict: Verdict, writers: bool) -> Option<String> {
        let is = |review: &&Reviewed| review.verdict == verdict && (review.standing == ReviewerRole::Writer) == writers;
        listed(self.reviews.iter().filter(is).map(|review| quoted(&review.who, NAME)).collect())
    }

    /// Which checks are not green, or that all are; none where there are none.
    fn trouble_with_checks(&self) -> Option<String> {
        if self.checks.is_empty() {
            return None;
        }
        let told = |check: &Check| Some(format!("check {} {}", quoted(&check.name, NAME), check.trouble()?));
        let trouble = listed(self.checks.iter().filter_map(told).collect());
        Some(trouble.unwrap_or_else(|| "all checks are green".to_owned()))
    }
}

/// The first of them, and how many more there are.
fn listed(all: Vec<String>) -> Option<String> {
    let more = all.len().saturating_sub(NAMES);
    let first = all.get(..all.len().min(NAMES)).filter(|first| !first.is_empty())?.join(", ");
    Some(if more == 0 { first } else { format!("{first} and {more} more") })
}

/// Each person's last verdict, of reviews in the order of writing; a comment after a verdict does not take it back.
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
