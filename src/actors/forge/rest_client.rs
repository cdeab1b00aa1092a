//! The client of every REST interface that the hub writes to: GitHub's and Forgejo's, for pull requests and comments.
//! It sends each request once: what may pass by itself is for the outbox to repeat.
//!
//! *Pages.* How much a page holds, an instance decides. A list is whole when it has as many items as `X-Total-Count`
//! says, when `Link` names no next page, or when a page is empty or is the one before again; where the interface
//! promises full pages, also when one is shorter.
//!
//! *Names.* A renamed repository answers with a redirect, which is not followed: settings name the repositories in
//! which agents may write, and a new name is for a person to put there. It is asked for once, so that the refusal says
//! both.

use std::fmt::Display;
use std::sync::Arc;

use bytes::Bytes;
use http::header::{AUTHORIZATION, CONTENT_TYPE, HeaderName, HeaderValue, LINK, LOCATION};
use http::{HeaderMap, Method, Request, Uri};
use secrecy::{ExposeSecret as _, SecretString};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::carrier::{Carrier, ForgeAnswer, judged};
use super::clocks::ForgeClocks;
use super::error::{ForgeError, ForgeResult};
use super::place::escaped;
use crate::clock::Clock;
use crate::domain::text::quoted;
use crate::domain::time::Timestamp;

/// The longest name of a repository that is repeated, in characters.
const NAME: usize = 200;

/// The client. Cheap to clone.
#[derive(Debug, Clone)]
pub struct RestClient {
    /// The address that paths are put behind, without a slash at its end.
    base: String,
    /// The headers of every request; the token's is marked as sensitive, so it is in no log.
    headers: HeaderMap,
    paging: Paging,
    carrier: Arc<dyn Carrier>,
    clocks: ForgeClocks,
    clock: Clock,
}

/// How an interface cuts its lists.
#[derive(Debug, Clone, Copy)]
pub(super) struct Paging {
    /// The parameter that asks for a size.
    pub(super) key: &'static str,
    /// The most items that a page holds, where nobody changed it.
    pub(super) size: usize,
    /// Whether a page with fewer items is the last. An instance whose owner may lower the size does not promise it.
    pub(super) short_is_last: bool,
    /// The most pages that are read of a list which has to be whole.
    pub(super) most: usize,
}

impl RestClient {
    /// To this address, over this carrier; `clocks` hears what time it is there.
    pub(super) fn new(
        base: &str,
        paging: Paging,
        carrier: Arc<dyn Carrier>,
        clocks: ForgeClocks,
        clock: Clock,
    ) -> Self {
        let base = base.trim_end_matches('/').to_owned();
        Self { base, headers: HeaderMap::new(), paging, carrier, clocks, clock }
    }

    /// The same with a token, under the interface's name for it. Fails when the token cannot stand in a header.
    pub(super) fn with_token(self, scheme: &str, token: &SecretString) -> ForgeResult<Self> {
        let mut value = HeaderValue::from_str(&format!("{scheme} {}", token.expose_secret()))
            .map_err(|_| ForgeError::Off("the forge's token has characters that no token has".to_owned()))?;
        value.set_sensitive(true);
        Ok(self.with_header(AUTHORIZATION, value))
    }

