//! Comments on issues and pull requests of GitHub, by its REST interface.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use http::Method;
use reqwest::Url;
use serde::Deserialize;
use serde_json::{Value, json};

use super::comment::{Before, Fail, Outside, Written};
use super::token::Token;
use crate::actors::forge::{Carrier, ForgeClocks, ForgeError, RestClient, github_client, renamed};
use crate::clock::Clock;
use crate::domain::time::Timestamp;
use crate::domain::work_item::WorkItem;
use crate::webhooks::{Egress, comment_id};

/// The public interface.
pub(super) const PUBLIC: &str = "https://api.github.com";
/// How many comments stand on a page: the most that GitHub gives.
const PAGE: usize = 100;
/// How many pages are looked through for a comment.
const PAGES: usize = 20;
/// A comment is looked for from so long before it can have been written, for clocks that differ.
const SLACK: Duration = Duration::from_hours(1);
/// How long a refused token is waited for: it is read again with each try.
const TOKEN_PAUSE: Duration = Duration::from_secs(60);

/// The way to GitHub.
#[derive(Debug, Clone)]
pub(super) struct Github {
    pub(super) base: Url,
    pub(super) token: Token,
    /// `owner/repo`, in lower case: where comments may go.
    pub(super) repositories: BTreeSet<String>,
    pub(super) egress: Egress,
    /// What connects by those rules.
    pub(super) carrier: Arc<dyn Carrier>,
    pub(super) clock: Clock,
}

#[derive(Debug, Deserialize)]
struct GithubComment {
    id: u64,
    #[serde(default)]
    html_url: String,
    body: Option<String>,
    created_at: Option<String>,
    user: Option<Account>,
}

/// Who wrote a comment, or whose the token is.
#[derive(Debug, Deserialize)]
struct Account {
    login: String,
    #[serde(default, rename = "type")]
    kind: String,
}

/// An issue, as far as its comments are looked through.
#[derive(Debug, Deserialize)]
struct Issue {
    #[serde(default)]
    comments: usize,
}

impl Github {
    pub(super) fn takes(&self, item: &WorkItem) -> bool {
        place(item).is_some() && item.repository().is_some_and(|it| self.repositories.contains(&it.to_lowercase()))
    }

    /// Writes a comment once, or brings the hub's own up to date. What somebody else wrote is never touched.
    pub(super) async fn put(&self, comment: &Outside, before: Before, clocks: &ForgeClocks) -> Result<Written, Fail> {
        let (repository, number) = place(&comment.item)
            .filter(|_| self.takes(&comment.item))
            .ok_or_else(|| Fail::Never(format!("{} is in no repository of `tracker.repositories`", comment.item)))?;
        let (rest, body) = (self.rest(clocks)?, json!({"body": comment.body}));
        let found = match before.id {
            Some(id) => Some((id, false)),
            // Nothing went out yet that could be found.
            None if !before.tried && !comment.changed => None,
            None => find(&rest, repository, number, comment).await?,
        };
        let changed = match found {
            Some((id, as_it_is)) => {
                let path = format!("/repos/{repository}/issues/comments/{id}");
                let changed = match as_it_is {
                    true => rest.get(&path, &[]).await,
                    false => rest.write(Method::PATCH, &path, &body).await,
                };
                match changed {
                    Ok(changed) => Some(changed),
                    // Somebody took it away.
                    Err(ForgeError::NotFound(_)) => None,
                    Err(error) => return Err(error.into()),
                }
            }
            None => None,
        };
        let written: GithubComment = match changed {
            Some(changed) => changed,
            None => {
                let path = format!("/repos/{repository}/issues/{number}/comments");
                rest.write(Method::POST, &path, &body).await?
            }
        };
        let called = comment_id(&written.html_url, written.id, repository);
        let receipt = if written.html_url.is_empty() { written.id.to_string() } else { written.html_url };
        Ok(Written { receipt, called, id: Some(written.id) })
    }

