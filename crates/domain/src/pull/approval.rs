//! What an approval is: who said yes, what gives them the right to, to which pull request, in which commit, onto which
//! base, when, and whether it was taken back since. It counts for exactly the commit and the base that it names.

use serde::{Deserialize, Serialize};

use super::names::Branch;
use crate::ids::PullId;
use crate::time::Timestamp;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Approval {
    /// Their login on the forge, or their principal in the hub.
    pub who: String,
    pub right: ApprovalRight,
    pub pull: PullId,
    pub base: Branch,
    pub head: String,
    /// Where that commit had parted from the base when it was handed in; none where that is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fork: Option<String>,
    /// When; none where the forge does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Timestamp>,
    /// Why it counts no more; none while it is alive.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub taken_back: Option<TakenBack>,
}

/// What gives somebody the right to approve.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "by", rename_all = "snake_case")]
pub enum ApprovalRight {
    /// They may write to the repository, as its forge says.
    Writes,
    /// A rule of the hub gives it.
    Given {
        /// As the audit names it: `people.ada.canApprove`.
        rule: String,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TakenBack {
    /// The forge shows it no more: it was dismissed there, or its author said something else since.
    OnForge,
    BaseChanged,
    /// The base went back: it holds no more what it held then, and a merge would bring that back.
    BaseRewound,
}

impl Approval {
    /// Whether it lets this commit into this base. `stale`: one of an earlier commit on the forge counts, too.
    pub fn lives_for(&self, head: &str, base: &Branch, stale: bool) -> bool {
        let earlier = stale && self.right == ApprovalRight::Writes;
        self.taken_back.is_none() && self.base == *base && (self.head == head || earlier)
    }
}
