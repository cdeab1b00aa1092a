//! Plain git: repositories on the hub's own disk, and no forge beside them.
//!
//! ```text
//!  open ───► is the branch there, and ahead of its base? ─► nothing is written: the hub's record is all there is
//!  change ─► title, draft, open or closed live in the hub alone
//!  look ───► merged: the base has the commit, or a commit with our trailer; else what `merge-tree` says
//!  merge ──► merge-tree ─► commit-tree ─► a pack of what is new ─► the branch's file, only if it says what it did
//! ```
//!
//! *Git never runs in a repository of others.* Agents write in these, and what their settings, attributes and hooks
//! name would run with the hub's rights. No list of what to overrule could be complete, and files change between a
//! check and the run. So no process of git has such a folder as its repository, and none of its settings are read.
//!
//! - *Reading* is done by the hub: branches as files (branches.rs), packs and loose objects as plain files, linked or
//!   copied into a folder of the hub's own (borrow.rs). No link, alternate, replacement or graft is followed.
//! - *Checking* is done by git, in repositories that the hub wrote file by file (bare.rs): a fetch from the borrowed
//!   folder into the mirror names every object anew and wants all that belongs to a commit (mirrors.rs). So a pack
//!   whose index lies, or an object with another one's bytes, is refused.
//! - *Merging* is done on a bench that reads the mirror (`merge_workspace.rs`, merging.rs).
//! - *Writing back* is done by the hub again: one pack of what is new, and the file of one branch, by git's locks.
//!   `upload-pack` and `receive-pack` are not asked, since they would begin by reading the settings.
//!
//! *Where.* A folder has to be among `forge.repositories` by its name, by what that leads to, and by where its branches
//! are kept. It is opened once for each request, name by name, and used by its descriptor (store.rs), so one that is
//! swapped meanwhile leads nowhere else. A pull request keeps the folder's path and number on the disk, and another one
//! in its place is refused.
//!
//! *Once.* The commit that merges carries the trailer `Callboard-Pull: pr_…` (trailer.rs): a repeat after a crash finds
//! it.
//!
//! *No work tree is touched.* No branch is moved that somebody has checked out: the next commit there would undo the
//! merge.
//!
//! A branch that was reset to its base looks merged. Reftables, shallow and partial clones, and repositories that name
//! objects of others are refused with what to do.

mod bare;
mod borrow;
mod branches;
#[cfg(test)]
mod hostile_tests;
mod merge_workspace;
mod merging;
mod mirrors;
mod plain;
mod program;
mod store;
#[cfg(test)]
mod tests;
mod trailer;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use futures_util::FutureExt as _;

use self::merge_workspace::MergeWorkspace;
use self::merging::Merge;
pub(super) use self::mirrors::Mirrors;
use self::store::Store;
use super::error::{ForgeError, ForgeResult};
use super::port::{MergeOrder, Opened, Port, Surveyed};
use crate::clock::Clock;
use crate::domain::ids::PullId;
use crate::domain::pull::{
    Branch, PullChange, PullLook, PullRequest, PullSeen, PullSpec, PullState, Repository, Sizes,
};
use crate::domain::text::for_shell;
use crate::domain::time::Timestamp;

/// How far the clocks of those who commit may be behind the hub's.
const SLACK: Duration = Duration::from_hours(24);

#[derive(Debug, Clone)]
pub(super) struct Git {
    /// Where agents may open pull requests.
    repositories: Vec<String>,
    mirrors: Arc<Mirrors>,
    clock: Clock,
}

impl Git {
    pub(super) const fn new(repositories: Vec<String>, mirrors: Arc<Mirrors>, clock: Clock) -> Self {
        Self { repositories, mirrors, clock }
    }

    /// When a pull request was asked for, by the clocks of those who commit.
    fn asked_at(&self, pull: &PullRequest) -> Timestamp {
        self.clock.to_machine(pull.requested_at)
    }

    async fn opened(&self, spec: &PullSpec) -> ForgeResult<Opened> {
        let store = Store::open(&spec.repository, &self.repositories).await?;
        let base = match &spec.base {
            Some(base) => base.clone(),
            None => store.default_branch().await?.ok_or_else(|| {
                ForgeError::Refused("nothing says what to merge into: name the base branch".to_owned())
            })?,
        };
        let (onto, head) = (there(&store, &base).await?, there(&store, &spec.head).await?);
        let bench = self.mirrors.bench(&store, &[&onto, &head]).await?;
        if bench.fork(&onto, &head).await?.is_none() {
            return Err(ForgeError::Refused(format!("`{base}` and `{}` have no commit in common", spec.head)));
        }
        if bench.holds(&onto, &head).await? {
            let why = format!("`{base}` has all commits of `{}`: there is nothing to merge", spec.head);
            return Err(ForgeError::Refused(why));
        }
        Ok(Opened { number: None, url: None, base, commit: Some(head), adopted: None, place: Some(store.mark()?) })
    }

