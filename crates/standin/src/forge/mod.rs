//! A stand-in for a forge: what the hub asks of GitHub, or of Forgejo and Gitea, with faults on demand.
//!
//! It is as strict as the real ones, and stricter where they are kind: headers, JSON, known routes and fields alone,
//! branches that were pushed, one open pull request for a branch and its base. Without a listener it is a value, and
//! time can be stopped.
//!
//! - `world` is what it remembers, the same for every kind;
//! - `github` answers as GitHub does for pull requests, `comments` for comments on issues, `forgejo` as Forgejo does;
//! - `door` lets requests in, `wire` reads them and writes answers, `listener` serves on loopback.

mod comments;
mod door;
mod forgejo;
mod github;
mod listener;
mod wire;
mod world;

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response};
use serde_json::Value;
use tokio::sync::watch;

pub use self::world::{Comment, Merge};
use self::world::{Pull, Repository, Review, World};
use crate::time::Clock;
use crate::time::Timestamp;

/// The stand-in. Cheap to clone; every clone is the same one.
#[derive(Debug, Clone)]
pub struct ForgeStandIn {
    world: Arc<watch::Sender<World>>,
    clock: Clock,
    kind: Kind,
}

/// What it stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// GitHub: REST and what is asked of GraphQL.
    GitHub,
    /// Forgejo or Gitea: REST v1.
    Forgejo,
}

