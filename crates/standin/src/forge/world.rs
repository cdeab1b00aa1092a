//! What the stand-in remembers.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::Fault;
use crate::time::Timestamp;

/// Whose the token is.
pub(super) const OWN: &str = "callboard-bot";

#[derive(Debug)]
pub(super) struct World {
    pub(super) token: String,
    pub(super) fault: Fault,
    /// What is wrong with the next requests, one each.
    pub(super) next: VecDeque<Fault>,
    pub(super) repositories: BTreeMap<String, Repository>,
    pub(super) comments: Vec<Comment>,
    pub(super) asked: Vec<String>,
    /// What was merged by a request, the oldest first.
    pub(super) merges: Vec<Merge>,
    /// When the present request came.
    pub(super) now: Timestamp,
    /// What repositories were called, with the number that they have for ever and what they are called now.
    pub(super) renamed: BTreeMap<String, (u64, String)>,
    /// Whether the token may only read.
    pub(super) reads_only: bool,
    /// How far its clock is ahead, in milliseconds.
    pub(super) ahead: i64,
    commits: u64,
}

#[derive(Debug)]
pub(super) struct Repository {
    pub(super) default_branch: String,
    pub(super) may_push: bool,
    /// With the commit that each ends in.
    pub(super) branches: BTreeMap<String, String>,
    /// What people may do there, where it is not what they may do at first.
    pub(super) permissions: BTreeMap<String, &'static str>,
    pub(super) pulls: Vec<Pull>,
    /// Commits that no base holds any more.
    pub(super) lost: BTreeSet<String>,
}

/// A pull request.
#[derive(Debug)]
pub(super) struct Pull {
    pub(super) number: u64,
    /// Who opened it.
    pub(super) author: String,
    pub(super) title: String,
    pub(super) body: String,
    /// Kept by GitHub alone: with Forgejo the title says so.
    pub(super) draft: bool,
    pub(super) open: bool,
    pub(super) merged: bool,
    pub(super) conflicts: bool,
    /// For how many more looks it is not known whether it conflicts.
    pub(super) pondered: u32,
    pub(super) head: String,
    pub(super) base: String,
    pub(super) commit: String,
    /// Who, and `APPROVED` or the like, in their order.
    pub(super) reviews: Vec<Review>,
    /// By name, with how each ended.
    pub(super) checks: BTreeMap<String, Option<String>>,
    pub(super) open_threads: usize,
    /// By application, with how its suite ended; one without runs.
    pub(super) suites: BTreeMap<String, Option<String>>,
    /// Where it parted from its base.
    pub(super) fork: String,
    /// When its base was changed last.
    pub(super) base_changed_at: Option<Timestamp>,
    /// The change of each commit that has another one than the usual.
    pub(super) diffs: BTreeMap<String, String>,
    /// When it was asked last who may write of those who reviewed it, and whether an approval lived then.
    pub(super) looked: Option<(Timestamp, bool)>,
}

/// A merge that was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Merge {
    /// Of which pull request.
    pub number: u64,
    /// The commit that was merged.
    pub commit: String,
    /// What it was merged into.
    pub base: String,
    /// Whether somebody who may write had approved this commit for this base, and nobody took that back: when it was
    /// merged, or when the hub looked just before.
    pub approved: bool,
}

/// What somebody said of a pull request.
#[derive(Debug)]
pub(super) struct Review {
    pub(super) who: String,
    pub(super) state: String,
    /// Of which commit.
    pub(super) commit: String,
    pub(super) at: Timestamp,
}

/// A comment on an issue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comment {
    pub id: u64,
    /// On what, as `owner/repo#12`.
    pub item: String,
    /// What it says.
    pub body: String,
    /// How often it was changed.
    pub edits: u32,
    /// Who wrote it.
    pub by: String,
    /// When, by the forge's clock.
    pub at: Timestamp,
}

impl World {
    pub(super) fn new(token: &str) -> Self {
        Self {
            token: token.to_owned(),
            fault: Fault::None,
            next: VecDeque::new(),
            repositories: BTreeMap::new(),
            comments: Vec::new(),
            asked: Vec::new(),
            merges: Vec::new(),
            now: Timestamp::default(),
            renamed: BTreeMap::new(),
            reads_only: false,
            ahead: 0,
            commits: 0,
        }
    }

    /// A repository; one that is not there yet begins with `main`.
    pub(super) fn repository(&mut self, name: &str) -> &mut Repository {
        self.repositories.entry(name.to_owned()).or_insert_with(|| Repository::new("main"))
    }

