//! What happened to a pull request, as the journal keeps it: in the stream of its session.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::approval::Approval;
use super::names::Branch;
use super::spec::{PullSpec, PullState};
use crate::ids::{PullId, TaskId};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum PullRecord {
    /// An agent asked for it; the forge is told next.
    Requested { id: PullId, task: Option<TaskId>, spec: Box<PullSpec> },
    Created {
        id: PullId,
        /// Its number there; none where there is no forge.
        number: Option<u64>,
        url: Option<String>,
        base: Branch,
        /// Whose it was, where somebody had opened it before.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        adopted: Option<Adoption>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        commit: Option<String>,
        /// Which folder of this disk that repository is.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        place: Option<String>,
    },
    /// What was asked of the forge came to nothing.
    Failed { id: PullId, deed: PullDeed, reason: String },
    /// The agent wants it otherwise.
    ChangeRequested { id: PullId, change: Box<PullChange> },
    /// The agent wants it merged, and may.
    MergeRequested {
        id: PullId,
        method: MergeMethod,
        /// The commit that was looked at: another one is not merged.
        commit: String,
        /// The base that was looked at: it is merged into no other.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        base: Option<Branch>,
    },
    /// It was judged again, and the forge is told to merge it next.
    MergeSent { id: PullId, sent: Box<MergeSent> },
    Updated {
        id: PullId,
        title: String,
        draft: bool,
        state: PullState,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        base: Option<Branch>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        commit: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        place: Option<String>,
    },
    /// News of it came, and the forge could not be asked how it stands now: what is known of it may be outdated.
    Outdated { id: PullId },
    /// It is part of its base now.
    Merged { id: PullId },
    /// It was closed, and nothing of it merged.
    Closed { id: PullId },
}

/// A pull request that stood there for these branches before the hub asked for one: a forge has one of those at a time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Adoption {
    /// Who opened it, by their name on the forge.
    pub by: String,
    /// What it was called.
    pub title: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MergeSent {
    pub head: String,
    pub base: Branch,
    /// Whether the terms of the role that opened it ask for an approval.
    pub required: bool,
    /// Whether those terms let an approval of an earlier commit count.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stale: bool,
    /// The approval that it stands on; where none is asked for, there may be none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approval: Option<Approval>,
}

impl MergeSent {
    /// F1: what is merged has a living approval of exactly this commit and this base, where one is asked for.
    pub fn is_approved(&self) -> bool {
        let lives = |approval: &Approval| approval.lives_for(&self.head, &self.base, self.stale);
        !self.required || self.approval.as_ref().is_some_and(lives)
    }
}

/// What is asked of a forge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PullDeed {
    /// To open it.
    Open,
    /// To change it.
    Change,
    /// To merge it.
    Merge,
}

impl PullDeed {
    /// The tool by which an agent asks for it.
    pub const fn asked_by(self) -> &'static str {
        match self {
            Self::Open => "create_pr",
            Self::Change => "update_pr",
            Self::Merge => "merge_pr",
        }
    }
}

/// What is to be otherwise; what is left out stays.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PullChange {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub draft: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub open: Option<bool>,
}

/// How commits become part of the base.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum MergeMethod {
    /// By a commit that joins both.
    #[default]
    Merge,
    /// As one commit.
    Squash,
    /// One by one, on top.
    Rebase,
}

impl PullRecord {
    pub const fn id(&self) -> &PullId {
        match self {
            Self::Requested { id, .. }
            | Self::Created { id, .. }
            | Self::Failed { id, .. }
            | Self::ChangeRequested { id, .. }
            | Self::MergeRequested { id, .. }
            | Self::MergeSent { id, .. }
            | Self::Updated { id, .. }
            | Self::Outdated { id }
            | Self::Merged { id }
            | Self::Closed { id } => id,
        }
    }

    /// Whether it says how the forge shows the pull request.
    pub(super) const fn shows_the_forge(&self) -> bool {
        matches!(self, Self::Created { .. } | Self::Updated { .. } | Self::Merged { .. } | Self::Closed { .. })
    }
}