/// What is wrong with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    None,
    /// No connection is answered.
    Down,
    /// 502 from whatever stands in front of it.
    BadGateway,
    /// The limit of the hour is used up until then: 403, with the second at which it is set back.
    UsedUp(Timestamp),
    /// Too many at once: 429 with `Retry-After`.
    TooMany(Duration),
    /// The token was revoked: 401.
    Revoked,
    /// Nothing is taken that would change anything: 502 from whatever stands in front of it.
    ReadsOnly,
    /// What is asked for is done, and the answer to a POST, PATCH or PUT is lost.
    LosesAnswers,
    /// This status, with these headers.
    Answers(u16, Vec<(&'static str, String)>),
    /// This status, with this body and no header that says more.
    Says(u16, Value),
}

impl ForgeStandIn {
    /// One that knows this token, on this clock.
    #[must_use]
    pub fn new(kind: Kind, token: &str, clock: Clock) -> Self {
        Self { world: Arc::new(watch::Sender::new(World::new(token))), clock, kind }
    }

    /// Serves on loopback for as long as the process lives; its address.
    ///
    /// # Panics
    /// When this machine has no port left.
    #[must_use]
    pub fn listens(&self) -> String {
        listener::start(self)
    }

    /// A repository with its default branch.
    pub fn repository(&self, name: &str, default_branch: &str) {
        self.change(|world| {
            world.repositories.insert(name.to_owned(), Repository::new(default_branch));
        });
    }

    /// Whether the token may push to a repository, which it may at first.
    pub fn lets_push(&self, repository: &str, may: bool) {
        self.change(|world| world.repository(repository).may_push = may);
    }

    /// Somebody pushes a branch.
    pub fn pushes(&self, repository: &str, branch: &str) {
        self.change(|world| {
            let commit = world.commit();
            world.repository(repository).branches.insert(branch.to_owned(), commit.clone());
            let open = world.repository(repository).pulls.iter_mut();
            open.filter(|pull| pull.open && pull.head == branch).for_each(|pull| {
                pull.commit.clone_from(&commit);
                // What ran on the commit before says nothing of this one.
                pull.checks.clear();
                pull.suites.clear();
            });
        });
    }

    /// The token that is right from now on.
    pub fn takes_token(&self, token: &str) {
        self.change(|world| token.clone_into(&mut world.token));
    }

    /// From now on this is wrong with it.
    pub fn fault(&self, fault: Fault) {
        self.change(|world| world.fault = fault);
    }

    /// This is wrong with the next request alone, after those that were ordered before. A lost answer waits for a
    /// request that has one to lose.
    pub fn next_fault(&self, fault: Fault) {
        self.change(|world| world.next.push_back(fault));
    }

    /// Nothing is wrong with it any more, and nothing will be with requests to come.
    pub fn mends(&self) {
        self.change(|world| {
            world.fault = Fault::None;
            world.next.clear();
        });
    }

    /// Somebody opens a pull request by hand, into the default branch.
    pub fn opens(&self, repository: &str, who: &str, title: &str, head: &str) {
        self.change(|world| {
            let known = world.repository(repository);
            let base = known.default_branch.clone();
            who.clone_into(&mut known.open(title, "By hand.", head, &base, false).author);
        });
    }

    /// Somebody closes a pull request by hand.
    pub fn closes(&self, repository: &str, number: u64) {
        self.pull(repository, number, |pull| pull.open = false);
    }

    /// Somebody merges it by hand.
    pub fn merges(&self, repository: &str, number: u64) {
        self.pull(repository, number, |pull| (pull.open, pull.merged) = (false, true));
    }

    /// It conflicts with its base from now on.
    pub fn conflicts(&self, repository: &str, number: u64) {
        self.pull(repository, number, |pull| pull.conflicts = true);
    }

    /// For its next looks the forge does not know yet whether it conflicts.
    pub fn ponders(&self, repository: &str, number: u64, looks: u32) {
        self.pull(repository, number, |pull| pull.pondered = looks);
    }

    /// Somebody reviews its newest commit: `APPROVED`, `CHANGES_REQUESTED`, `COMMENTED`, `DISMISSED`.
    pub fn reviews(&self, repository: &str, number: u64, who: &str, state: &str) {
        let at = self.clock.now();
        let (who, state) = (who.to_owned(), state.to_owned());
        self.pull(repository, number, |pull| {
            let (who, state, commit) = (who.clone(), state.clone(), pull.commit.clone());
            pull.reviews.push(Review { who, state, commit, at });
        });
    }

    /// What somebody may do in a repository: `admin`, `write`, `triage`, `read`, `none`. At first everybody may write.
    pub fn permits(&self, repository: &str, who: &str, permission: &'static str) {
        self.change(|world| {
            world.repository(repository).permissions.insert(who.to_owned(), permission);
        });
    }

    /// Somebody takes back what this one said of it last.
    pub fn dismisses(&self, repository: &str, number: u64, who: &str) {
        self.pull(repository, number, |pull| {
            let last = pull.reviews.iter_mut().rev().find(|review| review.who == who);
            last.into_iter().for_each(|review| "DISMISSED".clone_into(&mut review.state));
        });
    }

    /// It is to be merged into another branch from now on.
    pub fn leads_into(&self, repository: &str, number: u64, base: &str) {
        let now = self.clock.now();
        self.change(|world| drop(world.repository(repository).branches.insert(base.to_owned(), "0".repeat(40))));
        self.pull(repository, number, |pull| {
            base.clone_into(&mut pull.base);
            pull.base_changed_at = Some(now);
        });
    }

    /// What its base held where it parted from that is taken out of the base: somebody pushed an older commit there.
    pub fn rewinds(&self, repository: &str, number: u64) {
        self.change(|world| {
            let known = world.repository(repository);
            for pull in known.pulls.iter_mut().filter(|pull| pull.number == number) {
                let before = pull.fork.replace('f', "e");
                known.lost.insert(std::mem::replace(&mut pull.fork, before));
            }
        });
    }

    /// What an application has to say of its newest commit as a whole waits (no conclusion), or ended, without any run.
    pub fn suite(&self, repository: &str, number: u64, app: &str, conclusion: Option<&str>) {
        self.pull(repository, number, |pull| {
            pull.suites.insert(app.to_owned(), conclusion.map(str::to_owned));
        });
    }

    /// The change of its newest commit, as `git diff` prints it.
    pub fn shows(&self, repository: &str, number: u64, diff: &str) {
        self.pull(repository, number, |pull| {
            pull.diffs.insert(pull.commit.clone(), diff.to_owned());
        });
    }

    /// The branch with the change of a pull request, while it is open.
    #[must_use]
    pub fn head_of(&self, repository: &str, number: u64) -> Option<String> {
        let world = self.world.borrow();
        let pulls = &world.repositories.get(repository)?.pulls;
        pulls.iter().find(|pull| pull.number == number && pull.open).map(|pull| pull.head.clone())
    }

    /// The commit and the base of a pull request, and whether it was merged.
    #[must_use]
    pub fn ends_of(&self, repository: &str, number: u64) -> Option<(String, String, bool)> {
        let world = self.world.borrow();
        let pulls = &world.repositories.get(repository)?.pulls;
        let found = pulls.iter().find(|pull| pull.number == number);
        found.map(|pull| (pull.commit.clone(), pull.base.clone(), pull.merged))
    }

    /// A check of its last commit waits or runs (no conclusion), or ended.
    pub fn checks(&self, repository: &str, number: u64, name: &str, conclusion: Option<&str>) {
        self.pull(repository, number, |pull| {
            pull.checks.insert(name.to_owned(), conclusion.map(str::to_owned));
        });
    }

    /// Somebody opens a thread of comments.
    pub fn opens_thread(&self, repository: &str, number: u64) {
        self.pull(repository, number, |pull| pull.open_threads += 1);
    }

    /// Somebody comments on an issue, as `owner/repo#12`.
    pub fn says(&self, item: &str, body: &str) {
        self.says_as("ada-l", item, body);
    }

    /// This account comments on an issue.
    pub fn says_as(&self, who: &str, item: &str, body: &str) {
        let now = self.clock.now();
        self.change(|world| drop(world.add_comment(item, body, who, now)));
    }

    /// A repository has another name from now on; the old one leads to it.
    pub fn renames(&self, from: &str, to: &str) {
        self.change(|world| {
            let id = 7_000 + u64::try_from(world.renamed.len()).unwrap_or_default();
            world.renamed.insert(from.to_owned(), (id, to.to_owned()));
            if let Some(repository) = world.repositories.remove(from) {
                world.repositories.insert(to.to_owned(), repository);
            }
        });
    }

    /// Whether the token may only read, which it is not at first.
    pub fn lets_only_read(&self, only: bool) {
        self.change(|world| world.reads_only = only);
    }

    /// Its clock is so many milliseconds ahead of the hub's, or behind it.
    pub fn is_ahead(&self, millis: i64) {
        self.change(|world| world.ahead = millis);
    }

    /// Every comment on issues, the oldest first.
    #[must_use]
    pub fn comments(&self) -> Vec<Comment> {
        self.world.borrow().comments.clone()
    }

    /// How many pull requests a repository has, open or not.
    #[must_use]
    pub fn count(&self, repository: &str) -> usize {
        self.world.borrow().repositories.get(repository).map_or(0, |known| known.pulls.len())
    }

    /// What a pull request is called, and what it says.
    #[must_use]
    pub fn text_of(&self, repository: &str, number: u64) -> Option<(String, String)> {
        let world = self.world.borrow();
        let pulls = &world.repositories.get(repository)?.pulls;
        let found = pulls.iter().find(|pull| pull.number == number);
        found.map(|pull| (pull.title.clone(), pull.body.clone()))
    }

    /// What was merged by a request, the oldest first.
    #[must_use]
    pub fn merges_asked(&self) -> Vec<Merge> {
        self.world.borrow().merges.clone()
    }

    /// What was asked of it so far, as `POST /repos/acme/shop/pulls`.
    #[must_use]
    pub fn asked(&self) -> Vec<String> {
        self.world.borrow().asked.clone()
    }

    /// Answers a request; none where the connection would be reset.
    #[must_use]
    pub fn answers(&self, request: &Request<Bytes>) -> Option<Response<Bytes>> {
        let (now, kind) = (self.clock.now(), self.kind);
        self.change(|world| door::answer(world, request, kind, now))
    }

    fn pull(&self, repository: &str, number: u64, mut change: impl FnMut(&mut Pull)) {
        self.change(|world| {
            let known = world.repository(repository).pulls.iter_mut().find(|pull| pull.number == number);
            known.into_iter().for_each(&mut change);
        });
    }

    /// Nothing else sees the world meanwhile.
    fn change<T>(&self, change: impl FnOnce(&mut World) -> T) -> T {
        let mut outcome = None;
        self.world.send_modify(|world| outcome = Some(change(world)));
        let Some(outcome) = outcome else { unreachable!("the closure runs once") };
        outcome
    }
}
