//! What is noticed of every answer of a forge, whatever was asked: what time it is there, and that a repository is
//! called otherwise now.
//!
//! *Time.* A comment bears the forge's own time. How far its clock is from this machine's is told by the header `Date`
//! of each answer, to the second; see [`ForgeClocks`].
//!
//! *Names.* A forge answers the old name of a renamed repository with a redirect, which is not followed: settings name
//! the repositories in which agents may write, and a new name is for a person to put there. It is asked for once, at
//! the same origin, so that the refusal says both.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use http::header::{CONTENT_TYPE, DATE, HeaderMap, LOCATION};
use http::{Method, Request, Uri};
use serde_json::Value;
use tokio::sync::watch;

use super::carrier::{Carrier, ForgeAnswer, ForgeRequest};
use super::error::ForgeError;
use crate::clock::Clock;
use crate::domain::text::quoted;
use crate::domain::time::Timestamp;

/// Clocks that differ by less are the same: the header tells whole seconds, and answers take their time.
const SAME: Duration = Duration::from_secs(2);
/// The longest name of a repository that is repeated, in characters.
const NAME: usize = 200;
const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// How far the clocks of forges are from this machine's, in milliseconds by host, as their last answers told. Cheap to
/// clone; clones share it. Not persisted: the next answer tells it again.
#[derive(Debug, Clone)]
pub struct ForgeClocks(Arc<watch::Sender<BTreeMap<String, i64>>>);

impl Default for ForgeClocks {
    fn default() -> Self {
        Self(Arc::new(watch::Sender::new(BTreeMap::new())))
    }
}

impl ForgeClocks {
    /// A time of this host, by this machine's clock. Where nothing is known of the host's clock, it is taken as it is.
    #[must_use]
    pub fn ours(&self, host: &str, at: Timestamp) -> Timestamp {
        let ahead = self.0.borrow().get(site(host)).copied().unwrap_or_default();
        Timestamp(at.0.saturating_add_signed(ahead.saturating_neg()))
    }

    /// This is what an answer of that host, which came now, says of its clock.
    pub fn hear(&self, host: &str, headers: &HeaderMap, now: Timestamp) {
        let Some(there) = headers.get(DATE).and_then(|date| date.to_str().ok()).and_then(read_date) else { return };
        let apart = there.since(now).max(now.since(there));
        let millis = i64::try_from(apart.as_millis()).unwrap_or(i64::MAX);
        let ahead = if apart < SAME { 0 } else { millis * if there > now { 1 } else { -1 } };
        self.0.send_if_modified(|known| known.insert(site(host).to_owned(), ahead) != Some(ahead));
    }
}

/// Interfaces have a host of their own where pages have none: `api.github.com` and `github.com` are one clock.
fn site(host: &str) -> &str {
    let host = host.split(':').next().unwrap_or(host);
    host.strip_prefix("api.").unwrap_or(host)
}

/// The date of a header, as `Fri, 27 Nov 2026 17:20:38 GMT`: the middle of its second.
fn read_date(text: &str) -> Option<Timestamp> {
    let parts: Vec<&str> = text.split_whitespace().collect();
    let [_, day, month, year, time, "GMT"] = parts.as_slice() else { return None };
    let month = MONTHS.iter().position(|known| known == month)? + 1;
    Timestamp::parse(&format!("{year}-{month:02}-{day:0>2}T{time}.500Z"))
}

/// A carrier whose answers are noticed.
#[derive(Debug)]
pub struct Watched {
    /// What carries.
    pub inner: Arc<dyn Carrier>,
    /// Who is told of the time.
    pub clocks: ForgeClocks,
    /// Tells this machine's time.
    pub clock: Clock,
}

impl Watched {
    async fn send(&self, request: ForgeRequest) -> Result<ForgeAnswer, ForgeError> {
        let (uri, headers) = (request.uri().clone(), request.headers().clone());
        let answer = self.inner.carry(request).await?;
        self.clocks.hear(uri.host().unwrap_or_default(), answer.headers(), self.clock.machine_now());
        if answer.status().is_redirection()
            && let Some((from, to)) = self.new_name(&uri, headers, &answer).await
        {
            return Err(ForgeError::Refused(renamed(&from, &to)));
        }
        Ok(answer)
    }

    /// What the repository of a request was called, and what it is called now.
    async fn new_name(&self, asked: &Uri, mut headers: HeaderMap, answer: &ForgeAnswer) -> Option<(String, String)> {
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
                let place = Uri::from_parts(place).ok()?;
                let mut request = Request::builder().method(Method::GET).uri(place).body(Bytes::new()).ok()?;
                headers.remove(CONTENT_TYPE);
                *request.headers_mut() = headers;
                let about = self.inner.carry(request).await.ok().filter(|about| about.status().is_success())?;
                let about: Value = serde_json::from_slice(about.body()).ok()?;
                about.get("full_name")?.as_str()?.to_owned()
            }
        };
        (!name.eq_ignore_ascii_case(&from)).then_some((from, name))
    }
}

impl Carrier for Watched {
    fn carry(&self, request: ForgeRequest) -> BoxFuture<'_, Result<ForgeAnswer, ForgeError>> {
        self.send(request).boxed()
    }
}

/// What is said of a repository that has another name now.
#[must_use]
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
mod tests {
    use super::*;

    #[test]
    fn a_forges_time_is_told_by_the_hubs_clock() {
        let (clocks, now) = (ForgeClocks::default(), Timestamp::parse("2026-11-27T17:20:38Z").unwrap());
        let hears = |date: &'static str| {
            let headers = HeaderMap::from_iter([(DATE, http::HeaderValue::from_static(date))]);
            clocks.hear("api.github.com", &headers, now);
            let at = clocks.ours("github.com", now);
            i64::try_from(at.0).unwrap() - i64::try_from(now.0).unwrap()
        };
        assert_eq!(hears("nonsense"), 0);
        assert_eq!(hears("Fri, 27 Nov 2026 17:20:08 GMT"), 29_500, "it is behind");
        assert_eq!(hears("Fri, 27 Nov 2026 17:21:08 GMT"), -30_500, "it is ahead");
        assert_eq!(hears("Fri, 27 Nov 2026 17:20:37 GMT"), 0, "a second is nothing");
        assert_eq!(clocks.ours("another.example", now), now);
    }

    #[test]
    fn a_path_names_its_repository() {
        assert_eq!(named_in("/repos/acme/web/issues/1").as_deref(), Some("acme/web"));
        assert_eq!(named_in("/api/v1/repos/acme/web").as_deref(), Some("acme/web"));
        assert_eq!(named_in("/repositories/12/issues"), None);
    }
}
