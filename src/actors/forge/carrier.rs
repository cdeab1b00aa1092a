//! What carries a request to a forge and its answer back, and what answers mean that are the same on every forge.
//!
//! Tests put another carrier in the place of ours, which asks a forge in the same process.

use std::fmt::Debug;
use std::sync::OnceLock;
use std::time::Duration;

use bytes::Bytes;
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use http::header::RETRY_AFTER;
use http::{HeaderMap, Request, Response, StatusCode};
use reqwest::Client;
use serde_json::Value;

use super::error::{ForgeError, ForgeResult};
use crate::domain::text::{shorten, with_causes};
use crate::domain::time::Timestamp;
use crate::web_client;

/// How long a connection may take to be made.
const CONNECT_WITHIN: Duration = Duration::from_secs(5);
/// And all of a request: three of them fit into one send of the outbox.
const ANSWER_WITHIN: Duration = Duration::from_secs(8);
/// The longest answer that is read, in bytes.
const LONGEST_ANSWER: usize = 16 * 1024 * 1024;
/// The pause after a limit that names none.
const PAUSE: Duration = Duration::from_secs(60);
/// The longest pause that a forge may ask for.
const LONGEST_PAUSE: Duration = Duration::from_hours(2);
/// What stands in an answer that means a limit, where no header says so. GraphQL answers 200 with it.
const LIMITS: [&str; 4] = ["secondary rate limit", "rate limit exceeded", "abuse detection", "rate_limited"];
/// How much of an answer is read for that, in bytes: one with what was asked for is longer, or has no errors.
const LONGEST_NO: usize = 16 * 1024;
/// How much of a forge's own words is repeated, in characters.
const WORDS: usize = 300;

pub type ForgeRequest = Request<Bytes>;
pub type ForgeAnswer = Response<Bytes>;

pub trait Carrier: Debug + Send + Sync {
    fn carry(&self, request: ForgeRequest) -> BoxFuture<'_, ForgeResult<ForgeAnswer>>;
}

/// Over the network.
#[derive(Debug, Default)]
pub struct HttpCarrier(OnceLock<Result<Client, String>>);

impl HttpCarrier {
    /// Over this client, which may have rules of its own for where it goes.
    pub fn over(client: Client) -> Self {
        Self(OnceLock::from(Ok(client)))
    }

    fn client(&self) -> ForgeResult<&Client> {
        let made = self.0.get_or_init(|| {
            let builder = web_client::builder().connect_timeout(CONNECT_WITHIN).timeout(ANSWER_WITHIN);
            builder.build().map_err(|error| with_causes(&error))
        });
        made.as_ref().map_err(|why| ForgeError::Off(why.clone()))
    }

    async fn send(&self, request: Request<Bytes>) -> ForgeResult<Response<Bytes>> {
        let failed = |error: reqwest::Error| ForgeError::Unreachable(with_causes(&error.without_url()));
        let request = reqwest::Request::try_from(request).map_err(failed)?;
        let mut response = self.client()?.execute(request).await.map_err(failed)?;
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(failed)? {
            if body.len() + chunk.len() > LONGEST_ANSWER {
                return Err(ForgeError::Unreadable("it is longer than 16 MiB".to_owned()));
            }
            body.extend_from_slice(&chunk);
        }
        let mut answer = Response::new(Bytes::from(body));
        *answer.status_mut() = response.status();
        *answer.headers_mut() = std::mem::take(response.headers_mut());
        Ok(answer)
    }
}

impl Carrier for HttpCarrier {
    fn carry(&self, request: Request<Bytes>) -> BoxFuture<'_, ForgeResult<Response<Bytes>>> {
        self.send(request).boxed()
    }
}

