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
use serde_json::{Map, Value, json};

use self::shapes::{CheckRuns, Data, Pull, RepositoryShape, ReviewShape, Statuses, User};
use self::way::Way;
use super::carrier::Carrier;
use super::error::ForgeError;
use super::place::{path, root};
use super::port::{Opened, Port, Surveyed};
use crate::clock::Clock;
use crate::domain::ids::PullId;
use crate::domain::pull::{
    MergeMethod, PullChange, PullLook, PullRequest, PullSeen, PullSpec, PullState, Repository, last_verdicts, mark,
};

/// The public one.
const PUBLIC: &str = "https://api.github.com";
/// As many as one page holds.
const PAGE: &str = "100";
const FULL: usize = 100;
/// The most pages that are read of one list.
const PAGES: usize = 10;
/// What REST does not say.
const THREADS: &str = "query($owner: String!, $name: String!, $number: Int!, $after: String) { \
    repository(owner: $owner, name: $name) { pullRequest(number: $number) { \
    reviewThreads(first: 100, after: $after) { nodes { isResolved } pageInfo { hasNextPage endCursor } } } } }";

/// What only GraphQL changes.
const TO_DRAFT: &str =
    "mutation($id: ID!) { convertPullRequestToDraft(input: {pullRequestId: $id}) { clientMutationId } }";
