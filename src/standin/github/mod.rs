//! A stand-in for GitHub: what the hub asks of its REST interface and of GraphQL, with faults on demand.
//!
//! It is as strict as GitHub, and stricter where GitHub is kind: headers, JSON, known routes and fields alone, branches
//! that were pushed, one open pull request for a branch and its base. Without a listener it is a value, and time can be
//! stopped.
//!
//! - `world` is what it remembers, `routes` what it answers; [`GitHub`] plays the people.

mod listener;
mod routes;
mod world;

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response};
use tokio::sync::watch;

pub use self::listener::serve;
use self::world::{Pull, Repository, Review, World};
use crate::clock::Clock;
use crate::domain::time::Timestamp;

/// The stand-in. Cheap to clone; every clone is the same one.
#[derive(Debug, Clone)]
pub struct GitHub {
    world: Arc<watch::Sender<World>>,
    clock: Clock,
}

/// What is wrong with it, until something else is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// Nothing.
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
    /// What is asked for is done, and the answer to a POST, PATCH or PUT is lost.
    LosesAnswers,
}

impl GitHub {
    /// One that knows this token, on this clock.
    #[must_use]
    pub fn new(token: &str, clock: Clock) -> Self {
        Self { world: Arc::new(watch::Sender::new(World::new(token))), clock }
    }

    /// A repository with its default branch.
    pub fn repository(&self, name: &str, default_branch: &str) {
        self.change(|world| {
            world.repositories.insert(name.to_owned(), Repository::new(default_branch));
        });
    }

    /// Somebody pushes a branch.
    pub fn pushes(&self, repository: &str, branch: &str) {
        self.change(|world| {
            let commit = world.commit();
            world.repository(repository).branches.insert(branch.to_owned(), commit.clone());
            let open = world.repository(repository).pulls.iter_mut();
            open.filter(|pull| pull.open && pull.head == branch).for_each(|pull| pull.commit.clone_from(&commit));
        });
    }

    /// From now on this is wrong with it.
    pub fn fault(&self, fault: Fault) {
        self.change(|world| world.fault = fault);
    }

    /// Somebody closes a pull request by hand.
    pub fn closes(&self, repository: &str, number: u64) {
        self.pull(repository, number, |pull| pull.open = false);
    }

    /// Somebody merges it by hand.
    pub fn merges(&self, repository: &str, number: u64) {
        self.pull(repository, number, |pull| (pull.open, pull.merged) = (false, true));
    }

    /// Somebody of the house reviews it: `APPROVED`, `CHANGES_REQUESTED`, `COMMENTED`.
    pub fn reviews(&self, repository: &str, number: u64, who: &str, state: &str) {
        self.reviews_as("MEMBER", repository, number, who, state);
    }

    /// Somebody reviews it who is this to its repository: `MEMBER`, `CONTRIBUTOR`, `NONE`.
    pub fn reviews_as(&self, association: &'static str, repository: &str, number: u64, who: &str, state: &str) {
        let review = || Review { who: who.to_owned(), state: state.to_owned(), association };
        self.pull(repository, number, |pull| pull.reviews.push(review()));
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

    /// How many pull requests a repository has, open or not.
    #[must_use]
    pub fn count(&self, repository: &str) -> usize {
        self.world.borrow().repositories.get(repository).map_or(0, |known| known.pulls.len())
    }

    /// What a pull request says.
    #[must_use]
    pub fn body_of(&self, repository: &str, number: u64) -> Option<String> {
        let world = self.world.borrow();
        let pulls = &world.repositories.get(repository)?.pulls;
        pulls.iter().find(|pull| pull.number == number).map(|pull| pull.body.clone())
    }

    /// What was asked of it so far, as `POST /repos/acme/shop/pulls`.
    #[must_use]
    pub fn asked(&self) -> Vec<String> {
        self.world.borrow().asked.clone()
    }

    /// Answers a request; none where the connection would be reset.
    #[must_use]
    pub fn answers(&self, request: &Request<Bytes>) -> Option<Response<Bytes>> {
        let now = self.clock.now();
        self.change(|world| routes::answer(world, request, now))
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
