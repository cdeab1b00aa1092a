//! What we read of Forgejo's answers: as little as is needed, so that a field that changes elsewhere breaks nothing.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::actors::forge::error::ForgeError;
use crate::actors::forge::port::{Opened, Surveyed};
use crate::domain::pull::{Adoption, Branch, Check, PullSeen, PullState, Reviewed, Standing, Verdict};
use crate::domain::text::clean;
use crate::domain::time::Timestamp;

/// The beginnings of a title by which a draft is known, where nobody set others. Cases are not told apart.
const DRAFT: [&str; 2] = ["WIP:", "[WIP]"];

/// An account.
#[derive(Debug, Default, Deserialize)]
pub(super) struct UserShape {
    pub(super) login: String,
    /// Below zero for the accounts that are programs of the instance itself.
    #[serde(default)]
    id: i64,
}

/// What somebody may do in a repository.
#[derive(Debug, Deserialize)]
pub(super) struct PermissionShape {
    permission: String,
}

/// What a branch has that another one has not.
#[derive(Debug, Deserialize)]
pub(super) struct CompareShape {
    pub(super) total_commits: u64,
}

/// Something that happened to a pull request.
#[derive(Debug, Deserialize)]
pub(super) struct TimelineShape {
    #[serde(default, rename = "type")]
    kind: String,
    #[serde(default)]
    created_at: String,
}

/// A repository.
#[derive(Debug, Deserialize)]
pub(super) struct RepositoryShape {
    #[serde(default)]
    full_name: String,
    pub(super) default_branch: String,
    #[serde(default)]
    archived: bool,
    #[serde(default)]
    has_pull_requests: Option<bool>,
    #[serde(default)]
    permissions: Option<Permissions>,
}

#[derive(Debug, Deserialize)]
struct Permissions {
    #[serde(default)]
    push: bool,
}

/// A pull request.
#[derive(Debug, Deserialize)]
pub(super) struct Pull {
    pub(super) number: u64,
    html_url: String,
    pub(super) title: String,
    #[serde(default)]
    pub(super) body: Option<String>,
    state: String,
    /// Who opened it.
    #[serde(default)]
    user: Option<UserShape>,
    /// Older versions do not say; then the title does.
    #[serde(default)]
    draft: Option<bool>,
    #[serde(default)]
    merged: bool,
    #[serde(default)]
    pub(super) mergeable: Option<bool>,
    pub(super) head: End,
    pub(super) base: End,
    /// Where both parted.
    #[serde(default)]
    pub(super) merge_base: Option<String>,
    #[serde(default)]
    changed_files: Option<u64>,
    #[serde(default)]
    additions: Option<u64>,
    #[serde(default)]
    deletions: Option<u64>,
}

/// One of its two ends.
#[derive(Debug, Deserialize)]
pub(super) struct End {
    #[serde(rename = "ref")]
    pub(super) name: String,
    #[serde(default)]
    pub(super) sha: String,
    #[serde(default)]
    repo_id: Option<u64>,
}

/// What others say of a commit: each context once, the last that was said. `null` where nobody said anything.
#[derive(Debug, Deserialize)]
pub(super) struct Statuses {
    pub(super) statuses: Option<Vec<Status>>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Status {
    context: String,
    status: String,
}

/// A review.
#[derive(Debug, Deserialize)]
pub(super) struct ReviewShape {
    pub(super) id: u64,
    /// None for one that a team is asked for.
    #[serde(default)]
    user: Option<UserShape>,
    state: String,
    /// Whether it counts: it is of somebody who may write, or whom the protection of the branch names.
    #[serde(default)]
    official: bool,
    #[serde(default)]
    dismissed: bool,
    #[serde(default)]
    commit_id: Option<String>,
    #[serde(default)]
    submitted_at: Option<String>,
    #[serde(default)]
    pub(super) comments_count: u64,
}

/// A comment of a review. Where `resolver` is no key of it, this version does not tell who resolved what.
pub(super) type CommentShape = Map<String, Value>;

impl RepositoryShape {
    pub(super) fn surveyed(self) -> Surveyed {
        let troubles = [
            (self.archived, "it is archived"),
            (self.has_pull_requests == Some(false), "its pull requests are switched off"),
        ];
        Surveyed {
            name: self.full_name,
            default_branch: Some(self.default_branch),
            may_write: self.permissions.map(|may| may.push),
            troubles: troubles.iter().filter(|(is, _)| *is).map(|(_, words)| (*words).to_owned()).collect(),
        }
    }
}

impl Pull {
    pub(super) fn is_open(&self) -> bool {
        self.state == "open"
    }

