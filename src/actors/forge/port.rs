//! What every kind of forge can do.

use std::fmt::Debug;

use futures_util::future::BoxFuture;

use super::error::ForgeError;
use crate::domain::ids::PullId;
use crate::domain::pull::{
    Adoption, Branch, MergeMethod, PullChange, PullLook, PullRequest, PullSeen, PullSpec, Repository,
};

/// A forge.
pub trait Port: Debug + Send + Sync {
    /// Opens a pull request, unless an earlier attempt did: then that one is answered.
    fn open<'a>(&'a self, id: &'a PullId, spec: &'a PullSpec) -> BoxFuture<'a, Result<Opened, ForgeError>>;

    /// Changes it; how it looks afterwards.
    fn change<'a>(
        &'a self,
        pull: &'a PullRequest,
        change: &'a PullChange,
    ) -> BoxFuture<'a, Result<PullSeen, ForgeError>>;

    /// Merges it, if it still ends in this commit; how it looks afterwards. What is merged already is left so.
    fn merge<'a>(
        &'a self,
        pull: &'a PullRequest,
        method: MergeMethod,
        commit: &'a str,
    ) -> BoxFuture<'a, Result<PullSeen, ForgeError>>;

    /// How it stands now.
    fn look<'a>(&'a self, pull: &'a PullRequest) -> BoxFuture<'a, Result<PullLook, ForgeError>>;

    /// Who the hub is there, in a sentence: whether it is let in at all.
    fn who(&self) -> BoxFuture<'_, Result<String, ForgeError>>;

    /// What the hub may do in a repository; changes nothing.
    fn survey<'a>(&'a self, repository: &'a Repository) -> BoxFuture<'a, Result<Surveyed, ForgeError>>;

    /// What to type to look at it, where it has no page.
    fn hint(&self, _pull: &PullRequest) -> Option<String> {
        None
    }
}

/// A repository, as the hub sees it there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Surveyed {
    /// What it is called there.
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
    /// Its number there.
    pub number: Option<u64>,
    /// Where people see it.
    pub url: Option<String>,
    /// What it is to be merged into.
    pub base: Branch,
    /// Whose it is, where the hub did not open it.
    pub adopted: Option<Adoption>,
}
