//! Something that happened in a repository, and whom it concerns.

use serde::{Deserialize, Serialize};

use crate::pull::{PullRequest, PullSeen, PullState, Verdict};
use crate::time::Timestamp;
use crate::work_item::WorkItem;

/// Something that happened in a repository.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// Which repository, as `owner/repo`.
    pub repository: String,
    /// Which work items it is about; none: all in the repository.
    pub items: Vec<WorkItem>,
    /// What happened, in a sentence of one line.
    pub text: String,
    #[serde(default, skip_serializing_if = "Touched::is_nothing")]
    pub touched: Touched,
    /// How the sender says that the pull request looks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub said: Option<PullSaid>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub review: Option<SaidReview>,
    /// Whether what the hub itself asked of the forge comes back in this way: then it is news only to who did not know.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub echoes: bool,
}

/// Which pull requests a change is about: by number, else by the branch with their commits.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Touched {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub numbers: Vec<u64>,
    /// By the branch in this same repository.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// Where people see the one that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
}

/// How a pull request looks, by its sender's word and not by a look at the forge.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PullSaid {
    pub title: String,
    pub draft: bool,
    pub state: PullState,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Timestamp>,
}

/// What somebody says of a pull request in a review.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SaidReview {
    pub verdict: Verdict,
    /// Who wrote it: a login on the forge.
    pub author: String,
    /// Whether a program wrote it, as far as the sender says; no person's word then.
    pub by_program: bool,
    /// What it says, cleaned; often nothing.
    pub text: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// When it was written, to the second or better, where the sender says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Timestamp>,
    /// Of which commit it is, where the sender says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
}

impl Change {
    /// Whether it is news for who works on this item.
    pub fn is_about(&self, item: &WorkItem) -> bool {
        self.items.contains(item) || (self.items.is_empty() && item.is_in(&self.repository))
    }

    /// Whether it is about this pull request. By its branch alone only a live one is meant: branches are used again.
    pub fn touches(&self, pull: &PullRequest) -> bool {
        let is_here = pull.repository.to_string().eq_ignore_ascii_case(&self.repository);
        let by_branch = || pull.is_live() && self.touched.branch.as_deref() == Some(pull.head.as_str());
        is_here
            && match pull.number {
                Some(number) if !self.touched.numbers.is_empty() => self.touched.numbers.contains(&number),
                Some(_) | None => by_branch(),
            }
    }

    /// Whether a pull request is the one that is called so by who did not open it here: by its link, or as
    /// `owner/repo#12`. A bare number means nothing without its repository.
    pub fn is_called(&self, given: &str) -> bool {
        let given = given.trim().trim_end_matches('/');
        let is_link = self.touched.url.as_deref().is_some_and(|url| url.eq_ignore_ascii_case(given));
        is_link
            || self
                .touched
                .numbers
                .iter()
                .any(|number| given.eq_ignore_ascii_case(&format!("{}#{number}", self.repository)))
    }
}

impl Touched {
    fn is_nothing(&self) -> bool {
        *self == Self::default()
    }
}

impl PullSaid {
    /// How it looks, if the sender's word is newer than what is known.
    pub fn newer_than(&self, pull: &PullRequest) -> Option<PullSeen> {
        let is_newer = self.at.is_some_and(|at| at > pull.updated_at);
        let (title, draft, state) = (self.title.clone(), self.draft, self.state);
        is_newer.then_some(PullSeen { title, draft, state, base: None, commit: None, place: None })
    }
}
