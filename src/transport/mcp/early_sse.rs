//! The first bytes of an answer, within a second.
//!
//! The MCP library sends nothing, not even a status line, before a handler of the 2026-07-28 era has said something:
//! a client that waits for headers would give up on a wait. So an answer that is not there after [`PATIENCE`] begins as
//! an event stream with a comment, goes on with one every [`COMMENT_EVERY`], and ends as the answer it would have been.
//! What is refused at once keeps its status.
//!
//! When the client goes away, the body is dropped and the call inside with it: that is how its handler hears of it.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::Body;
use axum::extract::Request;
use axum::middleware::Next;
use axum::response::Response;
use bytes::Bytes;
use http::{HeaderValue, header};
use http_body::Frame;
use http_body_util::BodyExt as _;
use tokio::time::{Instant, Interval, MissedTickBehavior, interval_at, sleep};

use crate::transport::web::{Slot, Watched};

/// How long an answer may take before its headers go out without it.
pub(super) const PATIENCE: Duration = Duration::from_secs(1);

/// How often a silent stream says that it lives.
pub(super) const COMMENT_EVERY: Duration = Duration::from_secs(10);

const COMMENT: &[u8] = b": waiting\n\n";

type Answering = Pin<Box<dyn Future<Output = Response> + Send>>;

/// The layer: headers early, and an eye on whether the answer was written out.
pub(super) async fn early_sse(mut request: Request, next: Next) -> Response {
    let slot = Slot::default();
    request.extensions_mut().insert(slot.clone());
    let answer = answer_early(Box::pin(next.run(request))).await;
    answer.map(|body| Body::new(Watched::new(body, slot)))
}

async fn answer_early(mut answering: Answering) -> Response {
    tokio::select! {
        biased;
        answer = &mut answering => answer,
        () = sleep(PATIENCE) => stream_of(answering),
    }
}

fn stream_of(answering: Answering) -> Response {
    let mut comments = interval_at(Instant::now(), COMMENT_EVERY);
    comments.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut response = Response::new(Body::new(EarlyBody { stage: Stage::Answering(answering), comments }));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
    response
}

/// Comments until the answer is there, then the answer.
struct EarlyBody {
    stage: Stage,
    comments: Interval,
}

enum Stage {
    /// The handler is at work.
    Answering(Answering),
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
        loop {
            match &mut self.stage {
                Stage::Answering(answering) => match answering.as_mut().poll(cx) {
                    Poll::Ready(response) => self.stage = Stage::after(response),
                    Poll::Pending => return self.comments.poll_tick(cx).map(|_| Some(Ok(comment()))),
                },
                Stage::Gathering(gathering) => match gathering.as_mut().poll(cx) {
                    Poll::Ready(text) => {
                        self.stage = Stage::Done;
                        return Poll::Ready(text.map(|text| Ok(Frame::data(event(&text)))));
                    }
                    Poll::Pending => return self.comments.poll_tick(cx).map(|_| Some(Ok(comment()))),
                },
                Stage::Piping(body) => return Pin::new(body).poll_frame(cx),
                Stage::Done => return Poll::Ready(None),
            }
        }
    }
}

impl Stage {
    fn after(response: Response) -> Self {
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
mod tests {
    use http::StatusCode;
    use tokio_util::sync::CancellationToken;

    use super::*;

    fn answers_after(span: Duration, response: fn() -> Response) -> Answering {
        Box::pin(async move {
            sleep(span).await;
            response()
        })
    }

    fn json(status: StatusCode) -> Response {
        let mut response = Response::new(Body::from("{\"a\":\n1}"));
        *response.status_mut() = status;
        response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        response
    }

    fn events() -> Response {
        let mut response = Response::new(Body::from("data: {}\n\n"));
        response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
        response
    }

    async fn text_of(response: Response) -> String {
        let bytes = response.into_body().collect().await.expect("a whole body").to_bytes();
        String::from_utf8(bytes.to_vec()).expect("text")
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_refused_at_once_keeps_its_status() {
        let response = answer_early(answers_after(Duration::from_millis(900), || json(StatusCode::NOT_FOUND))).await;
        assert_eq!(response.status(), StatusCode::NOT_FOUND);
    }

    #[tokio::test(start_paused = true)]
    async fn a_late_answer_begins_within_a_second_and_says_every_ten_that_it_lives() {
        let begun = Instant::now();
        let response = answer_early(answers_after(Duration::from_secs(25), events)).await;
        assert_eq!(begun.elapsed(), PATIENCE);
        assert_eq!(response.status(), StatusCode::OK);
        assert_eq!(response.headers()[header::CONTENT_TYPE], "text/event-stream");
        assert_eq!(text_of(response).await, ": waiting\n\n: waiting\n\n: waiting\n\ndata: {}\n\n");
        assert_eq!(begun.elapsed(), Duration::from_secs(25));
    }

    #[tokio::test(start_paused = true)]
    async fn a_late_json_answer_becomes_one_event() {
        let response = answer_early(answers_after(Duration::from_secs(2), || json(StatusCode::OK))).await;
        assert_eq!(text_of(response).await, ": waiting\n\ndata: {\"a\":1}\n\n");
    }

    #[tokio::test(start_paused = true)]
    async fn dropping_the_body_drops_the_call() {
        let token = CancellationToken::new();
        let guard = token.clone().drop_guard();
        let response = answer_early(Box::pin(async move {
            let _guard = guard;
            std::future::pending::<Response>().await
        }))
        .await;
        assert!(!token.is_cancelled());
        drop(response);
        assert!(token.is_cancelled());
    }
}