    /// The name of a new commit.
    /// Another one each time, also in its first digits.
    pub(super) fn commit(&mut self) -> String {
        self.commits += 1;
        format!("{:08x}{:032x}", self.commits, 0)
    }

    pub(super) fn add_comment(&mut self, item: &str, body: &str, by: &str, at: Timestamp) -> Comment {
        let id = 1_000 + u64::try_from(self.comments.len()).unwrap_or_default();
        let (by, body) = (by.to_owned(), body.to_owned());
        let comment = Comment { id, item: item.to_owned(), body, edits: 0, by, at };
        self.comments.push(comment.clone());
        comment
    }
}

impl Repository {
    pub(super) fn new(default_branch: &str) -> Self {
        let branches = BTreeMap::from([(default_branch.to_owned(), "0".repeat(40))]);
        Self {
            default_branch: default_branch.to_owned(),
            may_push: true,
            branches,
            permissions: BTreeMap::new(),
            pulls: Vec::new(),
            lost: BTreeSet::new(),
        }
    }

    /// A new pull request of branches that are there.
    pub(super) fn open(&mut self, title: &str, body: &str, head: &str, base: &str, draft: bool) -> &mut Pull {
        self.pulls.push(Pull {
            number: u64::try_from(self.pulls.len()).unwrap_or_default() + 1,
            author: OWN.to_owned(),
            title: title.to_owned(),
            body: body.to_owned(),
            draft,
            open: true,
            merged: false,
            conflicts: false,
            pondered: 0,
            head: head.to_owned(),
            base: base.to_owned(),
            commit: self.branches.get(head).cloned().unwrap_or_default(),
            reviews: Vec::new(),
            checks: BTreeMap::new(),
            open_threads: 0,
            suites: BTreeMap::new(),
            fork: "f".repeat(40),
            base_changed_at: None,
            diffs: BTreeMap::new(),
            looked: None,
        });
        let last = self.pulls.len() - 1;
        &mut self.pulls[last]
    }

    /// Whether an open one leads from this branch to that one.
    pub(super) fn has_open(&self, head: &str, base: &str) -> bool {
        self.pulls.iter().any(|pull| pull.open && pull.head == head && pull.base == base)
    }

    /// What somebody may do there: `admin`, `write`, `triage`, `read`, `none`.
    pub(super) fn permission(&self, who: &str) -> &'static str {
        self.permissions.get(who).copied().unwrap_or("write")
    }

    /// Whether somebody may write there, and is a person.
    pub(super) fn writes(&self, who: &str) -> bool {
        matches!(self.permission(who), "admin" | "write") && !who.ends_with("[bot]")
    }

    /// Whether an approval of a pull request lives, of its newest commit and its base.
    pub(super) fn is_approved(&self, pull: &Pull) -> bool {
        pull.verdicts().into_iter().any(|(who, review)| {
            let of_this = review.state == "APPROVED" && review.commit == pull.commit;
            let since = pull.base_changed_at.is_none_or(|changed| review.at > changed);
            of_this && since && self.writes(who) && who != "callboard-bot"
        })
    }

    /// What ran on a commit, with how each ended.
    pub(super) fn checks(&self, commit: &str) -> Vec<(&String, &Option<String>)> {
        self.pulls.iter().filter(|pull| pull.commit == commit).flat_map(|pull| &pull.checks).collect()
    }
}

impl Pull {
    /// The change of its newest commit, as `git diff` prints it.
    pub(super) fn diff(&self, commit: &str) -> String {
        let usual = || {
            let line = format!("+as of {commit}");
            format!(
                "diff --git a/src/login.rs b/src/login.rs\n--- a/src/login.rs\n+++ b/src/login.rs\n\
                 @@ -1 +1,2 @@\n fn log_in() {{}}\n{line}\n"
            )
        };
        self.diffs.get(commit).cloned().unwrap_or_else(usual)
    }

    /// Each person's last verdict, by login.
    pub(super) fn verdicts(&self) -> BTreeMap<&str, &Review> {
        let judges = self.reviews.iter().filter(|review| review.state != "COMMENTED");
        judges.map(|review| (review.who.as_str(), review)).collect()
    }

    /// The state is to be this: GitHub's and Forgejo's words for it are the same.
    pub(super) fn turn(&mut self, state: Option<&str>) -> Result<(), &'static str> {
        match state {
            Some("open") if self.merged => return Err("state cannot be changed: it was merged"),
            Some("open") => self.open = true,
            Some("closed") => self.open = false,
            Some(_) => return Err("state is invalid"),
            None => {}
        }
        Ok(())
    }
}
