//! GitHub, also one that a company runs itself: its REST interface, and GraphQL for what REST does not say.

mod shapes;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use http::Method;
use http::header::{ACCEPT, HeaderName, HeaderValue};
use secrecy::SecretString;
use serde_json::{Map, Value, json};

use self::shapes::{CheckRuns, CheckSuite, CheckSuites, Compared, Data, ReviewContext, ReviewShape, open_threads};
use super::carrier::Carrier;
use super::clocks::ForgeClocks;
use super::error::{ForgeError, ForgeResult};
use super::place::{escaped, path, root};
use super::port::{MergeOrder, Opened, Port, Surveyed};
use super::rest_client::{Paging, RestClient};
use super::shapes::{Pull, RepositoryShape, Statuses, earlier, owner, surveyed};
use crate::clock::Clock;
use crate::domain::ids::PullId;
use crate::domain::pull::{
    PullChange, PullLook, PullRequest, PullSeen, PullSpec, PullState, Repository, last_verdicts, mark,
};

const PUBLIC: &str = "https://api.github.com";
/// The version of the interface that we speak.
const VERSION: HeaderValue = HeaderValue::from_static("2022-11-28");
/// What answers are to be.
const JSON: HeaderValue = HeaderValue::from_static("application/vnd.github+json");
/// The same for a change as `git diff` prints it.
const DIFF: HeaderValue = HeaderValue::from_static("application/vnd.github.diff");
const PAGING: Paging = Paging { key: "per_page", size: 100, short_is_last: true, most: 10 };
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

/// A client of GitHub's REST interface at this address, else the public one. Fails when the token is no header.
pub fn github_client(
    base: Option<&str>,
    token: &SecretString,
    carrier: Arc<dyn Carrier>,
    clocks: ForgeClocks,
    clock: Clock,
) -> ForgeResult<RestClient> {
    let rest = RestClient::new(base.unwrap_or(PUBLIC), PAGING, carrier, clocks, clock).with_token("Bearer", token)?;
    let version = HeaderName::from_static("x-github-api-version");
    Ok(rest.with_header(ACCEPT, JSON).with_header(version, VERSION))
}

#[derive(Debug)]
pub(super) struct GitHub {
    rest: RestClient,
    /// Where GraphQL lies.
    graph: RestClient,
}

impl GitHub {
    pub(super) fn new(rest: RestClient) -> Self {
        // A company's own GitHub has it beside REST and not below it.
        let beside = rest.base().strip_suffix("/api/v3").map(|host| format!("{host}/api"));
        let graph = beside.map_or_else(|| rest.clone(), |base| rest.clone().at(base));
        Self { rest, graph }
    }

    /// What an earlier attempt left, or an open one of the same branches: a forge has one of those at a time.
    async fn found(&self, owner: &str, pulls: &str, id: &PullId, spec: &PullSpec) -> ForgeResult<Option<Opened>> {
        let (head, mark) = (format!("{owner}:{}", spec.head), mark(id));
        let query =
            [("state", "all"), ("head", &head), ("sort", "created"), ("direction", "desc"), ("per_page", "100")];
        earlier(self.rest.get(pulls, &query).await?, &mark, spec, Pull::seen)
    }

    /// How it stands; for whoever is patient, once the forge knows whether it can be merged.
    async fn settled(&self, path: &str, patient: bool) -> ForgeResult<Pull> {
        let until = tokio::time::Instant::now() + PONDERS;
        loop {
            let it: Pull = self.rest.get(path, &[]).await?;
            let known = it.mergeable.is_some() || !it.is_open() || !patient;
            if known || tokio::time::Instant::now() >= until {
                return Ok(it);
            }
            tokio::time::sleep(PAUSE).await;
        }
    }

    async fn graph(&self, asked: &Value) -> ForgeResult<Value> {
        self.graph.write::<Data>(Method::POST, "/graphql", asked).await?.done()
    }

