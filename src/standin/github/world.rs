//! What the stand-in remembers.

use std::collections::BTreeMap;

use super::Fault;

/// All of it.
#[derive(Debug)]
pub(super) struct World {
    pub(super) token: String,
    pub(super) fault: Fault,
    pub(super) repositories: BTreeMap<String, Repository>,
    pub(super) asked: Vec<String>,
    commits: u64,
}

/// A repository.
#[derive(Debug)]
pub(super) struct Repository {
    pub(super) default_branch: String,
    /// With the commit that each ends in.
    pub(super) branches: BTreeMap<String, String>,
    pub(super) pulls: Vec<Pull>,
}

/// A pull request.
#[derive(Debug)]
pub(super) struct Pull {
    pub(super) number: u64,
    pub(super) title: String,
    pub(super) body: String,
    pub(super) draft: bool,
    pub(super) open: bool,
    pub(super) merged: bool,
    pub(super) head: String,
    pub(super) base: String,
    pub(super) commit: String,
    /// Who, and `APPROVED` or the like, in their order.
    pub(super) reviews: Vec<Review>,
    /// By name, with how each ended.
    pub(super) checks: BTreeMap<String, Option<String>>,
    pub(super) open_threads: usize,
}

impl World {
    pub(super) fn new(token: &str) -> Self {
        let (repositories, asked) = (BTreeMap::new(), Vec::new());
        Self { token: token.to_owned(), fault: Fault::None, repositories, asked, commits: 0 }
    }

    /// A repository; one that is not there yet begins with `main`.
    pub(super) fn repository(&mut self, name: &str) -> &mut Repository {
        self.repositories.entry(name.to_owned()).or_insert_with(|| Repository::new("main"))
    }

    /// The name of a new commit.
    pub(super) fn commit(&mut self) -> String {
        self.commits += 1;
        format!("{:040x}", self.commits)
    }
}

impl Repository {
    pub(super) fn new(default_branch: &str) -> Self {
        let branches = BTreeMap::from([(default_branch.to_owned(), "0".repeat(40))]);
        Self { default_branch: default_branch.to_owned(), branches, pulls: Vec::new() }
    }
}

/// What somebody said of a pull request.
#[derive(Debug)]
pub(super) struct Review {
    pub(super) who: String,
    pub(super) state: String,
    pub(super) association: &'static str,
}
