//! Carries a request to Discord and its answer back. Tests put another one here, without a socket and on stopped time.

use std::error::Error;
use std::fmt::Debug;
use std::iter::successors;
use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde_json::Value;
use twilight_http::Client;
use twilight_http::error::ErrorType;
use twilight_http::request::Request;

/// What came back: an answer; that Discord wants a pause (429); or nothing, and why: it was done or not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Carried {
    Answered { status: u16, body: Vec<u8> },
    Limited,
    Nothing(String),
}

pub trait Carrier: Debug + Send + Sync {
    fn carry(&self, request: Request) -> BoxFuture<'_, Carried>;
}

/// The library keeps Discord's limits in advance, but would repeat a 429 at once where the limit is of no bucket (of
/// the whole bot, or of a proxy before Discord). So it sends each request once, and the pauses after a 429 are ours.
impl Carrier for Client {
    fn carry(&self, request: Request) -> BoxFuture<'_, Carried> {
        async move {
            let mut sending = self.request::<Value>(request);
            let sent = AtomicBool::new(false);
            sending.set_pre_flight(move || !sent.swap(true, Ordering::Relaxed));
            let error = match sending.await {
                Ok(response) => {
                    let status = response.status().get();
                    return match response.text().await {
                        Ok(text) => Carried::Answered { status, body: text.into_bytes() },
                        Err(error) => Carried::Nothing(unreachable(&error)),
                    };
                }
                Err(error) => error,
            };
            // The library was about to repeat it.
            if matches!(error.kind(), ErrorType::RequestCanceled) {
                return Carried::Limited;
            }
            // The status of an answer that is no JSON is not told: a gateway on the way said it.
            let ErrorType::Response { body, status, .. } = error.kind() else {
                return Carried::Nothing(unreachable(&error));
            };
            Carried::Answered { status: status.get(), body: body.clone() }
        }
        .boxed()
    }
}

/// Why there is no answer: the innermost cause, since what the library says of it names neither side.
fn unreachable(error: &dyn Error) -> String {
    let innermost = successors(Some(error), |error| (*error).source()).last();
    format!("Discord cannot be reached: {}", innermost.unwrap_or(error))
}