    pub(super) fn with_header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.insert(name, value);
        self
    }

    pub(super) fn base(&self) -> &str {
        &self.base
    }

    pub(super) fn at(self, base: String) -> Self {
        Self { base, ..self }
    }

    /// A time of the forge by the hub's clock, as far as its answers told what time it is there.
    pub fn ours(&self, at: Timestamp) -> Timestamp {
        let base = self.base.parse::<Uri>().unwrap_or_default();
        self.clocks.ours(base.host().unwrap_or_default(), at)
    }

    /// Sends a request; its answer, whatever it says.
    pub async fn send(
        &self,
        method: Method,
        path: &str,
        query: &[(&str, &str)],
        body: Option<&Value>,
    ) -> ForgeResult<ForgeAnswer> {
        let pairs: Vec<String> = query.iter().map(|(key, value)| format!("{key}={}", escaped(value))).collect();
        let mark = if pairs.is_empty() { "" } else { "?" };
        let address = format!("{}{path}{mark}{}", self.base, pairs.join("&"));
        let bytes = body.map(|body| Bytes::from(body.to_string())).unwrap_or_default();
        let built = Request::builder().method(method).uri(address).body(bytes);
        let mut request =
            built.map_err(|error| ForgeError::Refused(format!("the request cannot be built: {error}")))?;
        request.headers_mut().clone_from(&self.headers);
        if body.is_some() {
            request.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        }
        let uri = request.uri().clone();
        let answer = self.carrier.carry(request).await?;
        self.clocks.hear(uri.host().unwrap_or_default(), answer.headers(), self.clock.machine_now());
        if answer.status().is_redirection()
            && let Some((from, to)) = self.new_name(&uri, &answer).await
        {
            return Err(ForgeError::Refused(renamed(&from, &to)));
        }
        Ok(answer)
    }

    /// An answer that does what was asked, or why not.
    pub fn done(&self, answer: ForgeAnswer) -> ForgeResult<ForgeAnswer> {
        judged(answer, self.clock.machine_now())
    }

    /// What an answer says that does what was asked.
    pub fn read<T: DeserializeOwned>(&self, answer: ForgeAnswer) -> ForgeResult<T> {
        let answer = self.done(answer)?;
        let unreadable = |error: &dyn Display| ForgeError::Unreadable(error.to_string());
        let mut json = serde_json::Deserializer::from_slice(answer.body());
        let read = serde_path_to_error::deserialize(&mut json).map_err(|error| unreadable(&error))?;
        json.end().map(|()| read).map_err(|error| unreadable(&error))
    }

    pub async fn get<T: DeserializeOwned>(&self, path: &str, query: &[(&str, &str)]) -> ForgeResult<T> {
        self.read(self.send(Method::GET, path, query, None).await?)
    }

    /// Writes; what the answer says.
    pub async fn write<T: DeserializeOwned>(&self, method: Method, path: &str, body: &Value) -> ForgeResult<T> {
        self.read(self.send(method, path, &[], Some(body)).await?)
    }

    /// A text that is no JSON, as a diff.
    pub(super) async fn text(&self, path: &str) -> ForgeResult<String> {
        let answer = self.done(self.send(Method::GET, path, &[], None).await?)?;
        Ok(String::from_utf8_lossy(answer.body()).into_owned())
    }

    /// A whole list: what is decided by it must not stand on a page that nobody read.
    pub(super) async fn all<P: DeserializeOwned, T>(
        &self,
        path: &str,
        items: impl Fn(P) -> Vec<T>,
    ) -> ForgeResult<Vec<T>> {
        match self.pages(path, &[], self.paging.most, items).await? {
            (all, true) => Ok(all),
            (all, false) => Err(ForgeError::Unreadable(format!("a list has more than {} entries", all.len()))),
        }
    }

    /// So many pages at most, and whether they are all.
    pub(super) async fn pages<P: DeserializeOwned, T>(
        &self,
        path: &str,
        query: &[(&str, &str)],
        most: usize,
        items: impl Fn(P) -> Vec<T>,
    ) -> ForgeResult<(Vec<T>, bool)> {
        let Paging { key, size, short_is_last, .. } = self.paging;
        let (mut all, mut before, wanted) = (Vec::new(), Bytes::new(), size.to_string());
        for page in 1..=most {
            let page = page.to_string();
            let query: Vec<_> = query.iter().copied().chain([("page", page.as_str()), (key, &wanted)]).collect();
            let answer = self.send(Method::GET, path, &query, None).await?;
            let (headers, body) = (answer.headers().clone(), answer.body().clone());
            let found = items(self.read(answer)?);
            if found.is_empty() || body == before {
                return Ok((all, true));
            }
            let is_short = found.len() < size;
            before = body;
            all.extend(found);
            let ends = match (total(&headers), headers.get(LINK)) {
                (Some(total), _) => all.len() >= total,
                (None, Some(link)) => !link.to_str().unwrap_or_default().contains("rel=\"next\""),
                (None, None) => is_short && short_is_last,
            };
            if ends {
                return Ok((all, true));
            }
        }
        Ok((all, false))
    }

    /// How many items a list has; those on its first page where nothing tells.
    pub(super) async fn count(&self, path: &str) -> ForgeResult<u64> {
        let size = self.paging.size.to_string();
        let query = [("page", "1"), (self.paging.key, size.as_str())];
        let answer = self.send(Method::GET, path, &query, None).await?;
        let total = total(answer.headers());
        let listed: Vec<Value> = self.read(answer)?;
        Ok(u64::try_from(total.unwrap_or(listed.len())).unwrap_or(u64::MAX))
    }

    /// What the repository of a request was called, and what it is called now.
    async fn new_name(&self, asked: &Uri, answer: &ForgeAnswer) -> Option<(String, String)> {
        let from = named_in(asked.path())?;
        let to: Uri = answer.headers().get(LOCATION)?.to_str().ok()?.parse().ok()?;
        // The token goes nowhere else; a relative address leads to the same place.
        let is_here = to.authority().is_none() || (to.authority(), to.scheme()) == (asked.authority(), asked.scheme());
        if !is_here {
            return None;
        }
        let name = match named_in(to.path()) {
            Some(name) => name,
            None => {
                let (before, behind) = to.path().split_once("/repositories/")?;
                let path = format!("{before}/repositories/{}", behind.split('/').next()?);
                let mut place = asked.clone().into_parts();
                place.path_and_query = Some(path.parse().ok()?);
                let mut request = Request::new(Bytes::new());
                *request.uri_mut() = Uri::from_parts(place).ok()?;
                request.headers_mut().clone_from(&self.headers);
                let about = self.carrier.carry(request).await.ok().filter(|about| about.status().is_success())?;
                let about: Value = serde_json::from_slice(about.body()).ok()?;
                about.get("full_name")?.as_str()?.to_owned()
            }
        };
        (!name.eq_ignore_ascii_case(&from)).then_some((from, name))
    }
}

fn total(headers: &HeaderMap) -> Option<usize> {
    headers.get("x-total-count")?.to_str().ok()?.parse().ok()
}

/// What is said of a repository that has another name now.
pub fn renamed(from: &str, to: &str) -> String {
    let [from, to] = [from, to].map(|name| quoted(name, NAME));
    format!(
        "the repository {from} is called {to} now: put the new name into hub.yaml (forge.repositories, \
         tracker.repositories, webhooks.in) and link agents anew"
    )
}

/// The repository that a path is about.
fn named_in(path: &str) -> Option<String> {
    let (_, behind) = path.split_once("/repos/")?;
    let mut parts = behind.split('/');
    Some(format!("{}/{}", parts.next()?, parts.next()?))
}

#[cfg(test)]
mod tests;