    /// Whether it comes from no fork.
    pub(super) fn is_of_one_repository(&self) -> bool {
        self.head.repo_id == self.base.repo_id
    }

    pub(super) fn opened(self) -> Result<Opened, ForgeError> {
        let base = Branch::parse(&self.base.name)
            .map_err(|_| ForgeError::Unreadable("it names a branch that is none".to_owned()))?;
        let (number, commit) = (Some(self.number), told(&self.head.sha));
        Ok(Opened { number, base, url: Some(self.html_url), commit, adopted: None, place: None })
    }

    /// The same of one that was there: somebody else's, unless it carries this mark of the hub's.
    pub(super) fn found(self, mark: &str) -> Result<Opened, ForgeError> {
        let ours = self.body.as_deref().is_some_and(|body| body.contains(mark));
        let by = self.author().unwrap_or("ghost").to_owned();
        let adopted = (!ours).then(|| Adoption { by, title: self.seen().title });
        Ok(Opened { adopted, ..self.opened()? })
    }

    pub(super) fn seen(&self) -> PullSeen {
        let state = match (self.is_open(), self.merged) {
            (true, _) => PullState::Open,
            (false, true) => PullState::Merged,
            (false, false) => PullState::Closed,
        };
        let title = bare(&self.title);
        let draft = self.draft.unwrap_or(title.len() < self.title.trim().len());
        let title = if title.is_empty() { &self.title } else { title };
        let title = clean(title, title.len()).text;
        let (base, commit) = (Branch::parse(&self.base.name).ok(), told(&self.head.sha));
        PullSeen { title, draft, state, base, commit, place: None }
    }

    /// Who opened it.
    pub(super) fn author(&self) -> Option<&str> {
        self.user.as_ref().map(|user| user.login.as_str())
    }

