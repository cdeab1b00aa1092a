//! What only GitHub answers so.

use std::collections::BTreeSet;

use serde::Deserialize;
use serde_json::Value;

use crate::actors::forge::error::{ForgeError, ForgeResult};
use crate::actors::forge::shapes::User;
use crate::domain::pull::{Check, Reviewed, ReviewerRole, Verdict};
use crate::domain::text::shorten;
use crate::domain::time::Timestamp;

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
    pub(super) fn holds(&self) -> bool {
        matches!(self.status.as_str(), "ahead" | "identical")
    }

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

/// A review. On a public repository everybody may press the button: whose counts, [`ReviewContext`] says.
#[derive(Debug, Deserialize)]
pub(super) struct ReviewShape {
    user: Option<User>,
    state: String,
    commit_id: Option<String>,
    submitted_at: Option<String>,
}

/// Whose reviews of a pull request count.
#[derive(Debug, Default)]
pub(super) struct ReviewContext {
    /// Those of its reviewers who may write to the repository, and are people.
    writers: BTreeSet<String>,
    /// The token's own account, and whoever opened it.
    own: BTreeSet<String>,
    /// When what it is to be merged into was changed last.
    pub(super) base_changed_at: Option<Timestamp>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Data {
    data: Value,
    errors: Vec<Value>,
}

impl From<CheckRun> for Check {
    fn from(run: CheckRun) -> Self {
        Self { name: run.name, status: run.status, conclusion: run.conclusion }
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
    pub(super) fn said(self, house: &ReviewContext) -> Option<Reviewed> {
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
            None => (ReviewerRole::Reader, "ghost".to_owned()),
        };
        let at = self.submitted_at.as_deref().and_then(Timestamp::parse);
        Some(Reviewed { who, verdict, standing, commit: self.commit_id, at })
    }
}

impl ReviewContext {
    /// Takes in this page of the answer; where the next one begins.
    pub(super) fn read(&mut self, data: &Value) -> ForgeResult<Option<String>> {
        let it = &data["repository"]["pullRequest"];
        let page = &it["latestOpinionatedReviews"];
        let nodes = page["nodes"].as_array();
        let nodes = nodes.ok_or_else(|| ForgeError::Unreadable("it names no reviews".to_owned()))?;
        let login = |value: &Value| value["login"].as_str().map(str::to_lowercase);
        let people = nodes.iter().map(|node| &node["author"]).filter(|author| author["__typename"] == "User");
        self.writers.extend(people.filter_map(login));
        self.own.extend([&data["viewer"], &it["author"]].into_iter().filter_map(login));
        let changed = it["timelineItems"]["nodes"][0]["createdAt"].as_str();
        self.base_changed_at = changed.and_then(Timestamp::parse);
        Ok(next(page))
    }

    fn standing(&self, user: &User) -> ReviewerRole {
        let login = user.login.to_lowercase();
        if user.kind.as_deref().is_some_and(|kind| kind != "User") {
            ReviewerRole::Program
        } else if self.own.contains(&login) {
            ReviewerRole::Own
        } else if self.writers.contains(&login) {
            ReviewerRole::Writer
        } else {
            ReviewerRole::Reader
        }
    }
}

/// How many threads of comments are open on this page of the answer, and where the next one begins.
pub(super) fn open_threads(data: &Value) -> ForgeResult<(u32, Option<String>)> {
    let page = &data["repository"]["pullRequest"]["reviewThreads"];
    let nodes = page["nodes"].as_array();
    let nodes = nodes.ok_or_else(|| ForgeError::Unreadable("it names no threads".to_owned()))?;
    let open = nodes.iter().filter(|node| node["isResolved"] == false).count();
    Ok((u32::try_from(open).unwrap_or(u32::MAX), next(page)))
}

/// Where the page behind this one begins.
fn next(page: &Value) -> Option<String> {
    let more = page["pageInfo"]["hasNextPage"] == true;
    page["pageInfo"]["endCursor"].as_str().filter(|_| more).map(str::to_owned)
}

impl Data {
    /// What it says; GraphQL answers 200 where it refuses, too.
    pub(super) fn done(self) -> ForgeResult<Value> {
        if self.errors.is_empty() {
            return Ok(self.data);
        }
        let said: Vec<&str> = self.errors.iter().filter_map(|error| error["message"].as_str()).collect();
        Err(ForgeError::Refused(shorten(&said.join(": "), 300)))
    }
}
