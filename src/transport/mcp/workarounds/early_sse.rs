//! The first bytes of an answer, within a second.
//!
//! An answer that is not there after [`TIMEOUT`] begins as an event stream with a comment, goes on with one every
//! [`COMMENT_EVERY`], and ends as the answer it would have been; so does a call that waits outside the library
//! (`parked`). What is refused at once keeps its status. When the client goes away, the body is dropped and the call
//! with it.

use std::pin::{Pin, pin};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::Body;
use axum::extract::Request;
use axum::middleware::Next;
use axum::response::Response;
use bytes::Bytes;
use http::{HeaderMap, HeaderValue, header};
use http_body::Frame;
use http_body_util::BodyExt as _;
use tokio::time::{Instant, Interval, Sleep, interval_at, sleep};

use super::super::wait::{next_beat, poll_beat};
use super::parked::{Exit, Parked, ParkedOutput};
use crate::transport::web::{self, Slot};

/// How long an answer may take before its headers go out without it.
pub(in crate::transport::mcp) const TIMEOUT: Duration = Duration::from_secs(1);

/// How often a silent stream says that it lives.
pub(in crate::transport::mcp) const COMMENT_EVERY: Duration = Duration::from_secs(10);

/// The first revision without sessions.
const MODERN: &str = "2026-07-28";

const COMMENT: &[u8] = b": waiting\n\n";

type Answering = Pin<Box<dyn Future<Output = Response> + Send>>;

/// The layer: headers early, and an eye on whether the answer was written out.
pub(in crate::transport::mcp) async fn early_sse(mut request: Request, next: Next) -> Response {
    let (slot, exit) = (Slot::default(), Exit::default());
    request.extensions_mut().insert(slot.clone());
    let answer = if may_open_a_session(request.headers()) {
        next.run(request).await
    } else {
        request.extensions_mut().insert(exit.clone());
        answer_early(Box::pin(next.run(request)), exit).await
    };
    watched(answer, slot)
}

/// Whether the answer may name a new session: then its headers wait for it. Nothing that opens a session waits.
fn may_open_a_session(headers: &HeaderMap) -> bool {
    let modern = headers.get("mcp-protocol-version").is_some_and(|version| version.as_bytes() >= MODERN.as_bytes());
    !modern && !headers.contains_key("mcp-session-id")
}

async fn answer_early(mut answering: Answering, exit: Exit) -> Response {
    let mut patience = pin!(sleep(TIMEOUT));
    let answer = tokio::select! {
        biased;
        answer = &mut answering => answer,
        () = &mut patience => return stream_of(None, Stage::Answering(answering, exit)),
    };
    let Some(parked) = exit.taken() else { return answer };
    // With these goes all that the library kept for the call.
    drop((answer, answering));
    answer_within(parked, patience).await
}

/// The answer of a call outside the library: one text where it is there soon, else a stream.
pub(in crate::transport::mcp) async fn answer_of(parked: Parked) -> Response {
    answer_within(parked, pin!(sleep(TIMEOUT))).await
}

async fn answer_within(mut parked: Parked, patience: Pin<&mut Sleep>) -> Response {
    tokio::select! {
        biased;
        said = parked.said() => match said {
            ParkedOutput::Progress(text) => stream_of(Some(event(&text)), Stage::Parked(parked)),
            ParkedOutput::Answer(text) => whole(text),
        },
        () = patience => stream_of(None, Stage::Parked(parked)),
    }
}

