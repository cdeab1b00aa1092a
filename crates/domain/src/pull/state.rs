//! The state of a pull request: what its records come to.

use serde::{Deserialize, Serialize};

use super::names::{Branch, Repository};
use super::record::{Adoption, PullDeed, PullRecord};
use super::spec::{PullSpec, PullState};
use crate::ids::{PullId, RoleId, TaskId};
use crate::time::Timestamp;
use crate::work_item::WorkItem;

/// A pull request as a session remembers it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PullRequest {
    pub id: PullId,
    /// For the sake of which task it was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<TaskId>,
    pub repository: Repository,
    pub head: Branch,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<Branch>,
    pub title: String,
    pub draft: bool,
    pub state: PullState,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Why what was asked last came to nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trouble: Option<String>,
    /// What the forge is being asked, once it stands there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pending: Option<PullDeed>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pending_since: Option<Timestamp>,
    /// Whose it was, where somebody had opened it before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub adopted: Option<Adoption>,
    /// Whether news of it came while the forge could not be asked how it stands: the next look ends that.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub outdated: bool,
    /// The work item that its session was linked to when it was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub work_item: Option<WorkItem>,
    /// The role of the agent that asked for it; none where an older hub wrote it down.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<RoleId>,
    /// The commit that it ends in, as far as the hub saw.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tip: Option<Tip>,
    /// Which folder of this disk its repository is, where that is no forge's: another one in its place is not merged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    pub requested_at: Timestamp,
    pub updated_at: Timestamp,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tip {
    pub commit: String,
    /// When the hub saw it first.
    pub at: Timestamp,
}

impl PullRequest {
    /// What the record of its asking makes of nothing.
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
            pending_since: None,
            adopted: None,
            outdated: false,
            work_item: spec.work_item.clone(),
            role: spec.role.clone(),
            tip: None,
            place: None,
            requested_at: at,
            updated_at: at,
        }
    }

    pub fn apply(&mut self, at: Timestamp, record: &PullRecord) {
        self.updated_at = at;
        if matches!(record, PullRecord::Outdated { .. }) {
            self.outdated = true;
        // A merge that is sent is still being asked for.
        } else if !matches!(record, PullRecord::MergeSent { .. }) {
            self.moves(at, record);
        }
    }

    fn moves(&mut self, at: Timestamp, record: &PullRecord) {
        (self.pending, self.pending_since) = (None, None);
        self.outdated &= !record.shows_the_forge();
        match record {
            PullRecord::Requested { .. } | PullRecord::Outdated { .. } | PullRecord::MergeSent { .. } => {}
            PullRecord::ChangeRequested { .. } => {
                (self.pending, self.pending_since) = (Some(PullDeed::Change), Some(at));
            }
            PullRecord::MergeRequested { .. } => {
                (self.pending, self.pending_since) = (Some(PullDeed::Merge), Some(at));
            }
            PullRecord::Created { number, url, base, commit, adopted, place, .. } => {
                self.place.clone_from(place);
                (self.number, self.url, self.base) = (*number, url.clone(), Some(base.clone()));
                self.ends_in(commit.as_ref(), at);
                (self.state, self.trouble) = (PullState::Open, None);
                // It is called as whoever opened it called it.
                self.title = adopted.as_ref().map_or(&self.title, |adopted| &adopted.title).clone();
                self.adopted.clone_from(adopted);
            }
            PullRecord::Failed { reason, .. } => {
                self.trouble = Some(reason.clone());
                if self.state == PullState::Opening {
                    self.state = PullState::Failed;
                }
            }
            PullRecord::Updated { title, draft, state, base, commit, place, .. } => {
                self.base = base.clone().or_else(|| self.base.take());
                self.place = self.place.take().or_else(|| place.clone());
                self.ends_in(commit.as_ref(), at);
                (self.title, self.draft, self.state) = (title.clone(), *draft, *state);
                self.trouble = None;
            }
            PullRecord::Merged { .. } => (self.state, self.trouble) = (PullState::Merged, None),
            PullRecord::Closed { .. } => (self.state, self.trouble) = (PullState::Closed, None),
        }
    }

    fn ends_in(&mut self, commit: Option<&String>, at: Timestamp) {
        let Some(commit) = commit.filter(|commit| self.tip.as_ref().is_none_or(|tip| tip.commit != **commit)) else {
            return;
        };
        self.tip = Some(Tip { commit: commit.clone(), at });
    }

    /// Whether it may yet come to something.
    pub const fn is_live(&self) -> bool {
        matches!(self.state, PullState::Opening | PullState::Open)
    }

    /// What its forge is being asked, and since when.
    pub fn waiting(&self) -> Option<(PullDeed, Timestamp)> {
        match (self.state, self.pending) {
            (PullState::Opening, _) => Some((PullDeed::Open, self.requested_at)),
            (_, Some(deed)) => Some((deed, self.pending_since.unwrap_or(self.updated_at))),
            (_, None) => None,
        }
    }

    /// Whether this is what its forge is being asked, since then. What was written down by an older hub has no moment.
    pub fn waits_for(&self, deed: PullDeed, since: Timestamp) -> bool {
        match deed {
            PullDeed::Open => self.state == PullState::Opening && self.requested_at == since,
            PullDeed::Change | PullDeed::Merge => {
                self.pending == Some(deed) && self.pending_since.is_none_or(|known| known == since)
            }
        }
    }

    /// Whether it is what somebody calls so: by the hub's name, the forge's number, or `owner/name#number`.
    pub fn is_called(&self, given: &str) -> bool {
        let number = self.number.map(|number| number.to_string());
        let whole = number.as_ref().map(|number| format!("{}#{number}", self.repository));
        self.id.as_str() == given
            || number.as_deref() == Some(given.trim_start_matches('#'))
            || whole.is_some_and(|whole| whole.eq_ignore_ascii_case(given))
            || self.url.as_deref() == Some(given)
    }
}
