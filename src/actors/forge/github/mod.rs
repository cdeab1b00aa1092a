//! GitHub, also one that a company runs itself: its REST interface, and GraphQL for what REST does not say.

mod shapes;
mod way;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use http::header::{ACCEPT, HeaderValue};
use http_body_util::BodyExt as _;
use octocrab::Octocrab;
use secrecy::SecretString;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use self::shapes::{
    CheckRuns, CheckSuite, CheckSuites, Compared, Data, House, Pull, RepositoryShape, ReviewShape, Statuses, User,
};
use self::way::Way;
use super::carrier::Carrier;
use super::error::ForgeError;
use super::place::{escaped, path, root};
use super::port::{MergeOrder, Opened, Port, Surveyed};
use crate::clock::Clock;
use crate::domain::ids::PullId;
use crate::domain::pull::{
    PullChange, PullLook, PullRequest, PullSeen, PullSpec, PullState, Repository, last_verdicts, mark,
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

/// Who may write, of those who gave a verdict; whose the token is, who opened it, and when its base was changed last.
const HOUSE: &str = "query($owner: String!, $name: String!, $number: Int!, $after: String) { viewer { login } \
    repository(owner: $owner, name: $name) { pullRequest(number: $number) { author { login } \
    timelineItems(last: 1, itemTypes: [BASE_REF_CHANGED_EVENT]) { nodes { ... on BaseRefChangedEvent { createdAt } } } \
    latestOpinionatedReviews(first: 100, after: $after, writersOnly: true) { nodes { author { __typename login } } \
    pageInfo { hasNextPage endCursor } } } } }";
/// How long the forge is given to find out whether it can be merged, and the pause between two looks.
const PONDERS: Duration = Duration::from_secs(10);
const PAUSE: Duration = Duration::from_secs(1);

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

    async fn merged(&self, pull: &PullRequest, order: &MergeOrder) -> Result<PullSeen, ForgeError> {
        let path = path(pull)?;
        let it: Pull = self.get(&path, &[]).await?;
        let seen = it.seen();
        if seen.state == PullState::Merged {
            return Ok(seen);
        }
        order.fits(&it.head.sha, &it.base.name)?;
        let asked = json!({"merge_method": order.method, "sha": order.head});
        let _: Value = self.0.put(format!("{path}/merge"), Some(&asked)).await.map_err(way::error)?;
        Ok(PullSeen { state: PullState::Merged, ..seen })
    }

    async fn looked_at(&self, pull: &PullRequest, patient: bool) -> Result<PullLook, ForgeError> {
        let (owner, root) = root(&pull.repository)?;
        let number = pull.number.ok_or_else(|| ForgeError::Refused("it has no number there".to_owned()))?;
        let it = self.settled(&format!("{root}/pulls/{number}"), patient).await?;
        let of_commit = format!("{root}/commits/{}", it.head.sha);
        let [of_runs, of_suites, of_statuses] =
            ["check-runs", "check-suites", "status"].map(|what| format!("{of_commit}/{what}"));
        let (of_reviews, name) =
            (format!("{root}/pulls/{number}/reviews"), root.rsplit('/').next().unwrap_or_default());
        let (runs, suites, statuses, reviews, house, threads, fork) = tokio::try_join!(
            self.all(&of_runs, |runs: CheckRuns| runs.check_runs),
            self.all(&of_suites, |suites: CheckSuites| suites.check_suites),
            self.all(&of_statuses, |statuses: Statuses| statuses.statuses),
            self.all(&of_reviews, |reviews: Vec<ReviewShape>| reviews),
            self.house(owner, name, number),
            self.threads(owner, name, number),
            self.fork(&root, &it),
        )?;
        let checks = runs.into_iter().map(Into::into).chain(suites.into_iter().filter_map(CheckSuite::unheard));
        let checks = checks.chain(statuses.into_iter().map(Into::into));
        Ok(PullLook {
            seen: it.seen(),
            mergeable: it.mergeable,
            checks: checks.collect(),
            runs_checks: true,
            reviews: last_verdicts(reviews.into_iter().filter_map(|review| review.said(&house))),
            base_changed_at: Ok(house.base_changed_at),
            fork,
            lost: BTreeSet::new(),
            unresolved_threads: Some(threads),
            sizes: it.sizes(),
        })
    }

    /// How it stands; for whoever is patient, once the forge knows whether it can be merged.
    async fn settled(&self, path: &str, patient: bool) -> Result<Pull, ForgeError> {
        let until = tokio::time::Instant::now() + PONDERS;
        loop {
            let it: Pull = self.get(path, &[]).await?;
            let known = it.mergeable.is_some() || !it.is_open() || !patient;
            if known || tokio::time::Instant::now() >= until {
                return Ok(it);
            }
            tokio::time::sleep(PAUSE).await;
        }
    }

    /// Who may write there, of those who reviewed it, and what else is asked of GraphQL alone.
    async fn house(&self, owner: &str, name: &str, number: u64) -> Result<House, ForgeError> {
        let (mut house, mut after) = (House::default(), None::<String>);
        for _ in 1..=PAGES {
            let variables = json!({"owner": owner, "name": name, "number": number, "after": after});
            let asked = json!({"query": HOUSE, "variables": variables});
            match self.post::<Data>("/graphql", &asked).await?.house(&mut house)? {
                Some(next) => after = Some(next),
                None => return Ok(house),
            }
        }
        Err(ForgeError::Unreadable(format!("more than {} people reviewed it who may write", PAGES * FULL)))
    }

    async fn changed_lines(&self, pull: &PullRequest, commit: &str) -> Result<String, ForgeError> {
        let (_, root) = root(&pull.repository)?;
        let base = pull.base.as_ref().ok_or_else(|| ForgeError::Refused("its base is not known".to_owned()))?;
        let path = format!("{root}/compare/{}...{commit}", escaped(base.as_str()));
        let headers = http::HeaderMap::from_iter([(ACCEPT, HeaderValue::from_static(way::DIFF))]);
        let answer = self.0._get_with_headers(path, Some(headers)).await.map_err(way::error)?;
        let bytes = answer.into_body().collect().await.map_err(way::error)?.to_bytes();
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// How the second of two commits or branches stands to the first. Files are told on the first page alone.
    async fn compared(&self, root: &str, first: &str, second: &str) -> Result<Compared, ForgeError> {
        let path = format!("{root}/compare/{}...{}", escaped(first), escaped(second));
        self.get(&path, &[("per_page", "1"), ("page", "2")]).await
    }

    /// Where its commit parted from its base; none where the forge does not say.
    async fn fork(&self, root: &str, it: &Pull) -> Result<Option<String>, ForgeError> {
        match self.compared(root, &it.base.name, &it.head.sha).await {
            Ok(compared) => Ok(Some(compared.fork())),
            Err(error @ (ForgeError::Limited { .. } | ForgeError::Unauthorized)) => Err(error),
            Err(_) => Ok(None),
        }
    }

    async fn is_in_base(&self, pull: &PullRequest, commit: &str) -> Result<bool, ForgeError> {
        let (_, root) = root(&pull.repository)?;
        let base = pull.base.as_ref().ok_or_else(|| ForgeError::Refused("its base is not known".to_owned()))?;
        Ok(self.compared(&root, commit, base.as_str()).await?.holds())
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
        order: &'a MergeOrder,
    ) -> BoxFuture<'a, Result<PullSeen, ForgeError>> {
        self.merged(pull, order).boxed()
    }

    fn look<'a>(&'a self, pull: &'a PullRequest) -> BoxFuture<'a, Result<PullLook, ForgeError>> {
        self.looked_at(pull, false).boxed()
    }

    fn look_to_merge<'a>(&'a self, pull: &'a PullRequest) -> BoxFuture<'a, Result<PullLook, ForgeError>> {
        self.looked_at(pull, true).boxed()
    }

    fn base_holds<'a>(&'a self, pull: &'a PullRequest, commit: &'a str) -> BoxFuture<'a, Result<bool, ForgeError>> {
        self.is_in_base(pull, commit).boxed()
    }

    fn diff<'a>(&'a self, pull: &'a PullRequest, commit: &'a str) -> BoxFuture<'a, Result<String, ForgeError>> {
        self.changed_lines(pull, commit).boxed()
    }

    fn who(&self) -> BoxFuture<'_, Result<String, ForgeError>> {
        self.named().boxed()
    }

    fn survey<'a>(&'a self, repository: &'a Repository) -> BoxFuture<'a, Result<Surveyed, ForgeError>> {
        self.surveyed(repository).boxed()
    }
}
