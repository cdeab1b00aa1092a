//! Plain git: repositories on the hub's own disk, and no forge beside them.
//!
//! ```text
//!  open ───► is the branch there, and ahead of its base? ─► nothing is written: the hub's record is all there is
//!  change ─► title, draft, open or closed live in the hub alone
//!  look ───► merged: the base has the commit, or a commit with our trailer; else what `merge-tree` says
//!  merge ──► merge-tree ─► commit-tree ─► update-ref, only if the base is where it was
//! ```
//!
//! *Once.* The commit that merges carries the trailer `Callboard-Pull: pr_…` (trailer.rs). A repeat after a crash finds
//! it in the base, and merges nothing.
//!
//! *No work tree is touched.* Git moves no branch that somebody has checked out, and neither does this: the next commit
//! there would undo what was merged.
//!
//! *Where.* A folder has to be among `forge.repositories` by its name, by what that leads to, and by where its branches
//! are kept (folder.rs). What its settings name is not run (program.rs).
//!
//! A branch that was reset to its base looks merged: git does not remember what it was.

mod folder;
mod merging;
mod program;
#[cfg(test)]
mod tests;
mod trailer;

use std::path::Path;
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;

use self::folder::Folder;
use self::merging::{Merge, merged_tree};
use self::program::Program;
use super::error::ForgeError;
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

/// The adapter.
#[derive(Debug)]
pub(super) struct Git {
    /// Where agents may open pull requests.
    repositories: Vec<String>,
    clock: Clock,
}

impl Git {
    /// In these repositories.
    pub(super) const fn new(repositories: Vec<String>, clock: Clock) -> Self {
        Self { repositories, clock }
    }

    /// When a pull request was asked for, by the clocks of those who commit.
    fn asked_at(&self, pull: &PullRequest) -> Timestamp {
        self.clock.to_machine(pull.requested_at)
    }

    async fn opened(&self, spec: &PullSpec) -> Result<Opened, ForgeError> {
        let folder = Folder::open(&spec.repository, &self.repositories).await?;
        let base = match &spec.base {
            Some(base) => base.clone(),
            None => folder.default_branch().await?.ok_or_else(|| {
                ForgeError::Refused("nothing says what to merge into: name the base branch".to_owned())
            })?,
        };
        let (onto, head) = (there(&folder, &base).await?, there(&folder, &spec.head).await?);
        if folder.fork(&onto, &head).await?.is_none() {
            return Err(ForgeError::Refused(format!("`{base}` and `{}` have no commit in common", spec.head)));
        }
        if folder.holds(&onto, &head).await? {
            let why = format!("`{base}` has all commits of `{}`: there is nothing to merge", spec.head);
            return Err(ForgeError::Refused(why));
        }
        Ok(Opened { number: None, url: None, base, commit: Some(head) })
    }

    async fn looked_at(&self, pull: &PullRequest) -> Result<PullLook, ForgeError> {
        let (folder, base) = self.place(pull).await?;
        let onto = there(&folder, &base).await?;
        let head = folder.commit(&pull.head).await?;
        let merged = is_merged(&folder, pull, self.asked_at(pull), &onto, head.as_deref()).await?;
        let state = if merged { PullState::Merged } else { pull.state };
        let (title, base) = (pull.title.clone(), pull.base.clone());
        let seen = PullSeen { title, draft: pull.draft, state, base, commit: head.clone() };
        let (mergeable, sizes) = match head {
            Some(head) => {
                let clean = merged_tree(&folder, None, &onto, &head).await?.is_ok();
                ((!merged).then_some(clean), sizes(&folder, &onto, &head).await?)
            }
            // It was merged, and its branch put away.
            None if merged => (None, Sizes::default()),
            None => return Err(gone(&folder, &pull.head)),
        };
        let (checks, reviews, unresolved_threads) = (Vec::new(), Vec::new(), None);
        let (runs_checks, base_changed_at) = (false, None);
        Ok(PullLook { seen, mergeable, checks, runs_checks, reviews, base_changed_at, unresolved_threads, sizes })
    }

    /// The change since it parted from its base.
    async fn changed_lines(&self, pull: &PullRequest, commit: &str) -> Result<String, ForgeError> {
        let (folder, base) = self.place(pull).await?;
        let onto = there(&folder, &base).await?;
        if folder.commit(&pull.head).await?.as_deref() != Some(commit) {
            return Err(ForgeError::Refused("its branch moved on while it was looked at: repeat the call".to_owned()));
        }
        let fork = folder.fork(&onto, commit).await?.unwrap_or(onto);
        let words = ["diff-tree", "-r", "-p", "--no-ext-diff", "--no-textconv", &fork, commit];
        folder.git.done(&words).await
    }

    async fn merged(&self, pull: &PullRequest, order: &MergeOrder) -> Result<PullSeen, ForgeError> {
        let (folder, base) = self.place(pull).await?;
        let onto = there(&folder, &base).await?;
        let head = folder.commit(&pull.head).await?;
        let (title, draft, state) = (pull.title.clone(), pull.draft, PullState::Merged);
        let seen = PullSeen { title, draft, state, base: Some(base.clone()), commit: head.clone() };
        if is_merged(&folder, pull, self.asked_at(pull), &onto, head.as_deref()).await? {
            return Ok(seen);
        }
        let head = head.ok_or_else(|| gone(&folder, &pull.head))?;
        order.fits(&head, base.as_str())?;
        if folder.is_alias(&base).await? {
            return Err(ForgeError::Refused(format!("`{base}` is another name of a branch: merge into that one")));
        }
        if let Some(path) = folder.checked_out(&base).await? {
            return Err(ForgeError::Refused(held(&base, &path)));
        }
        Merge { folder: &folder, pull, base: &base, onto, head, now: self.clock.machine_now() }
            .run(order.method)
            .await?;
        Ok(seen)
    }

