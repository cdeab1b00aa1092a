//! What GitHub and Forgejo answer alike, and what both are asked in the same way. As little is read as is needed, so
//! that a field that changes elsewhere breaks nothing.

use serde::Deserialize;

use super::error::{ForgeError, ForgeResult};
use super::place::root;
use super::port::{Opened, Surveyed};
use super::rest_client::RestClient;
use crate::domain::pull::{Adoption, Branch, Check, PullSeen, PullSpec, PullState, Repository, Sizes};
use crate::domain::text::clean;

#[derive(Debug, Deserialize)]
pub(super) struct RepositoryShape {
    #[serde(default)]
    full_name: String,
    pub(super) default_branch: String,
    #[serde(default)]
    archived: bool,
    has_pull_requests: Option<bool>,
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
    /// Its name in GraphQL, on GitHub.
    #[serde(default)]
    pub(super) node_id: String,
    html_url: String,
    pub(super) title: String,
    body: Option<String>,
    state: String,
    /// Older versions of Forgejo do not say; then the title does.
    pub(super) draft: Option<bool>,
    /// A list of GitHub's says only when.
    #[serde(default)]
    merged: bool,
    merged_at: Option<String>,
    pub(super) mergeable: Option<bool>,
    pub(super) head: End,
    pub(super) base: End,
    /// Where both parted, on Forgejo.
    pub(super) merge_base: Option<String>,
    user: Option<User>,
    /// Forgejo does not say.
    #[serde(default)]
    commits: u64,
    changed_files: Option<u64>,
    additions: Option<u64>,
    deletions: Option<u64>,
}

/// One of its two ends.
#[derive(Debug, Deserialize)]
pub(super) struct End {
    #[serde(rename = "ref")]
    pub(super) name: String,
    #[serde(default)]
    pub(super) sha: String,
    repo_id: Option<u64>,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct User {
    pub(super) login: String,
    /// On Forgejo below zero for the accounts that are programs of the instance itself.
    #[serde(default)]
    pub(super) id: i64,
    /// On GitHub `User`, `Bot`, or what else acts.
    #[serde(default, rename = "type")]
    pub(super) kind: Option<String>,
}

/// What others say of a commit: each context once, the last that was said. `null` where nobody said anything.
#[derive(Debug, Deserialize)]
pub(super) struct Statuses {
    pub(super) statuses: Option<Vec<Status>>,
}

/// One of them. Forgejo calls `status` what GitHub calls `state`.
#[derive(Debug, Deserialize)]
pub(super) struct Status {
    context: String,
    #[serde(default)]
    state: String,
    #[serde(default)]
    status: String,
}

impl Pull {
    pub(super) fn is_open(&self) -> bool {
        self.state == "open"
    }

    pub(super) fn author(&self) -> Option<&str> {
        self.user.as_ref().map(|user| user.login.as_str())
    }

    pub(super) fn opened(self) -> ForgeResult<Opened> {
        let base = Branch::parse(&self.base.name)
            .map_err(|_| ForgeError::Unreadable("it names a branch that is none".to_owned()))?;
        let (number, commit) = (Some(self.number), told(&self.head.sha));
        Ok(Opened { number, base, url: Some(self.html_url), commit, adopted: None, place: None })
    }

    /// The same of one that was there: somebody else's, unless it carries this mark of the hub's.
    pub(super) fn found(self, mark: &str, seen: fn(&Self) -> PullSeen) -> ForgeResult<Opened> {
        let by = || self.author().unwrap_or("ghost").to_owned();
        let adopted = (!self.is_marked(mark)).then(|| Adoption { by: by(), title: seen(&self).title });
        Ok(Opened { adopted, ..self.opened()? })
    }

    fn is_marked(&self, mark: &str) -> bool {
        self.body.as_deref().is_some_and(|body| body.contains(mark))
    }

    /// Whether another one of these branches cannot be opened beside it.
    fn is_in_the_way_of(&self, spec: &PullSpec) -> bool {
        let base = spec.base.as_ref().is_none_or(|base| self.base.name == base.as_str());
        self.is_open() && self.head.name == spec.head.as_str() && self.head.repo_id == self.base.repo_id && base
    }

    pub(super) fn seen(&self) -> PullSeen {
        let state = match (self.is_open(), self.merged || self.merged_at.is_some()) {
            (true, _) => PullState::Open,
            (false, true) => PullState::Merged,
            (false, false) => PullState::Closed,
        };
        let (base, commit) = (Branch::parse(&self.base.name).ok(), told(&self.head.sha));
        let title = clean(&self.title, self.title.len()).text;
        PullSeen { title, draft: self.draft.unwrap_or_default(), state, base, commit, place: None }
    }

    pub(super) fn sizes(&self) -> Sizes {
        let [files, additions, deletions] =
            [self.changed_files, self.additions, self.deletions].map(Option::unwrap_or_default);
        Sizes { commits: self.commits, files, additions, deletions }
    }
}

/// The name of a commit, where there is one.
pub(super) fn told(commit: &str) -> Option<String> {
    (!commit.is_empty()).then(|| commit.to_owned())
}

impl From<Status> for Check {
    fn from(Status { context, state, status }: Status) -> Self {
        let said = if state.is_empty() { status } else { state };
        let (now, end) = if said == "pending" { ("in_progress", None) } else { ("completed", Some(said)) };
        Self { name: context, status: now.to_owned(), conclusion: end }
    }
}

/// Of these the one that an earlier attempt left, or the one that is open for the same branches.
pub(super) fn earlier(
    mut known: Vec<Pull>,
    mark: &str,
    spec: &PullSpec,
    seen: fn(&Pull) -> PullSeen,
) -> ForgeResult<Option<Opened>> {
    let marked = known.iter().position(|pull| pull.is_marked(mark));
    let place = marked.or_else(|| known.iter().position(|pull| pull.is_in_the_way_of(spec)));
    place.map(|place| known.swap_remove(place).found(mark, seen)).transpose()
}

/// Whose the token is, in a sentence.
pub(super) async fn owner(rest: &RestClient) -> ForgeResult<String> {
    match rest.get::<User>("/user", &[]).await {
        Ok(user) => Ok(format!("the token is that of `{}`", user.login)),
        // That of an app may not ask, and a token may be made for repositories alone.
        Err(ForgeError::Forbidden(_)) => Ok("the token is accepted, and may not say whose it is".to_owned()),
        Err(error) => Err(error),
    }
}

/// What the hub may do in a repository.
pub(super) async fn surveyed(rest: &RestClient, repository: &Repository) -> ForgeResult<Surveyed> {
    let it: RepositoryShape = rest.get(&root(repository)?.1, &[]).await?;
    let switched_off = it.has_pull_requests == Some(false);
    let troubles = [(it.archived, "it is archived"), (switched_off, "its pull requests are switched off")];
    Ok(Surveyed {
        name: it.full_name,
        default_branch: Some(it.default_branch),
        may_write: it.permissions.map(|may| may.push),
        troubles: troubles.iter().filter(|(is, _)| *is).map(|(_, words)| (*words).to_owned()).collect(),
    })
}
