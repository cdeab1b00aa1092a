//! Comments on issues and pull requests of GitHub, by its REST interface.

use std::collections::BTreeSet;
use std::time::Duration;

use reqwest::header::{ACCEPT, HeaderMap, RETRY_AFTER};
use reqwest::{Client, Method, RequestBuilder, Response, StatusCode, Url};
use secrecy::ExposeSecret as _;
use serde::Deserialize;
use serde_json::{Value, json};

use super::comment::{Fail, Outside};
use super::token::Token;
use crate::clock::Clock;
use crate::domain::time::Timestamp;
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
/// The most that one answer may have, in bytes.
const LONGEST: usize = 16 * 1024 * 1024;
/// A comment is looked for from so long before it can have been written, for clocks that differ.
const SLACK: Duration = Duration::from_hours(1);
/// How long a refused token is waited for: it is read again with each try.
const TOKEN_PAUSE: Duration = Duration::from_secs(60);
/// The longest pause that is believed.
const LONGEST_PAUSE: Duration = Duration::from_hours(1);

/// The way to GitHub.
#[derive(Debug, Clone)]
pub(super) struct Github {
    pub(super) base: Url,
    pub(super) token: Token,
    /// `owner/repo`, in lower case: where comments may go.
    pub(super) repositories: BTreeSet<String>,
    pub(super) egress: Egress,
    pub(super) client: Client,
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
                read(self.call(Method::PATCH, &path, &[], Some(&body)).await?).await?
            }
            None => {
                let path = format!("repos/{repository}/issues/{number}/comments");
                read(self.call(Method::POST, &path, &[], Some(&body)).await?).await?
            }
        };
        Ok(if written.html_url.is_empty() { written.id.to_string() } else { written.html_url })
    }

    /// The comment with that mark: the first, for whoever copies a mark does so later.
    async fn find(&self, repository: &str, number: u64, comment: &Outside) -> Result<Option<Known>, Fail> {
        let path = format!("repos/{repository}/issues/{number}/comments");
        let since = (comment.since - SLACK).to_string();
        for page in 1..=PAGES {
            let (page, size) = (page.to_string(), PAGE.to_string());
            let query = [("per_page", size.as_str()), ("page", page.as_str()), ("since", since.as_str())];
            let all: Vec<Known> = read(self.call(Method::GET, &path, &query, None).await?).await?;
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
    pub(super) async fn look(&self, repository: &str) -> Result<String, Fail> {
        let about: Value = read(self.call(Method::GET, &format!("repos/{repository}"), &[], None).await?).await?;
        let issues = about.get("has_issues").and_then(Value::as_bool).unwrap_or(true);
        if !issues {
            return Err(Fail::Never("its issues are switched off".to_owned()));
        }
        Ok(about.get("full_name").and_then(Value::as_str).unwrap_or(repository).to_owned())
    }

    async fn call(
        &self,
        method: Method,
        path: &str,
        query: &[(&str, &str)],
        body: Option<&Value>,
    ) -> Result<Response, Fail> {
        let later = |error: String| Fail::Later { error, after: None };
        let mut url = self.base.clone();
        url.set_path(&format!("{}/{path}", url.path().trim_end_matches('/')));
        if !query.is_empty() {
            url.query_pairs_mut().extend_pairs(query);
        }
        self.egress.check(&url).map_err(later)?;
        let token = self.token.read().map_err(later)?;
        let request: RequestBuilder = self
            .client
            .request(method, url)
            .bearer_auth(token.expose_secret())
            .header(ACCEPT, "application/vnd.github+json")
            .header("x-github-api-version", VERSION);
        let request = match body {
            Some(body) => request.json(body),
            None => request,
        };
        let response = request.send().await.map_err(|error| later(Egress::told(&error.without_url())))?;
        if response.status().is_success() { Ok(response) } else { Err(self.failed(response).await) }
    }

    /// What an answer means that is no success.
    async fn failed(&self, response: Response) -> Fail {
        let (status, headers) = (response.status(), response.headers().clone());
        let said: Value = read(response).await.unwrap_or_default();
        let said = said.get("message").and_then(Value::as_str).unwrap_or_default();
        let said: String = said.chars().filter(|c| !c.is_control()).take(200).collect();
        let error = format!("GitHub answered {}: {said}", status.as_u16());
        let pause = pause(&headers, self.clock.now());
        match status {
            StatusCode::UNAUTHORIZED => Fail::Later {
                error: format!("{error}; it refuses the token: put a new one into the token's file"),
                after: Some(TOKEN_PAUSE),
            },
            StatusCode::TOO_MANY_REQUESTS => Fail::Later { error, after: pause },
            // It says so when there was too much of something.
            StatusCode::FORBIDDEN if pause.is_some() => Fail::Later { error, after: pause },
            StatusCode::REQUEST_TIMEOUT => Fail::Later { error, after: pause },
            status if status.is_server_error() => Fail::Later { error, after: pause },
            status if status.is_redirection() => Fail::Never(format!("{error}: redirects are not followed")),
            _ => Fail::Never(error),
        }
    }
}

/// How long GitHub wants to be left alone, where it says so.
fn pause(headers: &HeaderMap, now: Timestamp) -> Option<Duration> {
    let number = |name: &str| headers.get(name)?.to_str().ok()?.trim().parse::<u64>().ok();
    let used_up = number("x-ratelimit-remaining") == Some(0);
    let reset = || number("x-ratelimit-reset").filter(|_| used_up);
    let asked = number(RETRY_AFTER.as_str()).map(Duration::from_secs);
    let until = || reset().map(|seconds| Timestamp(seconds.saturating_mul(1_000)).since(now));
    asked.or_else(until).map(|pause| pause.min(LONGEST_PAUSE))
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

async fn read<T: serde::de::DeserializeOwned>(mut response: Response) -> Result<T, Fail> {
    let mut bytes = Vec::new();
    let later = |error: String| Fail::Later { error, after: None };
    while let Some(chunk) = response.chunk().await.map_err(|error| later(Egress::told(&error.without_url())))? {
        bytes.extend_from_slice(&chunk);
        if bytes.len() > LONGEST {
            return Err(Fail::Never(format!("its answer has more than {LONGEST} bytes")));
        }
    }
    serde_json::from_slice(&bytes).map_err(|error| later(format!("its answer cannot be read: {error}")))
}
