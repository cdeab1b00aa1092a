//! What only Forgejo answers so.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::actors::forge::shapes::{Pull, User};
use crate::domain::pull::{PullSeen, Reviewed, ReviewerRole, Verdict};
use crate::domain::text::clean;
use crate::domain::time::Timestamp;

/// The beginnings of a title by which a draft is known, where nobody set others. Cases are not told apart.
const DRAFT: [&str; 2] = ["WIP:", "[WIP]"];

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

#[derive(Debug, Deserialize)]
pub(super) struct ReviewShape {
    pub(super) id: u64,
    /// None for one that a team is asked for.
    user: Option<User>,
    state: String,
    /// Whether it counts: it is of somebody who may write, or whom the protection of the branch names.
    #[serde(default)]
    official: bool,
    #[serde(default)]
    dismissed: bool,
    commit_id: Option<String>,
    submitted_at: Option<String>,
    #[serde(default)]
    pub(super) comments_count: u64,
}

/// A comment of a review. Where `resolver` is no key of it, this version does not tell who resolved what.
pub(super) type CommentShape = Map<String, Value>;

/// How a pull request looks: its title without what marks a draft.
pub(super) fn seen(it: &Pull) -> PullSeen {
    let title = bare(&it.title);
    let draft = it.draft.unwrap_or(title.len() < it.title.trim().len());
    let title = if title.is_empty() { &it.title } else { title };
    PullSeen { title: clean(title, title.len()).text, draft, ..it.seen() }
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
            Some(user) if user.id < 0 => ReviewerRole::Program,
            Some(user) if author.is_some_and(|author| author.eq_ignore_ascii_case(&user.login)) => ReviewerRole::Own,
            // On a public repository everybody may press the button.
            Some(_) if self.official => ReviewerRole::Writer,
            Some(_) | None => ReviewerRole::Reader,
        };
        // Whose account was deleted.
        let who = self.user.map_or_else(|| "ghost".to_owned(), |user| user.login);
        let (commit, at) = (self.commit_id.filter(|commit| !commit.is_empty()), self.submitted_at);
        Some(Reviewed { who, verdict, standing, commit, at: at.as_deref().and_then(Timestamp::parse) })
    }
}

impl PermissionShape {
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

/// How many threads nobody resolved. Comments on the same line are one thread; none where one of them cannot tell.
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
mod tests;