const TO_READY: &str =
    "mutation($id: ID!) { markPullRequestReadyForReview(input: {pullRequestId: $id}) { clientMutationId } }";

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

    /// A whole list: what is decided by it must not stand on a page that nobody read.
    async fn all<P: DeserializeOwned, T>(&self, path: &str, items: impl Fn(P) -> Vec<T>) -> Result<Vec<T>, ForgeError> {
        let mut all = Vec::new();
        for page in 1..=PAGES {
            let page = page.to_string();
            let found = items(self.get(path, &[("per_page", PAGE), ("page", &page)]).await?);
            let more = found.len() >= FULL;
            all.extend(found);
            if !more {
                return Ok(all);
            }
        }
        Err(ForgeError::Unreadable(format!("it has more than {} of what is read by pages", FULL * PAGES)))
    }

    async fn post<T: DeserializeOwned>(&self, path: &str, body: &impl Serialize) -> Result<T, ForgeError> {
        self.0.post(path, Some(body)).await.map_err(way::error)
    }

    async fn opened(&self, id: &PullId, spec: &PullSpec) -> Result<Opened, ForgeError> {
        let (owner, root) = root(&spec.repository)?;
        let pulls = format!("{root}/pulls");
        if let Some(found) = self.found(owner, &pulls, id, spec).await? {
            return found.found(&mark(id));
        }
        let base = match &spec.base {
            Some(base) => base.as_str().to_owned(),
            None => self.get::<RepositoryShape>(&root, &[]).await?.default_branch,
        };
        let body = format!("{}\n\n{}", spec.body, mark(id));
        let asked = json!({"title": spec.title, "head": spec.head, "base": base, "body": body, "draft": spec.draft});
        match self.post::<Pull>(&pulls, &asked).await {
            // Somebody opened it meanwhile.
            Err(ForgeError::Refused(why)) if why.contains("already exists") => {
                match self.found(owner, &pulls, id, spec).await? {
                    Some(found) => found.found(&mark(id)),
                    None => Err(ForgeError::Refused(why)),
                }
            }
            posted => posted?.opened(),
        }
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

    async fn changed(&self, pull: &PullRequest, change: &PullChange) -> Result<PullSeen, ForgeError> {
        let path = path(pull)?;
        let mut fields = Map::new();
        fields.extend(change.title.clone().map(|title| ("title".to_owned(), json!(title))));
        // The mark stays: a repeat of the opening is found by it.
        let body = change.body.as_ref().map(|body| format!("{body}\n\n{}", mark(&pull.id)));
        fields.extend(body.map(|body| ("body".to_owned(), json!(body))));
        let state = change.open.map(|open| if open { "open" } else { "closed" });
        fields.extend(state.map(|state| ("state".to_owned(), json!(state))));
        let it: Pull = match fields.is_empty() {
            true => self.get(&path, &[]).await?,
            false => self.0.patch(&path, Some(&fields)).await.map_err(way::error)?,
        };
        match change.draft {
            Some(draft) if draft != it.draft.unwrap_or_default() => {
                let asked = json!({"query": if draft { TO_DRAFT } else { TO_READY }, "variables": {"id": it.node_id}});
                self.post::<Data>("/graphql", &asked).await?.done()?;
                Ok(PullSeen { draft, ..it.seen() })
            }
            Some(_) | None => Ok(it.seen()),
        }
    }

    async fn merged(&self, pull: &PullRequest, method: MergeMethod, commit: &str) -> Result<PullSeen, ForgeError> {
        let path = path(pull)?;
        let it: Pull = self.get(&path, &[]).await?;
        let seen = it.seen();
        if seen.state == PullState::Merged {
            return Ok(seen);
        }
        let asked = json!({"merge_method": method, "sha": commit});
        let _: Value = self.0.put(format!("{path}/merge"), Some(&asked)).await.map_err(way::error)?;
        Ok(PullSeen { state: PullState::Merged, ..seen })
    }

    async fn looked_at(&self, pull: &PullRequest) -> Result<PullLook, ForgeError> {
        let (owner, root) = root(&pull.repository)?;
        let number = pull.number.ok_or_else(|| ForgeError::Refused("it has no number there".to_owned()))?;
        let it: Pull = self.get(&format!("{root}/pulls/{number}"), &[]).await?;
        let commit = it.head.sha.clone();
        let of_commit = format!("{root}/commits/{commit}");
        let name = root.rsplit('/').next().unwrap_or_default();
        let (of_runs, of_statuses) = (format!("{of_commit}/check-runs"), format!("{of_commit}/status"));
        let of_reviews = format!("{root}/pulls/{number}/reviews");
        let (runs, statuses, reviews, threads) = tokio::try_join!(
            self.all(&of_runs, |runs: CheckRuns| runs.check_runs),
            self.all(&of_statuses, |statuses: Statuses| statuses.statuses),
            self.all(&of_reviews, |reviews: Vec<ReviewShape>| reviews),
            self.threads(owner, name, number),
        )?;
        let checks = runs.into_iter().map(Into::into).chain(statuses.into_iter().map(Into::into));
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

    /// How many threads of comments are open.
    async fn threads(&self, owner: &str, name: &str, number: u64) -> Result<u32, ForgeError> {
        let (mut open, mut after) = (0_u32, None::<String>);
        for _ in 1..=PAGES {
            let variables = json!({"owner": owner, "name": name, "number": number, "after": after});
            let asked = json!({"query": THREADS, "variables": variables});
            let page = self.post::<Data>("/graphql", &asked).await?.threads()?;
            open = open.saturating_add(page.open);
            match page.next {
                Some(next) => after = Some(next),
                None => return Ok(open),
            }
        }
        Err(ForgeError::Unreadable(format!("it has more than {} threads", PAGES * FULL)))
    }

    async fn named(&self) -> Result<String, ForgeError> {
        match self.get::<User>("/user", &[]).await {
            Ok(user) => Ok(format!("the token is that of `{}`", user.login)),
            // That of an app may not ask.
            Err(ForgeError::Forbidden(_)) => Ok("the token is accepted, and may not say whose it is".to_owned()),
            Err(error) => Err(error),
        }
    }

    async fn surveyed(&self, repository: &Repository) -> Result<Surveyed, ForgeError> {
        Ok(self.get::<RepositoryShape>(&root(repository)?.1, &[]).await?.surveyed())
    }
}

impl Port for GitHub {
    fn open<'a>(&'a self, id: &'a PullId, spec: &'a PullSpec) -> BoxFuture<'a, Result<Opened, ForgeError>> {
        self.opened(id, spec).boxed()
    }

    fn change<'a>(
        &'a self,
        pull: &'a PullRequest,
        change: &'a PullChange,
    ) -> BoxFuture<'a, Result<PullSeen, ForgeError>> {
        self.changed(pull, change).boxed()
    }

    fn merge<'a>(
        &'a self,
        pull: &'a PullRequest,
        method: MergeMethod,
        commit: &'a str,
    ) -> BoxFuture<'a, Result<PullSeen, ForgeError>> {
        self.merged(pull, method, commit).boxed()
    }

    fn look<'a>(&'a self, pull: &'a PullRequest) -> BoxFuture<'a, Result<PullLook, ForgeError>> {
        self.looked_at(pull).boxed()
    }

    fn who(&self) -> BoxFuture<'_, Result<String, ForgeError>> {
        self.named().boxed()
    }

    fn survey<'a>(&'a self, repository: &'a Repository) -> BoxFuture<'a, Result<Surveyed, ForgeError>> {
        self.surveyed(repository).boxed()
    }
}