/// An answer that does what was asked, or why not. Fails for every status but 2xx.
pub(super) fn judged(answer: Response<Bytes>, now: Timestamp) -> ForgeResult<Response<Bytes>> {
    let status = answer.status();
    if status.is_success() {
        return match is_limit(&answer) {
            true => Err(ForgeError::Limited { after: pause(answer.headers(), now).unwrap_or(PAUSE) }),
            false => Ok(answer),
        };
    }
    let said = || words(&answer);
    Err(match status {
        StatusCode::UNAUTHORIZED => ForgeError::Unauthorized,
        StatusCode::TOO_MANY_REQUESTS => ForgeError::Limited { after: pause(answer.headers(), now).unwrap_or(PAUSE) },
        // A limit that is used up is told as 403, too.
        StatusCode::FORBIDDEN => match limit(&answer, now) {
            Some(after) => ForgeError::Limited { after },
            None => ForgeError::Forbidden(said()),
        },
        StatusCode::NOT_FOUND | StatusCode::GONE => ForgeError::NotFound(said()),
        _ if status.is_redirection() => {
            ForgeError::Refused(format!("it answered {status}: was the repository renamed, or is `baseUrl` wrong?"))
        }
        _ if status.is_server_error() || status == StatusCode::REQUEST_TIMEOUT => {
            ForgeError::Unreachable(format!("it answered {status}"))
        }
        _ => ForgeError::Refused(format!("{} ({})", said(), status.as_u16())),
    })
}

/// How long a used-up limit lasts; none where the refusal is no limit's.
fn limit(answer: &Response<Bytes>, now: Timestamp) -> Option<Duration> {
    let headers = answer.headers();
    let used_up = headers.get("x-ratelimit-remaining").is_some_and(|left| left == "0");
    let is_limit = used_up || headers.contains_key(RETRY_AFTER) || is_limit(answer);
    is_limit.then(|| pause(headers, now).unwrap_or(PAUSE))
}

/// Whether the words of an answer say that a limit is used up: in its message, or as the kind of one of its errors.
fn is_limit(answer: &Response<Bytes>) -> bool {
    let (success, body) = (answer.status().is_success(), answer.body());
    // What was asked for has no errors; only GraphQL says no with a success.
    if body.len() > LONGEST_NO || (success && memchr::memmem::find(body, b"\"errors\"").is_none()) {
        return false;
    }
    let Ok(body) = serde_json::from_slice::<Value>(body) else { return false };
    let errors = body["errors"].as_array().into_iter().flatten();
    let said = errors.flat_map(|error| [error["type"].as_str(), error["message"].as_str(), error.as_str()]);
    let message = body["message"].as_str().filter(|_| !success);
    said.chain([message]).flatten().any(|said| {
        let said = said.to_lowercase();
        LIMITS.iter().any(|limit| said.contains(limit))
    })
}

/// What it asks for: `Retry-After` in seconds, or the second at which the limit is set back.
///
/// A second of the limit of the hour says nothing while that limit is not used up: then another one is.
fn pause(headers: &HeaderMap, now: Timestamp) -> Option<Duration> {
    let number = |name: &str| headers.get(name)?.to_str().ok()?.trim().parse::<u64>().ok();
    let after = number(RETRY_AFTER.as_str()).map(Duration::from_secs);
    let is_left = number("x-ratelimit-remaining").is_some_and(|left| left > 0);
    let until = || Some(Timestamp(number("x-ratelimit-reset")?.saturating_mul(1_000)).since(now));
    Some(after.or_else(|| until().filter(|_| !is_left))?.clamp(Duration::from_secs(1), LONGEST_PAUSE))
}

/// What a forge says of its no: the message, and each single error.
fn words(answer: &Response<Bytes>) -> String {
    let Ok(body) = serde_json::from_slice::<Value>(answer.body()) else {
        return format!("it answered {}", answer.status());
    };
    let single = body["errors"].as_array().into_iter().flatten().filter_map(single);
    let said: Vec<String> = body["message"].as_str().map(str::to_owned).into_iter().chain(single).collect();
    if said.is_empty() { format!("it answered {}", answer.status()) } else { shorten(&said.join(": "), WORDS) }
}

/// One error: its own words, or which field is wrong and how, as `field head: invalid`.
fn single(error: &Value) -> Option<String> {
    if let Some(words) = error.as_str() {
        return Some(words.to_owned());
    }
    let (field, code, words) = (error["field"].as_str(), error["code"].as_str(), error["message"].as_str());
    // That code says that the words do.
    let code = code.filter(|code| *code != "custom");
    match (field, code.into_iter().chain(words).collect::<Vec<_>>().join(", ")) {
        (None, said) => Some(said).filter(|said| !said.is_empty()),
        (Some(field), said) => Some(format!("field {field}: {said}")),
    }
}

#[cfg(test)]
mod tests;
