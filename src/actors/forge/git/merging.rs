//! How a branch is merged without a work tree: trees are merged as objects, a commit is made of them, and the base
//! moves to it only if nobody moved it meanwhile.

use super::merge_workspace::MergeWorkspace;
use super::trailer::with_trailer;
use crate::actors::forge::error::{ForgeError, ForgeResult};
use crate::domain::pull::{Branch, MergeMethod, PullRequest};
use crate::domain::time::Timestamp;

/// Who the hub is in commits that it makes.
const NAME: &str = "callboard";
const EMAIL: &str = "callboard@localhost";
/// The most commits that are put on top one by one: each takes two runs of git.
const MOST_REBASED: usize = 200;
/// What is read of each commit, every field ended by a NUL.
const FIELDS: &str = "--format=%H%x00%P%x00%T%x00%an%x00%ae%x00%ad%x00%B%x00";

#[derive(Debug)]
pub(super) struct Merge<'a> {
    pub(super) bench: &'a MergeWorkspace,
    pub(super) pull: &'a PullRequest,
    pub(super) base: &'a Branch,
    /// The commits that both end in.
    pub(super) onto: String,
    pub(super) head: String,
    pub(super) now: Timestamp,
}

/// A commit as it is read, or about to be made.
#[derive(Debug, Clone)]
struct Commit {
    hash: String,
    parents: Vec<String>,
    tree: String,
    author: (String, String, String),
    message: String,
}

impl Merge<'_> {
    /// Merges it in this way, and moves the base.
    pub(super) async fn run(&self, method: MergeMethod) -> ForgeResult<()> {
        let merged = match method {
            MergeMethod::Merge => self.joined().await?,
            MergeMethod::Squash => self.squashed().await?,
            MergeMethod::Rebase => self.rebased().await?,
        };
        let Self { bench, onto, head, .. } = self;
        bench.gives(&merged, [onto, head]).await?;
        let second = self.now.0 / 1_000;
        let line = format!("{onto} {merged} {NAME} <{EMAIL}> {second} +0000\tcallboard: merge {}\n", self.pull.id);
        bench.store.swap(self.base, onto, &merged, line).await
    }

    async fn joined(&self) -> ForgeResult<String> {
        let tree = self.merged(None, &self.onto, &self.head).await?;
        let message = format!("{}\n\nMerge branch '{}' into {}", self.pull.title, self.pull.head, self.base);
        let parents = vec![self.onto.clone(), self.head.clone()];
        self.made(&Commit { parents, tree, message, ..self.own() }, true).await
    }

    async fn squashed(&self) -> ForgeResult<String> {
        let tree = self.merged(None, &self.onto, &self.head).await?;
        let commits = self.commits().await?;
        let subjects: Vec<String> = commits
            .iter()
            .filter(|_| commits.len() > 1)
            .map(|commit| format!("* {}\n", commit.message.lines().next().unwrap_or_default()))
            .collect();
        let message = format!("{}\n\n{}", self.pull.title, subjects.concat());
        let author = commits.last().map_or_else(|| self.own().author, |last| last.author.clone());
        self.made(&Commit { parents: vec![self.onto.clone()], tree, message, author, ..self.own() }, true).await
    }

    async fn rebased(&self) -> ForgeResult<String> {
        let commits = self.commits().await?;
        if commits.iter().any(|commit| commit.parents.len() != 1) {
            let why = "its branch holds merges, which cannot be put on top one by one: merge with another method";
            return Err(ForgeError::Refused(why.to_owned()));
        }
        if commits.len() > MOST_REBASED {
            let why =
                format!("its branch has {} commits, and {MOST_REBASED} can be put on top: squash it", commits.len());
            return Err(ForgeError::Refused(why));
        }
        let (mut tip, mut last) = (self.onto.clone(), None::<Commit>);
        let mut tree = self.tree(&tip).await?;
        for commit in commits {
            let [parent] = commit.parents.as_slice() else { continue };
            let merged = self.merged(Some(parent), &tip, &commit.hash).await?;
            // The base has it already.
            if merged == tree {
                continue;
            }
            tree.clone_from(&merged);
            let next = Commit { parents: vec![tip.clone()], tree: merged, ..commit.clone() };
            tip = if *parent == tip { commit.hash } else { self.made(&next, false).await? };
            last = Some(next);
        }
        let Some(last) = last else {
            return Err(ForgeError::Refused(format!("`{}` has all of it already", self.base)));
        };
        self.made(&last, true).await
    }

    /// The tree of both sides together, since they parted or since that commit.
    async fn merged(&self, since: Option<&str>, ours: &str, theirs: &str) -> ForgeResult<String> {
        match self.bench.merged_tree(since, ours, theirs).await? {
            Ok(tree) => Ok(tree),
            Err(files) => {
                let files: Vec<String> = files.iter().take(10).map(|file| format!("`{file}`")).collect();
                let base = self.base;
                let files = files.join(", ");
                Err(ForgeError::Refused(format!(
                    "it conflicts with `{base}` in {files}: merge or rebase the branch, and commit"
                )))
            }
        }
    }

    async fn tree(&self, commit: &str) -> ForgeResult<String> {
        let name = format!("{commit}^{{tree}}");
        Ok(self.bench.git.done(&["rev-parse", "--verify", &name]).await?.trim().to_owned())
    }

    /// The commits that the base has not, the oldest first.
    async fn commits(&self) -> ForgeResult<Vec<Commit>> {
        let range = format!("{}..{}", self.onto, self.head);
        let words = ["rev-list", "--reverse", "--topo-order", "--no-commit-header", "--date=raw", FIELDS, &range];
        let said = self.bench.git.done(&words).await?;
        let fields: Vec<&str> = said.split('\0').collect();
        let commits = fields.chunks_exact(7).map(|of| Commit {
            hash: of[0].trim().to_owned(),
            parents: of[1].split_whitespace().map(str::to_owned).collect(),
            tree: of[2].to_owned(),
            author: (of[3].to_owned(), of[4].to_owned(), format!("@{}", of[5])),
            message: of[6].to_owned(),
        });
        Ok(commits.collect())
    }

    /// What a commit of the hub's own is, before it has parents and a tree.
    fn own(&self) -> Commit {
        Commit {
            hash: String::new(),
            parents: Vec::new(),
            tree: String::new(),
            author: (NAME.to_owned(), EMAIL.to_owned(), self.date()),
            message: String::new(),
        }
    }

    fn date(&self) -> String {
        format!("@{} +0000", self.now.0 / 1_000)
    }

    /// Makes a commit, with the line by which it is known or without.
    async fn made(&self, commit: &Commit, is_last: bool) -> ForgeResult<String> {
        let message = if is_last { with_trailer(&commit.message, &self.pull.id) } else { commit.message.clone() };
        let mut words = vec!["commit-tree", commit.tree.as_str()];
        words.extend(commit.parents.iter().flat_map(|parent| ["-p", parent.as_str()]));
        words.extend(["-F", "-"]);
        let (name, email, date) = &commit.author;
        // Git makes no commit of nobody's.
        let name = if name.trim().is_empty() { "unknown" } else { name };
        let now = self.date();
        let variables = [
            ("GIT_AUTHOR_NAME", name),
            ("GIT_AUTHOR_EMAIL", email),
            ("GIT_AUTHOR_DATE", date),
            ("GIT_COMMITTER_NAME", NAME),
            ("GIT_COMMITTER_EMAIL", EMAIL),
            ("GIT_COMMITTER_DATE", &now),
        ];
        Ok(self.bench.git.reads(&words, &message, &variables).await?.trim().to_owned())
    }
}
