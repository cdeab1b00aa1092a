//! What a client of `/mcp` says that it accepts, read kindly: no header and wildcards mean both kinds of answer that
//! the protocol has. Who accepts JSON alone gets the one message that answers it, and nothing of the event stream
//! around it; blanks in front of it, which JSON permits, show meanwhile that the call is at work.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use axum::body::Body;
use axum::response::Response;
use bytes::{Bytes, BytesMut};
use http::{HeaderMap, HeaderValue, Method, header};
use http_body::Frame;
use serde::Deserialize;
use serde::de::IgnoredAny;

/// What the library wants to see.
const BOTH: HeaderValue = HeaderValue::from_static("application/json, text/event-stream");

/// What a client takes for an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::transport::mcp) enum Accepted {
    /// Whatever there is: no header, or wildcards.
    Anything,
    Json,
    /// Both kinds by name, or something else: the library reads it, and says what is missing.
    AsItSays,
}

impl Accepted {
    /// Reads the header of a request, and puts there what the library wants to see of who accepts as much.
    pub(in crate::transport::mcp) fn of(method: &Method, headers: &mut HeaderMap) -> Self {
        let accepted = match (method, said(headers)) {
            (&Method::POST, accepted) => accepted,
            (_, Self::Anything) => Self::Anything,
            (_, Self::Json | Self::AsItSays) => Self::AsItSays,
        };
        if accepted != Self::AsItSays {
            headers.insert(header::ACCEPT, BOTH);
        }
        accepted
    }

    /// The answer as its client takes it.
    pub(in crate::transport::mcp) fn answered(self, mut response: Response) -> Response {
        let kind = response.headers().get(header::CONTENT_TYPE);
        if self != Self::Json || !kind.is_some_and(|kind| kind.as_bytes().starts_with(b"text/event-stream")) {
            return response;
        }
        response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        response.map(|body| Body::new(JsonAlone { body, line: BytesMut::new(), event: BytesMut::new(), said: false }))
    }
}

/// What the header says; ranges of weight 0 are not accepted.
fn said(headers: &HeaderMap) -> Accepted {
    let values = headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
    let ranges: Vec<&str> = values.flat_map(|value| value.split(',')).filter_map(range).collect();
    let has = |kind: &str| ranges.iter().any(|range| range.eq_ignore_ascii_case(kind));
    let any = !headers.contains_key(header::ACCEPT) || ranges.iter().any(|range| range.ends_with("/*"));
    match (any, has("application/json"), has("text/event-stream")) {
        (true, ..) => Accepted::Anything,
        (false, true, false) => Accepted::Json,
        (false, true, true) | (false, false, _) => Accepted::AsItSays,
    }
}

/// The media range of one entry; none of an entry of weight 0.
fn range(entry: &str) -> Option<&str> {
    let mut parts = entry.split(';').map(str::trim);
    let range = parts.next().filter(|range| !range.is_empty())?;
    let weight = parts.find_map(|part| part.strip_prefix("q=").or_else(|| part.strip_prefix("Q=")));
    (weight.and_then(|weight| weight.parse::<f32>().ok()) != Some(0.0)).then_some(range)
}

/// The answer in a stream of events, alone.
struct JsonAlone {
    body: Body,
    /// The line that has not come whole, and the data of the event that has not.
    line: BytesMut,
    event: BytesMut,
    /// The answer went out.
    said: bool,
}

impl http_body::Body for JsonAlone {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        loop {
            let frame = match ready!(Pin::new(&mut self.body).poll_frame(cx)) {
                Some(Ok(frame)) => frame,
                ended => return Poll::Ready(ended),
            };
            let Ok(bytes) = frame.into_data() else { continue };
            if self.said {
                continue;
            }
            let answer = self.feed(&bytes);
            self.said = answer.is_some();
            return Poll::Ready(Some(Ok(Frame::data(answer.unwrap_or(Bytes::from_static(b" "))))));
        }
    }
}

impl JsonAlone {
    /// The answer, where these bytes complete it.
    fn feed(&mut self, bytes: &[u8]) -> Option<Bytes> {
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.line.extend_from_slice(piece);
            if !piece.ends_with(b"\n") {
                return None;
            }
            let line = self.line.split();
            let line = line.trim_ascii();
            if let Some(data) = line.strip_prefix(b"data:") {
                self.event.extend_from_slice(data.trim_ascii_start());
            } else if line.is_empty() {
                let event = self.event.split().freeze();
                if is_answer(&event) {
                    return Some(event);
                }
            }
        }
        None
    }
}

/// Whether a message answers a request; anything else is a notification, or no message.
fn is_answer(message: &[u8]) -> bool {
    #[derive(Deserialize)]
    struct Message {
        method: Option<IgnoredAny>,
    }
    serde_json::from_slice::<Message>(message).is_ok_and(|message| message.method.is_none())
}

#[cfg(test)]
mod tests;
