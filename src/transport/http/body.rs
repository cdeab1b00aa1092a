//! A request's body, held to its size and to its pace. Readers see only that it broke off, and word that differently;
//! so the reason is left in a [`Verdict`], which the guard reads when the handler has answered.

use std::pin::Pin;
use std::sync::{Arc, OnceLock, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::body::Body;
use bytes::Bytes;
use http_body::{Body as HttpBody, Frame, SizeHint};
use http_body_util::BodyExt as _;
use thiserror::Error;
use tokio::time::{Sleep, sleep, timeout};

use crate::transport::web::ApiError;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub(super) enum BodyFault {
    #[error("the body is larger than {limit} bytes")]
    TooLarge { limit: usize },
    #[error("the body paused for more than {} s", .gap.as_secs())]
    TooSlow { gap: Duration },
}

impl From<BodyFault> for ApiError {
    fn from(fault: BodyFault) -> Self {
        match fault {
            BodyFault::TooLarge { limit } => Self::new("BODY_TOO_LARGE", fault.to_string()).detail("limit", limit),
            BodyFault::TooSlow { .. } => Self::new("TIMEOUT", fault.to_string()),
        }
    }
}

/// Where a body leaves what was wrong with it, and what nobody read of it. Clones share it.
#[derive(Debug, Clone, Default)]
pub(super) struct Verdict(Arc<Kept>);

#[derive(Debug, Default)]
struct Kept {
    fault: OnceLock<BodyFault>,
    #[expect(clippy::disallowed_types, reason = "a body cannot be shared otherwise, and no await lies inside")]
    unread: std::sync::Mutex<Option<Body>>,
}

impl Verdict {
    pub(super) fn get(&self) -> Option<BodyFault> {
        self.0.fault.get().copied()
    }

    /// What nobody read of the body, and nobody will.
    pub(super) fn unread(self) -> Option<Body> {
        Arc::into_inner(self.0)?.unread.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    fn give(&self, fault: BodyFault) -> axum::Error {
        let _ = self.0.fault.set(fault);
        axum::Error::new(fault)
    }
}

/// A refused body is read on up to this: a client that is cut off while writing sees a broken pipe, not the reason.
const SPILL: usize = 32 * 1024 * 1024;
const SPILL_FOR: Duration = Duration::from_secs(5);

/// Reads and discards what is left of a refused body. False past either limit, or when it broke off.
pub(super) async fn spill(mut body: Body) -> bool {
    let all = async {
        let mut left = SPILL;
        loop {
            match body.frame().await {
                None => return true,
                Some(Err(_)) => return false,
                Some(Ok(frame)) => match left.checked_sub(frame.data_ref().map_or(0, Bytes::len)) {
                    Some(rest) => left = rest,
                    None => return false,
                },
            }
        }
    };
    timeout(SPILL_FOR, all).await.unwrap_or(false)
}

/// A body that ends with an error when it grows too large, or when its sender pauses for too long.
pub(super) struct Held {
    inner: Body,
    limit: usize,
    left: usize,
    gap: Duration,
    /// Runs while somebody waits for the next piece, and only then: a reader may take its time.
    patience: Option<Pin<Box<Sleep>>>,
    verdict: Verdict,
    /// It grew too large: what still comes is thrown away.
    spilling: Option<Pin<Box<dyn Future<Output = bool> + Send>>>,
}

impl Held {
    /// Allows `limit` bytes in all, and `gap` between two pieces.
    pub(super) const fn new(inner: Body, limit: usize, gap: Duration, verdict: Verdict) -> Self {
        Self { inner, limit, left: limit, gap, patience: None, verdict, spilling: None }
    }

    fn fits(&mut self, frame: &Frame<Bytes>) -> bool {
        let left = self.left.checked_sub(frame.data_ref().map_or(0, Bytes::len));
        self.left = left.unwrap_or_default();
        left.is_some()
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        if self.spilling.is_none() && self.verdict.get().is_none() && !self.inner.is_end_stream() {
            let rest = std::mem::take(&mut self.inner);
            *self.verdict.0.unread.lock().unwrap_or_else(PoisonError::into_inner) = Some(rest);
        }
    }
}

impl HttpBody for Held {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        if self.spilling.is_none()
            && let Poll::Ready(frame) = Pin::new(&mut self.inner).poll_frame(context)
        {
            self.patience = None;
            match frame {
                Some(Ok(frame)) if !self.fits(&frame) => {
                    let rest = std::mem::take(&mut self.inner);
                    self.spilling = Some(Box::pin(spill(rest)));
                }
                frame => return Poll::Ready(frame),
            }
        }
        if let Some(spilling) = &mut self.spilling {
            ready!(spilling.as_mut().poll(context));
            self.spilling = None;
            let limit = self.limit;
            return Poll::Ready(Some(Err(self.verdict.give(BodyFault::TooLarge { limit }))));
        }
        let gap = self.gap;
        let patience = self.patience.get_or_insert_with(|| Box::pin(sleep(gap)));
        ready!(patience.as_mut().poll(context));
        Poll::Ready(Some(Err(self.verdict.give(BodyFault::TooSlow { gap }))))
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}

#[cfg(test)]
mod tests;
