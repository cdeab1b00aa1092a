//! The state of a pull request: what its records come to.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::names::{Branch, Repository};
use super::record::{PullDeed, PullRecord};
use crate::domain::ids::{PullId, TaskId};
use crate::domain::time::Timestamp;

/// What an agent asks for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PullSpec {
    /// Where.
    pub repository: Repository,
    /// The branch with the change.
    pub head: Branch,
    /// What it is to be merged into; the repository's own default when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<Branch>,
    /// Its title.
    pub title: String,
    /// What it says.
    pub body: String,
    /// Whether it is not ready yet.
    pub draft: bool,
}

/// A pull request as a session remembers it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PullRequest {
    /// The hub's name for it.
    pub id: PullId,
    /// For the sake of which task it was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<TaskId>,
    /// Where.
    pub repository: Repository,
    /// The branch with the change.
    pub head: Branch,
    /// What it is to be merged into, once that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<Branch>,
    /// Its title.
    pub title: String,
    /// Whether it is not ready yet.
    pub draft: bool,
    /// Where it stands.
    pub state: PullState,
    /// The forge's number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<u64>,
    /// Where people see it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Why what was asked last came to nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trouble: Option<String>,
    /// What the forge is being asked, once it stands there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pending: Option<PullDeed>,
    /// When it was asked for.
    pub requested_at: Timestamp,
    /// When the last record was written.
    pub updated_at: Timestamp,
}

/// Where a pull request stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PullState {
    /// The forge is being asked.
    Opening,
    /// It stands there.
    Open,
    /// It is part of its base.
    Merged,
    /// It was closed without that.
    Closed,
    /// The forge refused it.
    Failed,
}

/// What the text on the forge carries: who finds it there knows which pull request of the hub this is.
#[must_use]
pub fn mark(id: &PullId) -> String {
    format!("<!-- callboard {id} -->")
}

impl PullRequest {
    /// What the record of its asking makes of nothing.
    #[must_use]
    pub fn requested(id: PullId, task: Option<TaskId>, spec: &PullSpec, at: Timestamp) -> Self {
        Self {
            id,
            task,
            repository: spec.repository.clone(),
            head: spec.head.clone(),
            base: spec.base.clone(),
            title: spec.title.clone(),
            draft: spec.draft,
            state: PullState::Opening,
            number: None,
            url: None,
            trouble: None,
            pending: None,
            requested_at: at,
            updated_at: at,
        }
    }

    /// One more record of it; cannot fail.
    pub fn apply(&mut self, at: Timestamp, record: &PullRecord) {
        self.updated_at = at;
        self.pending = None;
        match record {
            PullRecord::Requested { .. } => {}
            PullRecord::ChangeRequested { .. } => self.pending = Some(PullDeed::Change),
            PullRecord::MergeRequested { .. } => self.pending = Some(PullDeed::Merge),
            PullRecord::Created { number, url, base, .. } => {
                (self.number, self.url, self.base) = (*number, url.clone(), Some(base.clone()));
                (self.state, self.trouble) = (PullState::Open, None);
            }
            PullRecord::Failed { reason, .. } => {
                self.trouble = Some(reason.clone());
                if self.state == PullState::Opening {
                    self.state = PullState::Failed;
                }
            }
            PullRecord::Updated { title, draft, state, .. } => {
                (self.title, self.draft, self.state) = (title.clone(), *draft, *state);
                self.trouble = None;
            }
            PullRecord::Merged { .. } => (self.state, self.trouble) = (PullState::Merged, None),
            PullRecord::Closed { .. } => (self.state, self.trouble) = (PullState::Closed, None),
        }
    }

    /// Whether it may yet come to something.
    #[must_use]
    pub const fn is_live(&self) -> bool {
        matches!(self.state, PullState::Opening | PullState::Open)
    }

    /// Whether it is what somebody calls so: by the hub's name, the forge's number, or `owner/name#number`.
    #[must_use]
    pub fn is_called(&self, given: &str) -> bool {
        let number = self.number.map(|number| number.to_string());
        let whole = number.as_ref().map(|number| format!("{}#{number}", self.repository));
        self.id.as_str() == given
            || number.as_deref() == Some(given.trim_start_matches('#'))
            || whole.is_some_and(|whole| whole.eq_ignore_ascii_case(given))
            || self.url.as_deref() == Some(given)
    }
}

impl PullState {
    /// As it is written.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Opening => "opening",
            Self::Open => "open",
            Self::Merged => "merged",
            Self::Closed => "closed",
            Self::Failed => "failed",
        }
    }
}

impl fmt::Display for PullState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
