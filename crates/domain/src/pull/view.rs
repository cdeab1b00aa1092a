//! A pull request as people and programs see it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::record::{Adoption, PullDeed};
use super::spec::PullState;
use super::state::PullRequest;
use crate::time::Timestamp;

/// A pull request, as sessions and tasks show it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PullView {
    /// The hub's name for it.
    pub pr_id: String,
    /// Where it stands.
    pub state: PullState,
    pub title: String,
    /// Whether it is a draft.
    pub draft: bool,
    /// `owner/name` on a forge, or the path of a folder.
    pub repository: String,
    /// The branch with the change.
    pub head_branch: String,
    /// What it is to be merged into, once that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_branch: Option<String>,
    /// Its number on the forge.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<u64>,
    /// Where people see it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The task for whose sake it was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_id: Option<String>,
    /// The work item that its session was linked to then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub work_item: Option<String>,
    /// What the forge is being asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pending: Option<PullDeed>,
    /// Whose it was, where somebody had opened it before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub adopted: Option<Adoption>,
    /// Why what was asked last came to nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trouble: Option<String>,
    /// News of it came while the forge could not be asked: what stands here may be outdated.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub outdated: bool,
    /// When it was asked for.
    pub requested_at: Timestamp,
    /// When anything last happened to it.
    pub updated_at: Timestamp,
}

impl From<&PullRequest> for PullView {
    fn from(pull: &PullRequest) -> Self {
        Self {
            pr_id: pull.id.to_string(),
            state: pull.state,
            title: pull.title.clone(),
            draft: pull.draft,
            repository: pull.repository.to_string(),
            head_branch: pull.head.to_string(),
            base_branch: pull.base.as_ref().map(ToString::to_string),
            number: pull.number,
            url: pull.url.clone(),
            task_id: pull.task.as_ref().map(ToString::to_string),
            work_item: pull.work_item.as_ref().map(ToString::to_string),
            pending: pull.pending,
            adopted: pull.adopted.clone(),
            trouble: pull.trouble.clone(),
            outdated: pull.outdated,
            requested_at: pull.requested_at,
            updated_at: pull.updated_at,
        }
    }
}
