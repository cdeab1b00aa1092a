//! What every kind of forge can do.

use std::fmt::Debug;

use futures_util::future::BoxFuture;

use super::error::ForgeError;
use crate::domain::ids::PullId;
use crate::domain::pull::{Branch, MergeMethod, PullChange, PullLook, PullRequest, PullSeen, PullSpec};

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
}
