//! The way of our requests: under the instance's address, with our headers and token, through our carrier.
//!
//! How much a page holds, an instance decides: what is asked for is a wish. So a list is whole when it has as many
//! items as `X-Total-Count` says, when `Link` names no next page, or when a page is empty or is the one before again.

use std::fmt;
use std::sync::Arc;

use bytes::Bytes;
use http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderValue, LINK};
use http::{HeaderMap, Method, Request};
use secrecy::{ExposeSecret as _, SecretString};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::actors::forge::carrier::{Carrier, ForgeAnswer, judged};
use crate::actors::forge::error::ForgeError;
use crate::actors::forge::place::escaped;
use crate::clock::Clock;

/// The path of the interface below an instance.
const API: &str = "/api/v1";
/// How many items are asked for: the most that an instance gives where nobody changed it.
const PAGE: &str = "50";
/// The most pages that are read of a list which has to be whole, and of one in which the first will do.
const PAGES: usize = 100;
const FIRST: usize = 10;

/// The client.
pub(super) struct Client {
    base: String,
    authorization: HeaderValue,
    carrier: Arc<dyn Carrier>,
    clock: Clock,
}

impl Client {
    pub(super) fn new(
        base: &str,
        token: &SecretString,
        carrier: Arc<dyn Carrier>,
        clock: Clock,
    ) -> Result<Self, ForgeError> {
        let mut authorization = HeaderValue::from_str(&format!("token {}", token.expose_secret()))
            .map_err(|_| ForgeError::Off("the forge's token has characters that no token has".to_owned()))?;
        authorization.set_sensitive(true);
        let base = base.trim_end_matches('/');
        let base = base.strip_suffix(API).unwrap_or(base);
        Ok(Self { base: format!("{base}{API}"), authorization, carrier, clock })
    }

    /// Sends a request; its answer, whatever it says.
    pub(super) async fn send(
        &self,
        method: Method,
        path: &str,
        query: &[(&str, &str)],
        body: Option<&Value>,
    ) -> Result<ForgeAnswer, ForgeError> {
        let pairs: Vec<String> = query.iter().map(|(key, value)| format!("{key}={}", escaped(value))).collect();
        let mark = if pairs.is_empty() { "" } else { "?" };
        let mut built = Request::builder()
            .method(method)
            .uri(format!("{}{path}{mark}{}", self.base, pairs.join("&")))
            .header(ACCEPT, "application/json")
            .header(AUTHORIZATION, self.authorization.clone());
        if body.is_some() {
            built = built.header(CONTENT_TYPE, "application/json");
        }
        let body = body.map(|body| Bytes::from(body.to_string())).unwrap_or_default();
        let unfit = |error: http::Error| ForgeError::Refused(format!("the request cannot be built: {error}"));
        self.carrier.carry(built.body(body).map_err(unfit)?).await
    }

    /// What an answer says that does what was asked.
    pub(super) fn read<T: DeserializeOwned>(&self, answer: ForgeAnswer) -> Result<T, ForgeError> {
        let answer = judged(answer, self.clock.machine_now())?;
        serde_json::from_slice(answer.body()).map_err(|error| ForgeError::Unreadable(error.to_string()))
    }

    /// Whether an answer does what was asked.
    pub(super) fn done(&self, answer: ForgeAnswer) -> Result<(), ForgeError> {
        judged(answer, self.clock.machine_now()).map(drop)
    }

    pub(super) async fn get<T: DeserializeOwned>(&self, path: &str, query: &[(&str, &str)]) -> Result<T, ForgeError> {
        self.read(self.send(Method::GET, path, query, None).await?)
    }

    /// A text that is no JSON, as a diff.
    pub(super) async fn text(&self, path: &str) -> Result<String, ForgeError> {
        let answer = judged(self.send(Method::GET, path, &[], None).await?, self.clock.now())?;
        Ok(String::from_utf8_lossy(answer.body()).into_owned())
    }

    /// A whole list: what is decided by it must not stand on a page that nobody read.
    pub(super) async fn all<P: DeserializeOwned, T>(
        &self,
        path: &str,
        items: impl Fn(P) -> Vec<T>,
    ) -> Result<Vec<T>, ForgeError> {
        match self.pages(path, &[], PAGES, items).await? {
            (all, true) => Ok(all),
            (all, false) => Err(ForgeError::Unreadable(format!("a list has more than {} entries", all.len()))),
        }
    }

    /// The beginning of a list.
    pub(super) async fn first<T: DeserializeOwned>(
        &self,
        path: &str,
        query: &[(&str, &str)],
    ) -> Result<Vec<T>, ForgeError> {
        Ok(self.pages(path, query, FIRST, |all| all).await?.0)
    }

    /// How many items a list has; those on its first page where nothing tells.
    pub(super) async fn count(&self, path: &str) -> Result<u64, ForgeError> {
        let answer = self.send(Method::GET, path, &[("page", "1"), ("limit", PAGE)], None).await?;
        let total = total(answer.headers());
        let listed: Vec<Value> = self.read(answer)?;
        Ok(u64::try_from(total.unwrap_or(listed.len())).unwrap_or(u64::MAX))
    }

    /// So many pages at most, and whether they are all.
    async fn pages<P: DeserializeOwned, T>(
        &self,
        path: &str,
        query: &[(&str, &str)],
        most: usize,
        items: impl Fn(P) -> Vec<T>,
    ) -> Result<(Vec<T>, bool), ForgeError> {
        let (mut all, mut before) = (Vec::new(), Bytes::new());
        for page in 1..=most {
            let page = page.to_string();
            let query: Vec<_> = query.iter().copied().chain([("page", page.as_str()), ("limit", PAGE)]).collect();
            let answer = self.send(Method::GET, path, &query, None).await?;
            let (headers, body) = (answer.headers().clone(), answer.body().clone());
            let found = items(self.read(answer)?);
            if found.is_empty() || body == before {
                return Ok((all, true));
            }
            before = body;
            all.extend(found);
            let ends = match (total(&headers), headers.get(LINK)) {
                (Some(total), _) => all.len() >= total,
                (None, Some(link)) => !link.to_str().unwrap_or_default().contains("rel=\"next\""),
                (None, None) => false,
            };
            if ends {
                return Ok((all, true));
            }
        }
        Ok((all, false))
    }
}

fn total(headers: &HeaderMap) -> Option<usize> {
    headers.get("x-total-count")?.to_str().ok()?.parse().ok()
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").field("base", &self.base).finish_non_exhaustive()
    }
}
