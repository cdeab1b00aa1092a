//! What we read of GitHub's answers: as little as is needed, so that a field that changes elsewhere breaks nothing.

use serde::Deserialize;
use serde_json::Value;

use crate::actors::forge::error::ForgeError;
use crate::actors::forge::port::{Opened, Surveyed};
use crate::domain::pull::{Adoption, Branch, Check, PullSeen, PullState, Reviewed, Sizes, Verdict};
use crate::domain::text::shorten;

/// A repository.
#[derive(Debug, Deserialize)]
pub(super) struct RepositoryShape {
    #[serde(default)]
    full_name: String,
    pub(super) default_branch: String,
    #[serde(default)]
    archived: bool,
    #[serde(default)]
    permissions: Option<Permissions>,
}

/// What the token's owner may do there; the token itself may be made for less.
#[derive(Debug, Deserialize)]
struct Permissions {
    #[serde(default)]
    push: bool,
}

/// A pull request. In a list it has no sizes.
#[derive(Debug, Deserialize)]
pub(super) struct Pull {
    pub(super) number: u64,
    pub(super) node_id: String,
    pub(super) html_url: String,
    pub(super) title: String,
    #[serde(default)]
    pub(super) body: Option<String>,
    pub(super) state: String,
    #[serde(default)]
    pub(super) draft: Option<bool>,
    #[serde(default)]
    pub(super) merged_at: Option<String>,
    #[serde(default)]
    pub(super) mergeable: Option<bool>,
    pub(super) head: End,
    pub(super) base: End,
    #[serde(default)]
    user: Option<User>,
    #[serde(default)]
    commits: u64,
    #[serde(default)]
    changed_files: u64,
    #[serde(default)]
    additions: u64,
    #[serde(default)]
    deletions: u64,
}

/// One of its two ends.
#[derive(Debug, Deserialize)]
pub(super) struct End {
    #[serde(rename = "ref")]
    pub(super) name: String,
    pub(super) sha: String,
}

/// What ran on a commit.
#[derive(Debug, Deserialize)]
pub(super) struct CheckRuns {
    pub(super) check_runs: Vec<CheckRun>,
}

#[derive(Debug, Deserialize)]
pub(super) struct CheckRun {
    name: String,
    status: String,
    conclusion: Option<String>,
}

/// What others say of a commit, in the older way.
#[derive(Debug, Deserialize)]
pub(super) struct Statuses {
    pub(super) statuses: Vec<Status>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Status {
    context: String,
    state: String,
}

/// A review.
#[derive(Debug, Deserialize)]
pub(super) struct ReviewShape {
    user: Option<User>,
    state: String,
    #[serde(default)]
    author_association: String,
}

/// Whose approval counts: of those who may write here, by GitHub's own words for it. On a public repository everybody
/// may press the button.
const MAY_APPROVE: [&str; 3] = ["OWNER", "MEMBER", "COLLABORATOR"];

#[derive(Debug, Deserialize)]
pub(super) struct User {
    pub(super) login: String,
}

/// A page of threads of comments.
pub(super) struct Threads {
    /// How many on it are open.
    pub(super) open: u32,
    /// Where the next one begins.
    pub(super) next: Option<String>,
}

/// An answer of GraphQL.
#[derive(Debug, Deserialize)]
pub(super) struct Data {
    #[serde(default)]
    data: Value,
    #[serde(default)]
    errors: Vec<Value>,
}

impl RepositoryShape {
    pub(super) fn surveyed(self) -> Surveyed {
        Surveyed {
            name: self.full_name,
            default_branch: Some(self.default_branch),
            may_write: self.permissions.map(|may| may.push),
            troubles: self.archived.then(|| "it is archived".to_owned()).into_iter().collect(),
        }
    }
}

impl Pull {
    pub(super) fn is_open(&self) -> bool {
        self.state == "open"
    }

