//! Was the answer written out? What it carries goes back when its body is dropped before its end: an offer goes to the
//! next waiter at once, a notice is told again.

use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use http_body::{Frame, SizeHint};

use crate::tools::Delivery;

/// Watches over a response that carries something.
#[must_use]
pub fn delivered(response: Response, delivery: Option<Delivery>) -> Response {
    match delivery {
        Some(delivery) => response.map(|body| Body::new(Watched { body, delivery: Some(delivery) })),
        None => response,
    }
}

/// A body that knows whether it was read to its end.
struct Watched {
    body: Body,
    delivery: Option<Delivery>,
}

impl http_body::Body for Watched {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let frame = Pin::new(&mut self.body).poll_frame(cx);
        if matches!(frame, Poll::Ready(None)) || self.body.is_end_stream() {
            self.delivery = None;
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
        if let Some(delivery) = &self.delivery {
            delivery.failed();
        }
    }
}
