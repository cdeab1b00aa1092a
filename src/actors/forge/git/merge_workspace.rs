//! Where commits of a repository are looked at and merged: a repository of the hub's own that reads the objects of its
//! mirror and goes away with all that was made in it.

use super::bare::Scratch;
use super::borrow;
use super::program::Program;
use super::store::{Store, blocking, unwritten};
use super::trailer::is_of;
use crate::actors::forge::error::ForgeResult;
use crate::domain::ids::PullId;
use crate::domain::pull::Sizes;

/// A repository of the hub's own, in which merges are made.
#[derive(Debug)]
pub(super) struct MergeWorkspace {
    pub(super) git: Program,
    pub(super) scratch: Scratch,
    /// Whose commits these are.
    pub(super) store: Store,
}

impl MergeWorkspace {
    /// Where two commits part; none where they never were one.
    pub(super) async fn fork(&self, one: &str, other: &str) -> ForgeResult<Option<String>> {
        let said = self.git.ask(&["merge-base", one, other]).await?;
        match said.code {
            0 => Ok(Some(said.out.lines().next().unwrap_or_default().to_owned())),
            1 => Ok(None),
            _ => Err(self.git.refused(&said)),
        }
    }

    /// Whether a commit is part of another one's history.
    pub(super) async fn holds(&self, whole: &str, commit: &str) -> ForgeResult<bool> {
        let said = self.git.ask(&["merge-base", "--is-ancestor", commit, whole]).await?;
        match said.code {
            0 => Ok(true),
            1 => Ok(false),
            _ => Err(self.git.refused(&said)),
        }
    }

    /// Whether a commit behind `from` carries the trailer of this pull request; behind nothing, of all that is younger
    /// than `since`, in seconds.
    pub(super) async fn carries(&self, whole: &str, from: Option<&str>, id: &PullId, since: u64) -> ForgeResult<bool> {
        let pattern = format!("--grep={}", is_of(id));
        let limit = from.map_or_else(|| format!("--max-age={since}"), |from| format!("^{from}"));
        let found = self.git.done(&["rev-list", "--max-count=1", "--extended-regexp", &pattern, &limit, whole]).await?;
        Ok(!found.trim().is_empty())
    }

    /// The tree of two commits together, or the files in which they conflict.
    pub(super) async fn merged_tree(
        &self,
        since: Option<&str>,
        ours: &str,
        theirs: &str,
    ) -> ForgeResult<Result<String, Vec<String>>> {
        let since = since.map(|since| format!("--merge-base={since}"));
        let mut words = vec!["merge-tree", "--write-tree", "-z", "--name-only", "--no-messages"];
        words.extend(since.as_deref());
        words.extend([ours, theirs]);
        let said = self.git.ask(&words).await?;
        let mut parts = said.out.split('\0').filter(|part| !part.is_empty()).map(str::to_owned);
        match (said.code, parts.next()) {
            (0, Some(tree)) => Ok(Ok(tree)),
            (1, Some(_)) => Ok(Err(parts.collect())),
            _ => Err(self.git.refused(&said)),
        }
    }

    /// How large the change is, since it parted from its base.
    pub(super) async fn sizes(&self, onto: &str, head: &str) -> ForgeResult<Sizes> {
        let Some(fork) = self.fork(onto, head).await? else { return Ok(Sizes::default()) };
        let range = format!("{fork}..{head}");
        let commits = self.git.done(&["rev-list", "--count", &range]).await?;
        let words = ["diff-tree", "-r", "--shortstat", "--no-ext-diff", "--no-textconv", &fork, head];
        let said = self.git.done(&words).await?;
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

    /// Puts a commit that was made here into the repository, with all that those do not have: as one pack.
    pub(super) async fn gives(&self, commit: &str, without: [&str; 2]) -> ForgeResult<()> {
        let [one, other] = without;
        let pack = self.scratch.path().join("pack").display().to_string();
        let wanted = format!("{commit}\n^{one}\n^{other}\n");
        let hash = self.git.reads(&["pack-objects", "--quiet", "--revs", &pack], &wanted, &[]).await?;
        let (hash, from, objects) = (hash.trim().to_owned(), self.scratch.path().to_owned(), self.store.objects());
        let path = format!("{}/objects", self.store.place().display());
        blocking(move || {
            let given = objects.and_then(|objects| borrow::give(&objects, &from, &hash));
            given.map_err(|error| unwritten(&path, &error))
        })
        .await
    }
}
