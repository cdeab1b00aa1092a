//! A repository on disk: whether the hub may work in it, and what its branches are.

use std::path::{Path, PathBuf};

use super::program::Program;
use super::trailer::is_of;
use crate::actors::forge::error::ForgeError;
use crate::domain::ids::PullId;
use crate::domain::pull::{Branch, Repository, is_allowed};

/// A repository in which the hub may work.
#[derive(Debug)]
pub(super) struct Folder {
    pub(super) git: Program,
    /// Its whole path, without links.
    pub(super) path: PathBuf,
    /// Where its branches are kept: `.git`, itself, or that of another folder whose work tree it is.
    pub(super) store: PathBuf,
    bare: bool,
}

impl Folder {
    /// The one that is called so, where the list admits it and what it leads to: links lead elsewhere than they say,
    /// and so does the file `.git` of a work tree.
    pub(super) async fn open(repository: &Repository, list: &[String]) -> Result<Self, ForgeError> {
        let refused = |words: String| Err(ForgeError::Refused(words));
        let Repository::Folder(named) = repository else {
            return refused(format!(
                "`{repository}` is no folder: with forge.kind git a repository is the whole path of a folder"
            ));
        };
        let path = match tokio::fs::canonicalize(named).await {
            Ok(path) => path,
            Err(error) => return refused(format!("there is no folder `{named}`: {error}")),
        };
        if !is_allowed(list, repository) || !admits(list, &path) {
            let leads =
                if path == Path::new(named) { String::new() } else { format!(" leads to `{}` and", path.display()) };
            return refused(format!("`{named}`{leads} is not among forge.repositories"));
        }
        let git = Program::at(&path);
        git.version().await?;
        let about =
            git.done(&["rev-parse", "--path-format=absolute", "--is-bare-repository", "--git-common-dir"]).await?;
        let (bare, store) = about.trim_end().split_once('\n').unwrap_or_default();
        let Ok(store) = tokio::fs::canonicalize(store).await else {
            return refused(format!("`{named}` is no git repository: `{store}` is not there"));
        };
        let of_store = store.parent().filter(|_| store.ends_with(".git")).unwrap_or(&store);
        if store != path && of_store != path && !admits(list, &store) && !admits(list, of_store) {
            let elsewhere = store.display();
            return refused(format!("`{named}` keeps its branches in `{elsewhere}`, not among forge.repositories"));
        }
        Ok(Self { git: git.without_drivers().await?, path, store, bare: bare == "true" })
    }

    /// The commit that a branch ends in; none where there is no such branch.
    pub(super) async fn commit(&self, branch: &Branch) -> Result<Option<String>, ForgeError> {
        let name = format!("{}^{{commit}}", reference(branch));
        let said = self.git.ask(&["rev-parse", "--verify", "--quiet", "--end-of-options", &name]).await?;
        Ok((said.code == 0).then(|| said.out.trim().to_owned()))
    }

    /// What is merged into where nobody says otherwise: what the remote says, what a bare repository says, or `main` or
    /// `master`; the first that is a branch here.
    pub(super) async fn default_branch(&self) -> Result<Option<Branch>, ForgeError> {
        let mut names = Vec::new();
        let origin = self.git.ask(&["symbolic-ref", "--quiet", "refs/remotes/origin/HEAD"]).await?;
        names.extend(origin.out.trim().strip_prefix("refs/remotes/origin/").map(str::to_owned));
        if self.bare {
            let head = self.git.ask(&["symbolic-ref", "--quiet", "HEAD"]).await?;
            names.extend(head.out.trim().strip_prefix("refs/heads/").map(str::to_owned));
        }
        names.extend(["main", "master"].map(str::to_owned));
        for name in names {
            let Ok(branch) = Branch::parse(&name) else { continue };
            if self.commit(&branch).await?.is_some() {
                return Ok(Some(branch));
            }
        }
        Ok(None)
    }

    /// Where two commits part; none where they never were one.
    pub(super) async fn fork(&self, one: &str, other: &str) -> Result<Option<String>, ForgeError> {
        let said = self.git.ask(&["merge-base", one, other]).await?;
        match said.code {
            0 => Ok(Some(said.out.lines().next().unwrap_or_default().to_owned())),
            1 => Ok(None),
            _ => Err(said.refused(&self.path)),
        }
    }

    /// Whether a commit is part of another one's history.
    pub(super) async fn holds(&self, whole: &str, commit: &str) -> Result<bool, ForgeError> {
        let said = self.git.ask(&["merge-base", "--is-ancestor", commit, whole]).await?;
        match said.code {
            0 => Ok(true),
            1 => Ok(false),
            _ => Err(said.refused(&self.path)),
        }
    }

    /// Whether a commit behind `from` carries the trailer of this pull request; behind nothing, of all that is younger
    /// than `since`, in seconds.
    pub(super) async fn carries(
        &self,
        whole: &str,
        from: Option<&str>,
        id: &PullId,
        since: u64,
    ) -> Result<bool, ForgeError> {
        let pattern = format!("--grep={}", is_of(id));
        let limit = from.map_or_else(|| format!("--max-age={since}"), |from| format!("^{from}"));
        let found = self.git.done(&["rev-list", "--max-count=1", "--extended-regexp", &pattern, &limit, whole]).await?;
        Ok(!found.trim().is_empty())
    }

    /// Where a branch is checked out; none where it is nowhere.
    pub(super) async fn checked_out(&self, branch: &Branch) -> Result<Option<String>, ForgeError> {
        let list = self.git.done(&["worktree", "list", "--porcelain", "-z"]).await?;
        let wanted = format!("branch {}", reference(branch));
        let of = list.split("\0\0").find(|tree| tree.split('\0').any(|line| line == wanted));
        let path = of.and_then(|tree| tree.split('\0').find_map(|line| line.strip_prefix("worktree ")));
        Ok(path.map(str::to_owned))
    }

    /// Whether a branch is only another name of one.
    pub(super) async fn is_alias(&self, branch: &Branch) -> Result<bool, ForgeError> {
        Ok(self.git.ask(&["symbolic-ref", "--quiet", &reference(branch)]).await?.code == 0)
    }
}

/// A branch's whole name, which no option is called.
pub(super) fn reference(branch: &Branch) -> String {
    format!("refs/heads/{branch}")
}

fn admits(list: &[String], path: &Path) -> bool {
    let folder = path.to_str().and_then(|path| Repository::parse(path).ok());
    folder.is_some_and(|folder| is_allowed(list, &folder))
}
