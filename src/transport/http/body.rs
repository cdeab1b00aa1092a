//! A request's body, held to its size and to its pace.

use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::body::Body;
use bytes::Bytes;
use http_body::{Body as HttpBody, Frame, SizeHint};
use tokio::time::{Instant, Sleep};

use crate::transport::web::BodyPaused;

/// A body that ends with an error when its sender pauses for too long.
pub(super) struct Paced {
    inner: Body,
    gap: Duration,
    patience: Pin<Box<Sleep>>,
}

impl Paced {
    /// Allows `gap` between two pieces.
    pub(super) fn new(inner: Body, gap: Duration) -> Self {
        Self { inner, gap, patience: Box::pin(tokio::time::sleep(gap)) }
    }
}

impl HttpBody for Paced {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        if let Poll::Ready(frame) = Pin::new(&mut self.inner).poll_frame(context) {
            let next = Instant::now() + self.gap;
            self.patience.as_mut().reset(next);
            return Poll::Ready(frame);
        }
        ready!(self.patience.as_mut().poll(context));
        Poll::Ready(Some(Err(axum::Error::new(BodyPaused))))
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}
