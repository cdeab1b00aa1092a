//! The event with an id and empty data that begins a stream of a session, so that a client that loses the stream can
//! resume it: for clients of 2025-11-25 alone.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use http_body::{Frame, SizeHint};
use rmcp::model::{ProtocolVersion, ServerJsonRpcMessage, ServerResult};

/// Whether whoever is answered this way to `initialize` can read the event.
pub(super) fn is_read_by(answered: &ServerJsonRpcMessage) -> bool {
    let ServerJsonRpcMessage::Response(answer) = answered else { return false };
    let ServerResult::InitializeResult(agreed) = &answer.result else { return false };
    agreed.protocol_version.as_str() >= ProtocolVersion::V_2025_11_25.as_str()
}

/// The same response without the event.
pub(super) fn left_out(response: Response) -> Response {
    framed(response, |frame| (!is_empty_event(&frame)).then_some(frame))
}

/// The same response with each frame of its body changed, or left out. The library writes each event as one of its own.
pub(super) fn framed(response: Response, change: fn(Bytes) -> Option<Bytes>) -> Response {
    response.map(|body| Body::new(Framed(body, change)))
}

struct Framed(Body, fn(Bytes) -> Option<Bytes>);

impl http_body::Body for Framed {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        loop {
            let frame = ready!(Pin::new(&mut self.0).poll_frame(cx));
            let Some(Ok(frame)) = frame else { return Poll::Ready(frame) };
            let kept = match frame.into_data() {
                Ok(data) => (self.1)(data).map(Frame::data),
                Err(trailers) => Some(trailers),
            };
            if kept.is_some() {
                return Poll::Ready(kept.map(Ok));
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        self.0.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::default()
    }
}

/// Whether it is an event, and not a comment, and says nothing.
fn is_empty_event(text: &[u8]) -> bool {
    let mut data = text.split(|byte| *byte == b'\n').filter_map(|line| line.strip_prefix(b"data:")).peekable();
    data.peek().is_some() && data.all(|line| line.trim_ascii().is_empty())
}

#[cfg(test)]
mod tests;