    /// Shows all pages of what a query finds of a pull request to `read`, which says where the next one begins.
    async fn graph_pages(
        &self,
        query: &str,
        pull: (&str, &str, u64),
        mut read: impl FnMut(&Value) -> ForgeResult<Option<String>>,
    ) -> ForgeResult<()> {
        let ((owner, name, number), mut after) = (pull, None::<String>);
        for _ in 1..=PAGING.most {
            let variables = json!({"owner": owner, "name": name, "number": number, "after": after});
            match read(&self.graph(&json!({"query": query, "variables": variables})).await?)? {
                Some(next) => after = Some(next),
                None => return Ok(()),
            }
        }
        Err(ForgeError::Unreadable(format!("it has more than {} reviews or threads", PAGING.most * PAGING.size)))
    }

    /// Who may write there, of those who reviewed it, and what else is asked of GraphQL alone.
    async fn house(&self, pull: (&str, &str, u64)) -> ForgeResult<ReviewContext> {
        let mut house = ReviewContext::default();
        self.graph_pages(HOUSE, pull, |page| house.read(page)).await?;
        Ok(house)
    }

    /// How many threads of comments are open.
    async fn threads(&self, pull: (&str, &str, u64)) -> ForgeResult<u32> {
        let mut open = 0_u32;
        let count = |page: &Value| {
            let (found, next) = open_threads(page)?;
            open = open.saturating_add(found);
            Ok(next)
        };
        self.graph_pages(THREADS, pull, count).await?;
        Ok(open)
    }

