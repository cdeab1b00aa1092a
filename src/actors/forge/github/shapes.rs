//! What we read of GitHub's answers: as little as is needed, so that a field that changes elsewhere breaks nothing.

use std::collections::BTreeSet;

use serde::Deserialize;
use serde_json::Value;

use crate::actors::forge::error::ForgeError;
use crate::actors::forge::port::{Opened, Surveyed};
use crate::domain::pull::{Adoption, Branch, Check, PullSeen, PullState, Reviewed, Sizes, Standing, Verdict};
use crate::domain::text::{clean, shorten};
use crate::domain::time::Timestamp;

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

/// How two commits stand to each other.
#[derive(Debug, Deserialize)]
pub(super) struct Compared {
    /// Of the second: `ahead`, `behind`, `identical`, or `diverged`.
    status: String,
    merge_base_commit: Commit,
}

#[derive(Debug, Deserialize)]
struct Commit {
    sha: String,
}

impl Compared {
    /// Whether the second holds the first.
    pub(super) fn holds(&self) -> bool {
        matches!(self.status.as_str(), "ahead" | "identical")
    }

    /// Where they parted.
    pub(super) fn fork(self) -> String {
        self.merge_base_commit.sha
    }
}

/// What ran on a commit.
#[derive(Debug, Deserialize)]
pub(super) struct CheckRuns {
    pub(super) check_runs: Vec<CheckRun>,
}

/// What an application has to say of a commit, as a whole: it stands there before its first run does.
#[derive(Debug, Deserialize)]
pub(super) struct CheckSuites {
    pub(super) check_suites: Vec<CheckSuite>,
}

#[derive(Debug, Deserialize)]
pub(super) struct CheckSuite {
    status: Option<String>,
    conclusion: Option<String>,
    #[serde(default)]
    app: Option<App>,
    #[serde(default)]
    latest_check_runs_count: u64,
}

#[derive(Debug, Deserialize)]
struct App {
    slug: String,
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

/// A review. On a public repository everybody may press the button: whose counts, [`House`] says.
#[derive(Debug, Deserialize)]
pub(super) struct ReviewShape {
    user: Option<User>,
    state: String,
    #[serde(default)]
    commit_id: Option<String>,
    #[serde(default)]
    submitted_at: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct User {
    pub(super) login: String,
    /// `User`, `Bot`, or what else acts.
    #[serde(default, rename = "type")]
    kind: Option<String>,
}

/// Who is who to a pull request.
#[derive(Debug, Default)]
pub(super) struct House {
    /// Those of its reviewers who may write to the repository, and are people.
    writers: BTreeSet<String>,
    /// The token's own account, and whoever opened it.
    own: BTreeSet<String>,
    /// When what it is to be merged into was changed last.
    pub(super) base_changed_at: Option<Timestamp>,
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
        let (base, commit) = (branch(&self.base.name)?, Some(self.head.sha));
        Ok(Opened { number: Some(self.number), base, url: Some(self.html_url), commit, adopted: None, place: None })
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
        let (base, commit) = (Branch::parse(&self.base.name).ok(), Some(self.head.sha.clone()));
        PullSeen {
            title: clean(&self.title, self.title.len()).text,
            draft: self.draft.unwrap_or_default(),
            state,
            base,
            commit,
            place: None,
        }
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

impl CheckSuite {
    /// What its runs do not say: that it waits or runs, or that it ended badly without any.
    pub(super) fn unheard(self) -> Option<Check> {
        let status = self.status.unwrap_or_else(|| "queued".to_owned());
        let is_over = status == "completed";
        if is_over && self.latest_check_runs_count > 0 {
            return None;
        }
        let conclusion = self.conclusion.filter(|_| is_over);
        let ended_well = matches!(conclusion.as_deref(), None | Some("success" | "neutral" | "skipped"));
        if is_over && ended_well {
            return None;
        }
        let app = self.app.map_or_else(|| "an application".to_owned(), |app| app.slug);
        Some(Check { name: format!("suite of {app}"), status, conclusion })
    }
}

impl ReviewShape {
    /// What was said; none for one that is still being written.
    pub(super) fn said(self, house: &House) -> Option<Reviewed> {
        let verdict = match self.state.as_str() {
            "APPROVED" => Verdict::Approved,
            "CHANGES_REQUESTED" => Verdict::ChangesRequested,
            "COMMENTED" => Verdict::Commented,
            "DISMISSED" => Verdict::Dismissed,
            _ => return None,
        };
        let (standing, who) = match self.user {
            Some(user) => (house.standing(&user), user.login),
            // Whose account was deleted.
            None => (Standing::Reader, "ghost".to_owned()),
        };
        let at = self.submitted_at.as_deref().and_then(Timestamp::parse);
        Some(Reviewed { who, verdict, standing, commit: self.commit_id, at })
    }
}

impl House {
    fn standing(&self, user: &User) -> Standing {
        let login = user.login.to_lowercase();
        if user.kind.as_deref().is_some_and(|kind| kind != "User") {
            Standing::Program
        } else if self.own.contains(&login) {
            Standing::Own
        } else if self.writers.contains(&login) {
            Standing::Writer
        } else {
            Standing::Reader
        }
    }
}

impl Data {
    /// It was done.
    pub(super) fn done(self) -> Result<(), ForgeError> {
        if self.errors.is_empty() { Ok(()) } else { Err(graphql_error(&self.errors)) }
    }

    /// Who is who, of this page; where the next one begins.
    pub(super) fn house(self, house: &mut House) -> Result<Option<String>, ForgeError> {
        if !self.errors.is_empty() {
            return Err(graphql_error(&self.errors));
        }
        let it = &self.data["repository"]["pullRequest"];
        let page = &it["latestOpinionatedReviews"];
        let nodes = page["nodes"].as_array();
        let nodes = nodes.ok_or_else(|| ForgeError::Unreadable("it names no reviews".to_owned()))?;
        let login = |value: &Value| value["login"].as_str().map(str::to_lowercase);
        let people = nodes.iter().map(|node| &node["author"]).filter(|author| author["__typename"] == "User");
        house.writers.extend(people.filter_map(login));
        house.own.extend([&self.data["viewer"], &it["author"]].into_iter().filter_map(login));
        let changed = it["timelineItems"]["nodes"][0]["createdAt"].as_str();
        house.base_changed_at = changed.and_then(Timestamp::parse);
        Ok(next(page))
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
        Ok(Threads { open: u32::try_from(open).unwrap_or(u32::MAX), next: next(page) })
    }
}

/// Where the page behind this one begins.
fn next(page: &Value) -> Option<String> {
    let more = page["pageInfo"]["hasNextPage"] == true;
    page["pageInfo"]["endCursor"].as_str().filter(|_| more).map(str::to_owned)
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