    async fn looked_at(&self, pull: &PullRequest) -> ForgeResult<PullLook> {
        let (store, base) = self.place(pull).await?;
        let onto = there(&store, &base).await?;
        let head = store.commit(&pull.head).await?;
        let bench = self.bench(&store, &onto, head.as_deref()).await?;
        let merged = is_merged(&bench, pull, self.asked_at(pull), &onto, head.as_deref()).await?;
        let state = if merged { PullState::Merged } else { pull.state };
        let (title, base) = (pull.title.clone(), pull.base.clone());
        let place = Some(store.mark()?);
        let seen = PullSeen { title, draft: pull.draft, state, base, commit: head.clone(), place };
        let mut fork = None;
        let (mergeable, sizes) = match head {
            Some(head) => {
                fork = bench.fork(&onto, &head).await?;
                let clean = bench.merged_tree(None, &onto, &head).await?.is_ok();
                ((!merged).then_some(clean), bench.sizes(&onto, &head).await?)
            }
            // It was merged, and its branch put away.
            None if merged => (None, Sizes::default()),
            None => return Err(gone(&store, &pull.head)),
        };
        let (checks, reviews, unresolved_threads) = (Vec::new(), Vec::new(), None);
        Ok(PullLook {
            seen,
            mergeable,
            checks,
            runs_checks: false,
            reviews,
            base_changed_at: Ok(None),
            fork,
            lost: BTreeSet::new(),
            unresolved_threads,
            sizes,
        })
    }

    /// The change since it parted from its base.
    async fn changed_lines(&self, pull: &PullRequest, commit: &str) -> ForgeResult<String> {
        let (store, base) = self.place(pull).await?;
        let onto = there(&store, &base).await?;
        if store.commit(&pull.head).await?.as_deref() != Some(commit) {
            return Err(ForgeError::Refused("its branch moved on while it was looked at: repeat the call".to_owned()));
        }
        let bench = self.bench(&store, &onto, Some(commit)).await?;
        let fork = bench.fork(&onto, commit).await?.unwrap_or(onto);
        bench.git.done(&["diff-tree", "-r", "-p", "--no-ext-diff", "--no-textconv", &fork, commit]).await
    }

    async fn merged(&self, pull: &PullRequest, order: &MergeOrder) -> ForgeResult<()> {
        let (store, base) = self.place(pull).await?;
        let onto = there(&store, &base).await?;
        let head = store.commit(&pull.head).await?;
        let bench = self.bench(&store, &onto, head.as_deref()).await?;
        if is_merged(&bench, pull, self.asked_at(pull), &onto, head.as_deref()).await? {
            return Ok(());
        }
        let head = head.ok_or_else(|| gone(&store, &pull.head))?;
        order.fits(&head, base.as_str())?;
        if let Some(fork) = &order.fork
            && !bench.holds(&onto, fork).await?
        {
            let said = format!("`{base}` holds no more what it held when this was approved: hand it in again");
            return Err(ForgeError::Refused(said));
        }
        if store.is_alias(&base).await? {
            return Err(ForgeError::Refused(format!("`{base}` is another name of a branch: merge into that one")));
        }
        if let Some(path) = store.checked_out(&base).await? {
            return Err(ForgeError::Refused(store::held(base.as_str(), &path)));
        }
        Merge { bench: &bench, pull, base: &base, onto, head, now: self.clock.machine_now() }.run(order.method).await
    }

    async fn bench(&self, store: &Store, onto: &str, head: Option<&str>) -> ForgeResult<MergeWorkspace> {
        let tips: Vec<&str> = [onto].into_iter().chain(head).collect();
        self.mirrors.bench(store, &tips).await
    }

    async fn place(&self, pull: &PullRequest) -> ForgeResult<(Store, Branch)> {
        let store = Store::open(&pull.repository, &self.repositories).await?;
        let base = pull.base.clone().ok_or_else(|| ForgeError::Refused("it was never opened".to_owned()))?;
        match &pull.place {
            Some(place) if *place != store.mark()? => Err(ForgeError::Replaced(format!(
                "`{}` is another repository now than the one in which {} was opened, so nothing is known of that one \
                 and nothing is merged: put the first one back, or call update_pr with state `closed`, then create_pr",
                pull.repository, pull.id
            ))),
            Some(_) | None => Ok((store, base)),
        }
    }