    async fn looked_at(&self, pull: &PullRequest, patient: bool) -> ForgeResult<PullLook> {
        let (owner, root) = root(&pull.repository)?;
        let number = pull.number.ok_or_else(|| ForgeError::Refused("it has no number there".to_owned()))?;
        let it = self.settled(&format!("{root}/pulls/{number}"), patient).await?;
        let of_commit = format!("{root}/commits/{}", it.head.sha);
        let [of_runs, of_suites, of_statuses] =
            ["check-runs", "check-suites", "status"].map(|what| format!("{of_commit}/{what}"));
        let (of_reviews, name) =
            (format!("{root}/pulls/{number}/reviews"), root.rsplit('/').next().unwrap_or_default());
        let (runs, suites, statuses, reviews, house, threads, fork) = tokio::try_join!(
            self.rest.all(&of_runs, |runs: CheckRuns| runs.check_runs),
            self.rest.all(&of_suites, |suites: CheckSuites| suites.check_suites),
            self.rest.all(&of_statuses, |statuses: Statuses| statuses.statuses.unwrap_or_default()),
            self.rest.all(&of_reviews, |reviews: Vec<ReviewShape>| reviews),
            self.house((owner, name, number)),
            self.threads((owner, name, number)),
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

    /// How the second of two commits or branches stands to the first. Files are told on the first page alone.
    async fn compared(&self, root: &str, first: &str, second: &str) -> ForgeResult<Compared> {
        let path = format!("{root}/compare/{}...{}", escaped(first), escaped(second));
        self.rest.get(&path, &[("per_page", "1"), ("page", "2")]).await
    }

    /// Where its commit parted from its base; none where the forge does not say.
    async fn fork(&self, root: &str, it: &Pull) -> ForgeResult<Option<String>> {
        match self.compared(root, &it.base.name, &it.head.sha).await {
            Ok(compared) => Ok(Some(compared.fork())),
            Err(error @ (ForgeError::Limited { .. } | ForgeError::Unauthorized)) => Err(error),
            Err(_) => Ok(None),
        }
    }
}

#[async_trait]
impl Port for GitHub {
    async fn open(&self, id: &PullId, spec: &PullSpec) -> ForgeResult<Opened> {
        let (owner, root) = root(&spec.repository)?;
        let pulls = format!("{root}/pulls");
        if let Some(found) = self.found(owner, &pulls, id, spec).await? {
            return Ok(found);
        }
        let base = match &spec.base {
            Some(base) => base.as_str().to_owned(),
            None => self.rest.get::<RepositoryShape>(&root, &[]).await?.default_branch,
        };
        let body = format!("{}\n\n{}", spec.body, mark(id));
        let asked = json!({"title": spec.title, "head": spec.head, "base": base, "body": body, "draft": spec.draft});
        match self.rest.write::<Pull>(Method::POST, &pulls, &asked).await {
            // Somebody opened it meanwhile.
            Err(ForgeError::Refused(why)) if why.contains("already exists") => {
                self.found(owner, &pulls, id, spec).await?.ok_or(ForgeError::Refused(why))
            }
            posted => posted?.opened(),
        }
    }

    async fn change(&self, pull: &PullRequest, change: &PullChange) -> ForgeResult<PullSeen> {
        let path = path(pull)?;
        let mut fields = Map::new();
        fields.extend(change.title.clone().map(|title| ("title".to_owned(), json!(title))));
        // The mark stays: a repeat of the opening is found by it.
        let body = change.body.as_ref().map(|body| format!("{body}\n\n{}", mark(&pull.id)));
        fields.extend(body.map(|body| ("body".to_owned(), json!(body))));
        let state = change.open.map(|open| if open { "open" } else { "closed" });
        fields.extend(state.map(|state| ("state".to_owned(), json!(state))));
        let it: Pull = match fields.is_empty() {
            true => self.rest.get(&path, &[]).await?,
            false => self.rest.write(Method::PATCH, &path, &Value::Object(fields)).await?,
        };
        match change.draft {
            Some(draft) if draft != it.draft.unwrap_or_default() => {
                let asked = json!({"query": if draft { TO_DRAFT } else { TO_READY }, "variables": {"id": it.node_id}});
                self.graph(&asked).await?;
                Ok(PullSeen { draft, ..it.seen() })
            }
            Some(_) | None => Ok(it.seen()),
        }
    }

    async fn merge(&self, pull: &PullRequest, order: &MergeOrder) -> ForgeResult<PullSeen> {
        let path = path(pull)?;
        let it: Pull = self.rest.get(&path, &[]).await?;
        let seen = it.seen();
        if seen.state == PullState::Merged {
            return Ok(seen);
        }
        order.fits(&it.head.sha, &it.base.name)?;
        let asked = json!({"merge_method": order.method, "sha": order.head});
        let _: Value = self.rest.write(Method::PUT, &format!("{path}/merge"), &asked).await?;
        Ok(PullSeen { state: PullState::Merged, ..seen })
    }

    async fn look(&self, pull: &PullRequest) -> ForgeResult<PullLook> {
        self.looked_at(pull, false).await
    }

    async fn look_to_merge(&self, pull: &PullRequest) -> ForgeResult<PullLook> {
        self.looked_at(pull, true).await
    }

    async fn diff(&self, pull: &PullRequest, commit: &str) -> ForgeResult<String> {
        let (_, root) = root(&pull.repository)?;
        let base = pull.base.as_ref().ok_or_else(|| ForgeError::Refused("its base is not known".to_owned()))?;
        let path = format!("{root}/compare/{}...{commit}", escaped(base.as_str()));
        self.rest.clone().with_header(ACCEPT, DIFF).text(&path).await
    }

    async fn base_holds(&self, pull: &PullRequest, commit: &str) -> ForgeResult<bool> {
        let (_, root) = root(&pull.repository)?;
        let base = pull.base.as_ref().ok_or_else(|| ForgeError::Refused("its base is not known".to_owned()))?;
        Ok(self.compared(&root, commit, base.as_str()).await?.holds())
    }

    async fn who(&self) -> ForgeResult<String> {
        owner(&self.rest).await
    }

    async fn survey(&self, repository: &Repository) -> ForgeResult<Surveyed> {
        surveyed(&self.rest, repository).await
    }
}