/// One JSON text: smaller than an event stream, and a client reads it in one go.
fn whole(text: Bytes) -> Response {
    let mut response = Response::new(Body::from(text));
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

/// Keeps an eye on whether the answer is written out, where it carries something or may come to.
pub(in crate::transport::mcp) fn watched(answer: Response, slot: Slot) -> Response {
    if slot.is_empty() && http_body::Body::size_hint(answer.body()).exact().is_some() {
        return answer;
    }
    web::watched(answer, slot)
}

/// An event stream that begins with `first`, or with a comment.
fn stream_of(first: Option<Bytes>, stage: Stage) -> Response {
    let from = if first.is_some() { next_beat(COMMENT_EVERY) } else { Instant::now() };
    let comments = interval_at(from, COMMENT_EVERY);
    let mut response = Response::new(Body::new(EarlyBody { first, stage, comments }));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
    response
}

/// Comments until the answer is there, then the answer.
struct EarlyBody {
    first: Option<Bytes>,
    stage: Stage,
    comments: Interval,
}

enum Stage {
    /// The library is at work.
    Answering(Answering, Exit),
    /// The call waits outside the library.
    Parked(Parked),
    /// It answers with an event stream: that goes through as it is.
    Piping(Body),
    /// It answers with one JSON text, which becomes one event.
    Gathering(Pin<Box<dyn Future<Output = Option<Bytes>> + Send>>),
    /// All is said.
    Done,
}

impl http_body::Body for EarlyBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        if let Some(first) = self.first.take() {
            return Poll::Ready(Some(Ok(Frame::data(first))));
        }
        loop {
            match &mut self.stage {
                Stage::Answering(answering, exit) => match answering.as_mut().poll(cx) {
                    Poll::Ready(response) => self.stage = Stage::after(response, exit),
                    Poll::Pending => return poll_beat(&mut self.comments, cx).map(|()| Some(Ok(comment()))),
                },
                Stage::Parked(parked) => match parked.poll_said(cx) {
                    Poll::Ready(ParkedOutput::Progress(text)) => {
                        self.comments.reset_at(next_beat(COMMENT_EVERY));
                        return Poll::Ready(Some(Ok(Frame::data(event(&text)))));
                    }
                    Poll::Ready(ParkedOutput::Answer(text)) => return Poll::Ready(Some(Ok(self.last_word(&text)))),
                    Poll::Pending => return poll_beat(&mut self.comments, cx).map(|()| Some(Ok(comment()))),
                },
                Stage::Gathering(gathering) => match gathering.as_mut().poll(cx) {
                    Poll::Ready(Some(text)) => return Poll::Ready(Some(Ok(self.last_word(&text)))),
                    Poll::Ready(None) => {
                        self.stage = Stage::Done;
                        return Poll::Ready(None);
                    }
                    Poll::Pending => return poll_beat(&mut self.comments, cx).map(|()| Some(Ok(comment()))),
                },
                Stage::Piping(body) => return Pin::new(body).poll_frame(cx),
                Stage::Done => return Poll::Ready(None),
            }
        }
    }
}

impl EarlyBody {
    /// The event behind which the stream ends.
    fn last_word(&mut self, text: &[u8]) -> Frame<Bytes> {
        self.stage = Stage::Done;
        Frame::data(event(text))
    }
}

impl Stage {
    fn after(response: Response, exit: &Exit) -> Self {
        if let Some(parked) = exit.taken() {
            return Self::Parked(parked);
        }
        let kind = response.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
        let kind = kind.unwrap_or_default().to_owned();
        let body = response.into_body();
        if kind.starts_with("text/event-stream") {
            Self::Piping(body)
        } else if kind.starts_with("application/json") {
            Self::Gathering(Box::pin(async move { body.collect().await.ok().map(http_body_util::Collected::to_bytes) }))
        } else {
            // The status is gone and this text is no message: the client sees a stream that ends without an answer.
            Self::Done
        }
    }
}

fn comment() -> Frame<Bytes> {
    Frame::data(Bytes::from_static(COMMENT))
}

fn event(json: &[u8]) -> Bytes {
    let mut text = Vec::with_capacity(json.len() + 8);
    text.extend_from_slice(b"data: ");
    text.extend(json.iter().copied().filter(|byte| !matches!(byte, b'\n' | b'\r')));
    text.extend_from_slice(b"\n\n");
    text.into()
}

#[cfg(test)]
mod tests;