    async fn surveyed(&self, repository: &Repository) -> ForgeResult<Surveyed> {
        let store = Store::open(repository, &self.repositories).await?;
        let default_branch = store.default_branch().await?;
        let mut troubles = Vec::new();
        if let Some(branch) = &default_branch {
            let path = store.checked_out(branch).await?;
            troubles.extend(path.map(|path| store::held(branch.as_str(), &path)));
        }
        Ok(Surveyed {
            name: store.to_string(),
            default_branch: default_branch.map(|branch| branch.to_string()),
            may_write: Some(store.may_write()),
            troubles,
        })
    }
}

/// The commit that a branch ends in.
async fn there(store: &Store, branch: &Branch) -> ForgeResult<String> {
    store.commit(branch).await?.ok_or_else(|| gone(store, branch))
}

fn gone(store: &Store, branch: &Branch) -> ForgeError {
    ForgeError::Refused(format!("there is no branch `{branch}` in `{store}`"))
}

/// Whether the base has it: the commit itself, or one with our trailer.
async fn is_merged(
    bench: &MergeWorkspace,
    pull: &PullRequest,
    asked_at: Timestamp,
    onto: &str,
    head: Option<&str>,
) -> ForgeResult<bool> {
    let since = (asked_at - SLACK).0 / 1_000;
    let Some(head) = head else { return bench.carries(onto, None, &pull.id, since).await };
    if bench.holds(onto, head).await? {
        return Ok(true);
    }
    let fork = bench.fork(onto, head).await?;
    bench.carries(onto, fork.as_deref(), &pull.id, since).await
}

#[async_trait]
impl Port for Git {
    async fn open(&self, _: &PullId, spec: &PullSpec) -> ForgeResult<Opened> {
        self.opened(spec).await
    }

    async fn change(&self, pull: &PullRequest, change: &PullChange) -> ForgeResult<PullSeen> {
        let state = match change.open {
            Some(true) => PullState::Open,
            Some(false) => PullState::Closed,
            None => pull.state,
        };
        let title = change.title.as_ref().unwrap_or(&pull.title).clone();
        let (draft, base) = (change.draft.unwrap_or(pull.draft), pull.base.clone());
        Ok(PullSeen { title, draft, state, base, commit: None, place: None })
    }

    async fn merge(&self, pull: &PullRequest, order: &MergeOrder) -> ForgeResult<PullSeen> {
        // A large one takes longer than its caller waits, and goes on meanwhile.
        let name = format!("merge {} at {}", pull.id, order.head);
        let (title, commit) = (pull.title.clone(), Some(order.head.clone()));
        let (base, state, place) = (pull.base.clone(), PullState::Merged, None);
        let seen = PullSeen { title, draft: pull.draft, state, base, commit, place };
        let (git, pull, order) = (self.clone(), pull.clone(), order.clone());
        let work = async move { git.merged(&pull, &order).await };
        self.mirrors.finish(name, work.boxed()).await.1.map(|()| seen)
    }

    async fn base_holds(&self, pull: &PullRequest, commit: &str) -> ForgeResult<bool> {
        let (store, base) = self.place(pull).await?;
        let onto = there(&store, &base).await?;
        let head = store.commit(&pull.head).await?;
        self.bench(&store, &onto, head.as_deref()).await?.holds(&onto, commit).await
    }

    async fn diff(&self, pull: &PullRequest, commit: &str) -> ForgeResult<String> {
        self.changed_lines(pull, commit).await
    }

    async fn look(&self, pull: &PullRequest) -> ForgeResult<PullLook> {
        self.looked_at(pull).await
    }

    async fn who(&self) -> ForgeResult<String> {
        Ok(format!("git {}", self.mirrors.version().await?))
    }

    async fn survey(&self, repository: &Repository) -> ForgeResult<Surveyed> {
        self.surveyed(repository).await
    }

    fn hint(&self, pull: &PullRequest) -> Option<String> {
        let (base, head) = (pull.base.as_ref()?, &pull.head);
        let git = format!("git -C {}", for_shell(&pull.repository.to_string()));
        let [commits, lines] = ["..", "..."].map(|dots| for_shell(&format!("{base}{dots}{head}")).into_owned());
        Some(format!("`{git} log {commits}` lists its commits, `{git} diff {lines}` shows the change."))
    }
}