    /// What keeps agents from commenting in a repository: asked for an issue that none has, so that nothing is written.
    pub(super) async fn look(&self, repository: &str) -> Result<String, ForgeError> {
        let rest = self.rest(&ForgeClocks::default())?;
        let answer = rest.send(Method::GET, &format!("/repos/{repository}"), &[], None).await?;
        let scopes = answer.headers().get("x-oauth-scopes").cloned();
        let about: Value = rest.read(answer)?;
        let is = |key: &str| about.get(key).and_then(Value::as_bool);
        if is("has_issues") == Some(false) {
            return Err(ForgeError::Refused("its issues are switched off".to_owned()));
        }
        if is("archived") == Some(true) {
            return Err(ForgeError::Refused("it is archived: nobody may write there".to_owned()));
        }
        let name = about.get("full_name").and_then(Value::as_str).unwrap_or(repository).to_owned();
        if !name.eq_ignore_ascii_case(repository) {
            return Err(ForgeError::Refused(renamed(repository, &name)));
        }
        // Tokens of the older kind say what they may.
        if let Some(scopes) = scopes.as_ref().and_then(|scopes| scopes.to_str().ok()) {
            let has = |scope: &str| scopes.split(',').any(|known| known.trim() == scope);
            if !(has("repo") || (has("public_repo") && is("private") == Some(false))) {
                let need = "it needs `repo`, or `public_repo` where everybody sees the repository";
                return Err(ForgeError::Forbidden(format!("the token may read and not comment: {need}")));
            }
        }
        let path = format!("/repos/{repository}/issues/0/comments");
        match rest.write::<Value>(Method::POST, &path, &json!({"body": ""})).await {
            Ok(_) | Err(ForgeError::NotFound(_) | ForgeError::Refused(_)) => Ok(name),
            Err(ForgeError::Forbidden(words)) => {
                let need = "give it the right to write issues";
                Err(ForgeError::Forbidden(format!("the token may read and not comment: {need} ({words})")))
            }
            Err(error) => Err(error),
        }
    }

    /// The client, with the token as it is now.
    fn rest(&self, clocks: &ForgeClocks) -> Result<RestClient, ForgeError> {
        self.egress.check(&self.base).map_err(ForgeError::Unreachable)?;
        // A file that cannot be read now may be put right.
        let token = self.token.read().map_err(ForgeError::Unreachable)?;
        let (carrier, clocks) = (Arc::clone(&self.carrier), clocks.clone());
        github_client(Some(self.base.as_str()), &token, carrier, clocks, self.clock.clone())
            .map_err(|error| ForgeError::Unreachable(error.to_string()))
    }
}

impl From<ForgeError> for Fail {
    /// A comment waits for a new token, too: it is read again with each try.
    fn from(error: ForgeError) -> Self {
        if error == ForgeError::Unauthorized {
            let words = "GitHub refuses the token (401): put a new one into the token's file";
            return Self::Later { error: words.to_owned(), after: Some(TOKEN_PAUSE) };
        }
        match error.passes() {
            Some(after) => Self::Later { error: error.to_string(), after },
            None => Self::Never(error.to_string()),
        }
    }
}

/// The comment that an earlier attempt left, and whether it is current; text and author are the hub's. Newest first.
async fn find(
    rest: &RestClient,
    repository: &str,
    number: u64,
    comment: &Outside,
) -> Result<Option<(u64, bool)>, ForgeError> {
    let issue = format!("/repos/{repository}/issues/{number}");
    let about: Issue = rest.get(&issue, &[]).await?;
    let (path, since) = (format!("{issue}/comments"), comment.since - SLACK);
    let own = |known: &GithubComment| {
        let text = known.body.as_deref().unwrap_or_default().trim();
        comment.earlier.iter().chain([&comment.body]).any(|body| body.trim() == text)
    };
    let last = about.comments.div_ceil(PAGE).max(1);
    for page in (1..=last).rev().take(PAGES) {
        let (page, size) = (page.to_string(), PAGE.to_string());
        let query = [("per_page", size.as_str()), ("page", page.as_str())];
        let all: Vec<GithubComment> = rest.get(&path, &query).await?;
        let is_first = |known: &GithubComment| {
            let at = known.created_at.as_deref().and_then(Timestamp::parse);
            at.is_some_and(|at| rest.ours(at) < since)
        };
        let reaches_back = all.first().is_some_and(is_first);
        for known in all.iter().filter(|known| own(known)) {
            if is_ours(rest, known).await? {
                return Ok(Some((known.id, known.body.as_deref().map(str::trim) == Some(comment.body.trim()))));
            }
        }
        if reaches_back {
            break;
        }
    }
    Ok(None)
}

/// Whether the account of the token wrote it.
async fn is_ours(rest: &RestClient, known: &GithubComment) -> Result<bool, ForgeError> {
    let Some(author) = &known.user else { return Ok(true) };
    match rest.get::<Account>("/user", &[]).await {
        Ok(own) => Ok(own.login.eq_ignore_ascii_case(&author.login)),
        // The token of an app may not ask, and an app is no person.
        Err(ForgeError::Forbidden(_) | ForgeError::NotFound(_)) => Ok(author.kind == "Bot"),
        Err(error) => Err(error),
    }
}

/// The repository and the number of an item; none for what is no issue of GitHub.
fn place(item: &WorkItem) -> Option<(&str, u64)> {
    let (repository, number) = item.as_str().rsplit_once('#')?;
    is_repository(repository).then_some(())?;
    Some((repository, number.parse().ok()?))
}

/// Whether that is `owner/repo`, which is safe in a path.
pub(super) fn is_repository(name: &str) -> bool {
    let fits = |part: &str| {
        let safe = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        !part.is_empty() && part != "." && part != ".." && part.chars().all(safe)
    };
    name.split_once('/').is_some_and(|(owner, repository)| fits(owner) && fits(repository))
}
