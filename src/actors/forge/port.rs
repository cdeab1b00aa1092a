//! What every kind of forge can do.

use std::fmt::Debug;

use async_trait::async_trait;

use super::error::{ForgeError, ForgeResult};
use crate::domain::ids::PullId;
use crate::domain::pull::{
    Adoption, Branch, MergeMethod, PullChange, PullLook, PullRequest, PullSeen, PullSpec, Repository,
};

#[async_trait]
pub trait Port: Debug + Send + Sync {
    /// Opens a pull request, unless an earlier attempt did: then that one is answered.
    async fn open(&self, id: &PullId, spec: &PullSpec) -> ForgeResult<Opened>;

    /// Changes it; how it looks afterwards.
    async fn change(&self, pull: &PullRequest, change: &PullChange) -> ForgeResult<PullSeen>;

    /// Merges it, if it still ends in this commit and leads into this base, and is not merged; how it looks then.
    async fn merge(&self, pull: &PullRequest, order: &MergeOrder) -> ForgeResult<PullSeen>;

    async fn look(&self, pull: &PullRequest) -> ForgeResult<PullLook>;

    /// The same for a merge: a forge that is still finding out whether it conflicts is given up to ten seconds.
    async fn look_to_merge(&self, pull: &PullRequest) -> ForgeResult<PullLook> {
        self.look(pull).await
    }

    /// Whether its base holds this commit now.
    async fn base_holds(&self, pull: &PullRequest, commit: &str) -> ForgeResult<bool>;

    /// The change from its base to this commit, as `git diff` prints it.
    async fn diff(&self, pull: &PullRequest, commit: &str) -> ForgeResult<String>;

    /// Who the hub is there, in a sentence: whether it is let in at all.
    async fn who(&self) -> ForgeResult<String>;

    /// What the hub may do in a repository; changes nothing.
    async fn survey(&self, repository: &Repository) -> ForgeResult<Surveyed>;

    /// What to type to look at it, where it has no page.
    fn hint(&self, _pull: &PullRequest) -> Option<String> {
        None
    }
}

/// A repository, as the hub sees it there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Surveyed {
    pub name: String,
    /// What pull requests are merged into where nobody says otherwise; none where nothing tells.
    pub default_branch: Option<String>,
    /// Whether the hub may merge there; none where the forge does not say.
    pub may_write: Option<bool>,
    /// What keeps pull requests from being opened or merged, in sentences.
    pub troubles: Vec<String>,
}

/// A pull request that stands on the forge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Opened {
    pub number: Option<u64>,
    pub url: Option<String>,
    pub base: Branch,
    /// Whose it is, where the hub did not open it.
    pub adopted: Option<Adoption>,
    pub commit: Option<String>,
    /// Which folder of this disk its repository is; none on a forge.
    pub place: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergeOrder {
    pub method: MergeMethod,
    pub head: String,
    pub base: Branch,
    /// What the base has to hold: where both had parted when it was approved.
    pub fork: Option<String>,
}

impl MergeOrder {
    /// Refuses where the pull request ends in another commit or leads into another base by now, and says which.
    pub(super) fn fits(&self, head: &str, base: &str) -> ForgeResult<()> {
        let again = "call get_pr_status, then merge_pr again";
        if head != self.head {
            let said = format!("its branch moved on to {head} after it was looked at: {again}");
            return Err(ForgeError::Refused(said));
        }
        if base != self.base.as_str() {
            let said = format!("it leads into another branch than `{}`, which was looked at: {again}", self.base);
            return Err(ForgeError::Refused(said));
        }
        Ok(())
    }
}