    pub(super) fn opened(self) -> Result<Opened, ForgeError> {
        let base = branch(&self.base.name)?;
        Ok(Opened { number: Some(self.number), base, url: Some(self.html_url), adopted: None })
    }

    /// The same of one that was there: somebody else's, unless it carries this mark of the hub's.
    pub(super) fn found(self, mark: &str) -> Result<Opened, ForgeError> {
        let ours = self.body.as_deref().is_some_and(|body| body.contains(mark));
        let by = self.user.as_ref().map_or("ghost", |user| &user.login).to_owned();
        let adopted = (!ours).then(|| Adoption { by, title: self.title.clone() });
        Ok(Opened { adopted, ..self.opened()? })
    }

    pub(super) fn seen(&self) -> PullSeen {
        let state = match (self.is_open(), &self.merged_at) {
            (true, _) => PullState::Open,
            (false, Some(_)) => PullState::Merged,
            (false, None) => PullState::Closed,
        };
        PullSeen { title: self.title.clone(), draft: self.draft.unwrap_or_default(), state }
    }

    pub(super) const fn sizes(&self) -> Sizes {
        Sizes { commits: self.commits, files: self.changed_files, additions: self.additions, deletions: self.deletions }
    }
}

impl From<CheckRun> for Check {
    fn from(run: CheckRun) -> Self {
        Self { name: run.name, status: run.status, conclusion: run.conclusion }
    }
}

impl From<Status> for Check {
    fn from(status: Status) -> Self {
        let pending = status.state == "pending";
        let (now, end) = if pending { ("in_progress", None) } else { ("completed", Some(status.state)) };
        Self { name: status.context, status: now.to_owned(), conclusion: end }
    }
}

impl ReviewShape {
    /// What was said; none for one that is still being written.
    pub(super) fn said(self) -> Option<Reviewed> {
        let verdict = match self.state.as_str() {
            "APPROVED" if MAY_APPROVE.contains(&self.author_association.as_str()) => Verdict::Approved,
            "APPROVED" => Verdict::Commented,
            "CHANGES_REQUESTED" => Verdict::ChangesRequested,
            "COMMENTED" => Verdict::Commented,
            "DISMISSED" => Verdict::Dismissed,
            _ => return None,
        };
        // Whose account was deleted.
        Some(Reviewed { who: self.user.map_or_else(|| "ghost".to_owned(), |user| user.login), verdict })
    }
}

impl Data {
    /// It was done.
    pub(super) fn done(self) -> Result<(), ForgeError> {
        if self.errors.is_empty() { Ok(()) } else { Err(graphql_error(&self.errors)) }
    }

    /// How many threads are open, of this page.
    pub(super) fn threads(self) -> Result<Threads, ForgeError> {
        if !self.errors.is_empty() {
            return Err(graphql_error(&self.errors));
        }
        let page = &self.data["repository"]["pullRequest"]["reviewThreads"];
        let nodes = page["nodes"].as_array();
        let nodes = nodes.ok_or_else(|| ForgeError::Unreadable("it names no threads".to_owned()))?;
        let open = nodes.iter().filter(|node| node["isResolved"] == false).count();
        let more = page["pageInfo"]["hasNextPage"] == true;
        let next = page["pageInfo"]["endCursor"].as_str().filter(|_| more).map(str::to_owned);
        Ok(Threads { open: u32::try_from(open).unwrap_or(u32::MAX), next })
    }
}

/// A branch's name as GitHub tells it.
fn branch(name: &str) -> Result<Branch, ForgeError> {
    Branch::parse(name).map_err(|_| ForgeError::Unreadable("it names a branch that is none".to_owned()))
}

/// What GraphQL says went wrong, although it answers 200.
fn graphql_error(errors: &[Value]) -> ForgeError {
    let said: Vec<&str> = errors.iter().filter_map(|error| error["message"].as_str()).collect();
    ForgeError::Refused(shorten(&said.join(": "), 300))
}
