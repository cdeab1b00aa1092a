//! Comments on issues and pull requests of GitHub, by its REST interface.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderValue};
use http::{Method, Request};
use reqwest::Url;
use secrecy::ExposeSecret as _;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::comment::{Fail, Outside};
use super::token::Token;
use crate::actors::forge::{Carrier, ForgeError, judged};
use crate::clock::Clock;
use crate::domain::work_item::WorkItem;
use crate::webhooks::Egress;

/// The public interface.
pub(super) const PUBLIC: &str = "https://api.github.com";
/// The version that these requests are written for.
const VERSION: &str = "2022-11-28";
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

/// A comment, as GitHub has it.
#[derive(Debug, Deserialize)]
struct Known {
    id: u64,
    #[serde(default)]
    html_url: String,
    #[serde(default)]
    body: Option<String>,
}

impl Github {
    pub(super) fn takes(&self, item: &WorkItem) -> bool {
        place(item).is_some() && item.repository().is_some_and(|it| self.repositories.contains(&it.to_lowercase()))
    }

    /// Writes a comment once, or brings the one with its mark up to date.
    pub(super) async fn put(&self, comment: &Outside) -> Result<String, Fail> {
        let (repository, number) = place(&comment.item)
            .filter(|_| self.takes(&comment.item))
            .ok_or_else(|| Fail::Never(format!("{} is in no repository of `tracker.repositories`", comment.item)))?;
        let body = json!({"body": comment.body});
        let written = match self.find(repository, number, comment).await? {
            Some(known) if known.body.as_deref().map(str::trim) == Some(comment.body.trim()) => known,
            Some(known) => {
                let path = format!("repos/{repository}/issues/comments/{}", known.id);
                self.call(Method::PATCH, &path, &[], Some(&body)).await?
            }
            None => {
                let path = format!("repos/{repository}/issues/{number}/comments");
                self.call(Method::POST, &path, &[], Some(&body)).await?
            }
        };
        Ok(if written.html_url.is_empty() { written.id.to_string() } else { written.html_url })
    }

    /// The comment with that mark: the first, for whoever copies a mark does so later.
    async fn find(&self, repository: &str, number: u64, comment: &Outside) -> Result<Option<Known>, Fail> {
        let path = format!("repos/{repository}/issues/{number}/comments");
        let since = (self.clock.to_machine(comment.since) - SLACK).to_string();
        for page in 1..=PAGES {
            let (page, size) = (page.to_string(), PAGE.to_string());
            let query = [("per_page", size.as_str()), ("page", page.as_str()), ("since", since.as_str())];
            let all: Vec<Known> = self.call(Method::GET, &path, &query, None).await?;
            let is_last = all.len() < PAGE;
            let found =
                all.into_iter().find(|known| known.body.as_deref().is_some_and(|it| it.contains(&comment.mark)));
            if found.is_some() || is_last {
                return Ok(found);
            }
        }
        Err(Fail::Never(format!("more than {} comments were written meanwhile", PAGE * PAGES)))
    }

    /// Whether a repository can be read with the token: who it is, in GitHub's words.
    pub(super) async fn look(&self, repository: &str) -> Result<String, ForgeError> {
        let about: Value = self.call(Method::GET, &format!("repos/{repository}"), &[], None).await?;
        let issues = about.get("has_issues").and_then(Value::as_bool).unwrap_or(true);
        if !issues {
            return Err(ForgeError::Refused("its issues are switched off".to_owned()));
        }
        Ok(about.get("full_name").and_then(Value::as_str).unwrap_or(repository).to_owned())
    }

    async fn call<T: DeserializeOwned>(
        &self,
        method: Method,
        path: &str,
        query: &[(&str, &str)],
        body: Option<&Value>,
    ) -> Result<T, ForgeError> {
        let mut url = self.base.clone();
        url.set_path(&format!("{}/{path}", url.path().trim_end_matches('/')));
        if !query.is_empty() {
            url.query_pairs_mut().extend_pairs(query);
        }
        self.egress.check(&url).map_err(ForgeError::Unreachable)?;
        // A file that cannot be read now may be put right.
        let token = self.token.read().map_err(ForgeError::Unreachable)?;
        let mut authorization = HeaderValue::from_str(&format!("Bearer {}", token.expose_secret()))
            .map_err(|_| ForgeError::Unreachable("the tracker's token has characters that no token has".to_owned()))?;
        authorization.set_sensitive(true);
        let mut built = Request::builder()
            .method(method)
            .uri(url.as_str())
            .header(AUTHORIZATION, authorization)
            .header(ACCEPT, "application/vnd.github+json")
            .header("x-github-api-version", VERSION);
        if body.is_some() {
            built = built.header(CONTENT_TYPE, "application/json");
        }
        let body = body.map(|body| Bytes::from(body.to_string())).unwrap_or_default();
        let unfit = |error: http::Error| ForgeError::Refused(format!("the request cannot be built: {error}"));
        let answer = judged(self.carrier.carry(built.body(body).map_err(unfit)?).await?, self.clock.machine_now())?;
        serde_json::from_slice(answer.body()).map_err(|error| ForgeError::Unreadable(error.to_string()))
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
