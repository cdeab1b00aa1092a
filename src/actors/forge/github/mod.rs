//! GitHub, also one that a company runs itself: its REST interface, and GraphQL for what REST does not say.

mod shapes;
mod way;

use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use octocrab::Octocrab;
use secrecy::SecretString;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use self::shapes::{CheckRuns, Data, Pull, RepositoryShape, ReviewShape, Statuses};
use self::way::Way;
use super::carrier::Carrier;
use super::error::ForgeError;
use super::port::{Opened, Port};
use crate::clock::Clock;
use crate::domain::ids::PullId;
use crate::domain::pull::{Branch, PullLook, PullRequest, PullSpec, Repository, last_verdicts, mark};

/// The public one.
const PUBLIC: &str = "https://api.github.com";
/// As many as one page holds.
const PAGE: &str = "100";
/// What REST does not say.
const THREADS: &str = "query($owner: String!, $name: String!, $number: Int!) { \
    repository(owner: $owner, name: $name) { pullRequest(number: $number) { \
    reviewThreads(first: 100) { nodes { isResolved } } } } }";

/// The adapter.
#[derive(Debug)]
pub(super) struct GitHub(Octocrab);

impl GitHub {
    /// At this address of its REST interface; at the public one where none is named.
    ///
    /// # Errors
    /// When the token cannot stand in a header.
    pub(super) fn new(
        base: Option<&str>,
        token: &SecretString,
        carrier: Arc<dyn Carrier>,
        clock: Clock,
    ) -> Result<Self, ForgeError> {
        let way = Way::new(base.unwrap_or(PUBLIC), token, carrier, clock)?;
        let builder = octocrab::OctocrabBuilder::new_empty().with_service(way).with_auth(octocrab::AuthState::None);
        let built = builder.build().map_err(|never: std::convert::Infallible| match never {})?;
        Ok(Self(built))
    }

    async fn get<T: DeserializeOwned>(&self, path: &str, query: &[(&str, &str)]) -> Result<T, ForgeError> {
        self.0.get(path, Some(query)).await.map_err(way::error)
    }

    async fn post<T: DeserializeOwned>(&self, path: &str, body: &impl Serialize) -> Result<T, ForgeError> {
        self.0.post(path, Some(body)).await.map_err(way::error)
    }

    async fn opened(&self, id: &PullId, spec: &PullSpec) -> Result<Opened, ForgeError> {
        let (owner, root) = root(&spec.repository)?;
        let pulls = format!("{root}/pulls");
        if let Some(found) = self.found(owner, &pulls, id, spec).await? {
            return found.opened();
        }
        let base = match &spec.base {
            Some(base) => base.as_str().to_owned(),
            None => self.get::<RepositoryShape>(&root, &[]).await?.default_branch,
        };
        let body = format!("{}\n\n{}", spec.body, mark(id));
        let asked = json!({"title": spec.title, "head": spec.head, "base": base, "body": body, "draft": spec.draft});
        self.post::<Pull>(&pulls, &asked).await?.opened()
    }

    /// What an earlier attempt left, or an open one of the same branches: a forge has one of those at a time.
    async fn found(&self, owner: &str, pulls: &str, id: &PullId, spec: &PullSpec) -> Result<Option<Pull>, ForgeError> {
        let (head, mark) = (format!("{owner}:{}", spec.head), mark(id));
        let query = [("state", "all"), ("head", &head), ("sort", "created"), ("direction", "desc"), ("per_page", PAGE)];
        let mut known: Vec<Pull> = self.get(pulls, &query).await?;
        let marked = known.iter().position(|pull| pull.body.as_deref().is_some_and(|body| body.contains(&mark)));
        let fits =
            |pull: &Pull| pull.is_open() && spec.base.as_ref().is_none_or(|base| pull.base.name == base.as_str());
        let place = marked.or_else(|| known.iter().position(fits));
        Ok(place.map(|place| known.swap_remove(place)))
    }

    async fn looked_at(&self, pull: &PullRequest) -> Result<PullLook, ForgeError> {
        let (owner, root) = root(&pull.repository)?;
        let number = pull.number.ok_or_else(|| ForgeError::Refused("it has no number there".to_owned()))?;
        let it: Pull = self.get(&format!("{root}/pulls/{number}"), &[]).await?;
        let (commit, page) = (it.head.sha.clone(), [("per_page", PAGE)]);
        let runs: CheckRuns = self.get(&format!("{root}/commits/{commit}/check-runs"), &page).await?;
        let statuses: Statuses = self.get(&format!("{root}/commits/{commit}/status"), &page).await?;
        let reviews: Vec<ReviewShape> = self.get(&format!("{root}/pulls/{number}/reviews"), &page).await?;
        let name = root.rsplit('/').next().unwrap_or_default();
        let asked = json!({"query": THREADS, "variables": {"owner": owner, "name": name, "number": number}});
        let threads = self.post::<Data>("/graphql", &asked).await?.threads()?;
        let checks = runs.check_runs.into_iter().map(Into::into).chain(statuses.statuses.into_iter().map(Into::into));
        Ok(PullLook {
            seen: it.seen(),
            mergeable: it.mergeable,
            commit,
            checks: checks.collect(),
            reviews: last_verdicts(reviews.into_iter().filter_map(ReviewShape::said)),
            unresolved_threads: Some(threads),
            sizes: it.sizes(),
        })
    }
}

impl Port for GitHub {
    fn open<'a>(&'a self, id: &'a PullId, spec: &'a PullSpec) -> BoxFuture<'a, Result<Opened, ForgeError>> {
        self.opened(id, spec).boxed()
    }

    fn look<'a>(&'a self, pull: &'a PullRequest) -> BoxFuture<'a, Result<PullLook, ForgeError>> {
        self.looked_at(pull).boxed()
    }
}

/// Whose a repository is, and where its things lie.
fn root(repository: &Repository) -> Result<(&str, String), ForgeError> {
    let (owner, name) = repository.on_forge().ok_or_else(|| {
        ForgeError::Refused(format!("`{repository}` is a folder: on GitHub a repository is called `owner/name`"))
    })?;
    Ok((owner, format!("/repos/{owner}/{name}")))
}

/// A branch's name as GitHub tells it.
fn branch(name: &str) -> Result<Branch, ForgeError> {
    Branch::parse(name).map_err(|_| ForgeError::Unreadable("it names a branch that is none".to_owned()))
}

/// What GraphQL says went wrong, although it answers 200.
fn graphql_error(errors: &[Value]) -> ForgeError {
    let said: Vec<&str> = errors.iter().filter_map(|error| error["message"].as_str()).collect();
    ForgeError::Refused(crate::domain::text::shorten(&said.join(": "), 300))
}
