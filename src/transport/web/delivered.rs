//! Was the answer written out? A call leaves in the request's slot what must be taken back if it was not: an offer
//! goes to the next waiter at once, a notice is told again. A body that is dropped before its end uses the slot.

use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll};

use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use http_body::{Frame, SizeHint};

use crate::tools::Delivery;

/// Where a call leaves what its answer carries. One per request.
#[derive(Debug, Clone, Default)]
pub struct Slot(Arc<OnceLock<Delivery>>);

impl Slot {
    /// The answer carries this.
    pub fn put(&self, delivery: Delivery) {
        // One request, one answer: a second one cannot come.
        let _ = self.0.set(delivery);
    }
}

/// Watches over a response that carries something.
#[must_use]
pub fn delivered(response: Response, delivery: Option<Delivery>) -> Response {
    let Some(delivery) = delivery else { return response };
    let slot = Slot::default();
    slot.put(delivery);
    response.map(|body| Body::new(Watched::new(body, slot)))
}

/// A body that knows whether it was read to its end.
#[derive(Debug)]
pub struct Watched {
    body: Body,
    slot: Slot,
    ended: bool,
}

impl Watched {
    /// Watches `body` on behalf of `slot`.
    #[must_use]
    pub const fn new(body: Body, slot: Slot) -> Self {
        Self { body, slot, ended: false }
    }
}

impl http_body::Body for Watched {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let frame = Pin::new(&mut self.body).poll_frame(cx);
        if matches!(frame, Poll::Ready(None)) || self.body.is_end_stream() {
            self.ended = true;
        }
        frame
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        if !self.ended
            && let Some(delivery) = self.slot.0.get()
        {
            delivery.failed();
        }
    }
}