    async fn place(&self, pull: &PullRequest) -> Result<(Folder, Branch), ForgeError> {
        let folder = Folder::open(&pull.repository, &self.repositories).await?;
        let base = pull.base.clone().ok_or_else(|| ForgeError::Refused("it was never opened".to_owned()))?;
        Ok((folder, base))
    }

    async fn surveyed(&self, repository: &Repository) -> Result<Surveyed, ForgeError> {
        let folder = Folder::open(repository, &self.repositories).await?;
        let default_branch = folder.default_branch().await?;
        let mut troubles = Vec::new();
        if let Some(branch) = &default_branch {
            let path = folder.checked_out(branch).await?;
            troubles.extend(path.map(|path| held(branch, &path)));
        }
        let may = rustix::fs::access(folder.store.join("refs/heads"), rustix::fs::Access::WRITE_OK);
        Ok(Surveyed {
            name: folder.path.display().to_string(),
            default_branch: default_branch.map(|branch| branch.to_string()),
            may_write: Some(may.is_ok()),
            troubles,
        })
    }
}

/// The commit that a branch ends in.
async fn there(folder: &Folder, branch: &Branch) -> Result<String, ForgeError> {
    folder.commit(branch).await?.ok_or_else(|| gone(folder, branch))
}

fn gone(folder: &Folder, branch: &Branch) -> ForgeError {
    ForgeError::Refused(format!("there is no branch `{branch}` in `{}`", folder.path.display()))
}

fn held(branch: &Branch, path: &str) -> String {
    format!(
        "`{branch}` is checked out in `{path}`, and git moves no branch under a work tree: check out another branch \
         there, or let agents push to a bare repository"
    )
}

/// Whether the base has it: the commit itself, or one with our trailer.
async fn is_merged(
    folder: &Folder,
    pull: &PullRequest,
    asked_at: Timestamp,
    onto: &str,
    head: Option<&str>,
) -> Result<bool, ForgeError> {
    let since = (asked_at - SLACK).0 / 1_000;
    let Some(head) = head else { return folder.carries(onto, None, &pull.id, since).await };
    if folder.holds(onto, head).await? {
        return Ok(true);
    }
    let fork = folder.fork(onto, head).await?;
    folder.carries(onto, fork.as_deref(), &pull.id, since).await
}

/// How large the change is, since it parted from its base.
async fn sizes(folder: &Folder, onto: &str, head: &str) -> Result<Sizes, ForgeError> {
    let Some(fork) = folder.fork(onto, head).await? else { return Ok(Sizes::default()) };
    let range = format!("{fork}..{head}");
    let commits = folder.git.done(&["rev-list", "--count", &range]).await?;
    let words = ["diff-tree", "-r", "--shortstat", "--no-ext-diff", "--no-textconv", &fork, head];
    let said = folder.git.done(&words).await?;
    let number = |what: &str| {
        let part = said.split(',').find(|part| part.contains(what));
        part.and_then(|part| part.split_whitespace().next()?.parse().ok()).unwrap_or_default()
    };
    Ok(Sizes {
        commits: commits.trim().parse().unwrap_or_default(),
        files: number("file"),
        additions: number("insertion"),
        deletions: number("deletion"),
    })
}

impl Port for Git {
    fn open<'a>(&'a self, _: &'a PullId, spec: &'a PullSpec) -> BoxFuture<'a, Result<Opened, ForgeError>> {
        self.opened(spec).boxed()
    }

    fn change<'a>(
        &'a self,
        pull: &'a PullRequest,
        change: &'a PullChange,
    ) -> BoxFuture<'a, Result<PullSeen, ForgeError>> {
        let state = match change.open {
            Some(true) => PullState::Open,
            Some(false) => PullState::Closed,
            None => pull.state,
        };
        let title = change.title.as_ref().unwrap_or(&pull.title).clone();
        let (draft, base) = (change.draft.unwrap_or(pull.draft), pull.base.clone());
        let seen = PullSeen { title, draft, state, base, commit: None };
        async move { Ok(seen) }.boxed()
    }

    fn merge<'a>(
        &'a self,
        pull: &'a PullRequest,
        order: &'a MergeOrder,
    ) -> BoxFuture<'a, Result<PullSeen, ForgeError>> {
        self.merged(pull, order).boxed()
    }

    fn diff<'a>(&'a self, pull: &'a PullRequest, commit: &'a str) -> BoxFuture<'a, Result<String, ForgeError>> {
        self.changed_lines(pull, commit).boxed()
    }

    fn look<'a>(&'a self, pull: &'a PullRequest) -> BoxFuture<'a, Result<PullLook, ForgeError>> {
        self.looked_at(pull).boxed()
    }

    fn who(&self) -> BoxFuture<'_, Result<String, ForgeError>> {
        async { Ok(format!("git {}", Program::at(Path::new("/")).version().await?)) }.boxed()
    }

    fn survey<'a>(&'a self, repository: &'a Repository) -> BoxFuture<'a, Result<Surveyed, ForgeError>> {
        self.surveyed(repository).boxed()
    }

    fn hint(&self, pull: &PullRequest) -> Option<String> {
        let (base, head) = (pull.base.as_ref()?, &pull.head);
        let git = format!("git -C {}", for_shell(&pull.repository.to_string()));
        let [commits, lines] = ["..", "..."].map(|dots| for_shell(&format!("{base}{dots}{head}")).into_owned());
        Some(format!("`{git} log {commits}` lists its commits, `{git} diff {lines}` shows the change."))
    }
}