    /// Files, and lines that are new and gone.
    pub(super) fn lines(&self) -> (u64, u64, u64) {
        let [files, additions, deletions] =
            [self.changed_files, self.additions, self.deletions].map(Option::unwrap_or_default);
        (files, additions, deletions)
    }
}

/// The name of a commit, where there is one.
pub(super) fn told(commit: &str) -> Option<String> {
    (!commit.is_empty()).then(|| commit.to_owned())
}

/// A title without what marks a draft.
fn bare(title: &str) -> &str {
    let title = title.trim();
    let marked = |mark: &&str| title.get(..mark.len()).is_some_and(|start| start.eq_ignore_ascii_case(mark));
    match DRAFT.into_iter().find(marked) {
        Some(mark) => bare(&title[mark.len()..]),
        None => title,
    }
}

/// A title as it is to stand there.
pub(super) fn on_forge(title: &str, draft: bool) -> String {
    let bare = bare(title);
    if draft { format!("{} {bare}", DRAFT[0]) } else { bare.to_owned() }
}

impl From<Status> for Check {
    fn from(status: Status) -> Self {
        let pending = status.status == "pending";
        let (now, end) = if pending { ("in_progress", None) } else { ("completed", Some(status.status)) };
        Self { name: status.context, status: now.to_owned(), conclusion: end }
    }
}

impl ReviewShape {
    /// What was said; none for one that is still being written, or asked for. `author`: who opened the pull request.
    pub(super) fn said(self, author: Option<&str>) -> Option<Reviewed> {
        let verdict = match self.state.as_str() {
            "APPROVED" | "REQUEST_CHANGES" if self.dismissed => Verdict::Dismissed,
            "APPROVED" => Verdict::Approved,
            "COMMENT" => Verdict::Commented,
            "REQUEST_CHANGES" => Verdict::ChangesRequested,
            _ => return None,
        };
        let user = self.user.as_ref();
        let standing = match user {
            Some(user) if user.id < 0 => Standing::Program,
            Some(user) if author.is_some_and(|author| author.eq_ignore_ascii_case(&user.login)) => Standing::Own,
            // On a public repository everybody may press the button.
            Some(_) if self.official => Standing::Writer,
            Some(_) | None => Standing::Reader,
        };
        // Whose account was deleted.
        let who = self.user.map_or_else(|| "ghost".to_owned(), |user| user.login);
        let (commit, at) = (self.commit_id.filter(|commit| !commit.is_empty()), self.submitted_at);
        Some(Reviewed { who, verdict, standing, commit, at: at.as_deref().and_then(Timestamp::parse) })
    }
}

impl PermissionShape {
    /// Whether they may write.
    pub(super) fn writes(&self) -> bool {
        matches!(self.permission.as_str(), "write" | "admin" | "owner")
    }
}

impl TimelineShape {
    /// When the base was changed, where this is that.
    pub(super) fn base_changed_at(&self) -> Option<Timestamp> {
        (self.kind == "change_target_branch").then(|| Timestamp::parse(&self.created_at)).flatten()
    }
}

/// How many threads nobody resolved. Comments on the same line are one thread, and any of them may say that it is
/// resolved; none where one of them cannot.
pub(super) fn unresolved_threads(comments: &[CommentShape]) -> Option<u32> {
    let mut threads: BTreeMap<String, bool> = BTreeMap::new();
    for comment in comments {
        let resolver = comment.get("resolver")?;
        let place = ["path", "position", "original_position"].map(|key| comment.get(key).unwrap_or(&Value::Null));
        *threads.entry(Value::from_iter(place.map(Clone::clone)).to_string()).or_default() |= !resolver.is_null();
    }
    Some(u32::try_from(threads.values().filter(|resolved| !**resolved).count()).unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use serde_json::json;

    use super::{CommentShape, on_forge, unresolved_threads};

    #[rstest]
    #[case("Add it", false, "Add it")]
    #[case("Add it", true, "WIP: Add it")]
    #[case("wip: [WIP] Add it", false, "Add it")]
    #[case(" [wip]Add it", true, "WIP: Add it")]
    #[case("Wiping it", false, "Wiping it")]
    #[case("größer", true, "WIP: größer")]
    #[case("WI", false, "WI")]
    fn a_title_has_one_beginning_that_marks_a_draft_or_none(
        #[case] title: &str,
        #[case] draft: bool,
        #[case] there: &str,
    ) {
        assert_eq!(on_forge(title, draft), there);
    }

    #[test]
    fn threads_are_counted_where_it_is_told_who_resolved_them() {
        let comment = |value: serde_json::Value| -> CommentShape { serde_json::from_value(value).unwrap() };
        let open = comment(json!({"path": "a", "position": 1, "original_position": 0, "resolver": null}));
        let done = comment(json!({"path": "b", "position": 1, "original_position": 0, "resolver": {"login": "ada"}}));
        let answer = comment(json!({"path": "b", "position": 1, "original_position": 0, "resolver": null}));
        let old = comment(json!({"path": "a", "position": 1}));
        assert_eq!(unresolved_threads(&[]), Some(0));
        assert_eq!(unresolved_threads(&[open.clone(), open.clone(), done, answer]), Some(1));
        assert_eq!(unresolved_threads(&[open, old]), None);
    }
}
