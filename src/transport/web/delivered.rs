//! Was the answer written out? A call leaves in the request's slot what must be taken back if it was not: an offer
//! goes to the next waiter at once, a notice is told again. A body that is dropped before its end uses the slot.
//!
//! So does a connection that is reset after a whole answer: the kernel of the other side resets it when its program is
//! gone and the answer was not read. A live client, too, may cut off a stream once it has its event, and what it has
//! not read of it then makes its kernel reset. So only two kinds of answers count there: one of known length, and a
//! stream whose last event leaves together with the stream's end ([`InOneBreath`]), so that whoever has read the one
//! has the other. And only until the next request, which shows that the answer was read.

use std::cell::RefCell;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
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
    /// Whether nothing was left here so far.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.get().is_none()
    }

    /// The answer carries this.
    pub fn put(&self, delivery: Delivery) {
        // One request, one answer: a second one cannot come.
        let _ = self.0.set(delivery);
    }

    /// What was left here.
    #[must_use]
    pub fn left(&self) -> Option<&Delivery> {
        self.0.get()
    }
}

tokio::task_local! {
    /// What the last whole answer on this task's connection carried.
    static LAST: RefCell<Option<Slot>>;
}

/// Talks on one connection, and takes back what its last answer carried when it was reset.
pub async fn on_one_connection<T>(talk: impl Future<Output = T>, was_reset: impl FnOnce() -> bool) -> T {
    let talk = async {
        let end = talk.await;
        if was_reset()
            && let Some(slot) = LAST.with(RefCell::take)
            && let Some(delivery) = slot.0.get()
        {
            delivery.failed();
        }
        end
    };
    LAST.scope(RefCell::default(), talk).await
}

/// Whether the last answer on this connection carried something that may not have been read.
pub fn is_at_stake() -> bool {
    LAST.try_with(|last| last.borrow().is_some()).unwrap_or(false)
}

/// Another request comes on this connection: the answer before it was read.
pub fn was_read() {
    // Outside of a connection, as in a test, nothing is remembered.
    drop(LAST.try_with(RefCell::take));
}

/// Watches over a response that carries something.
#[must_use]
pub fn delivered(response: Response, delivery: Option<Delivery>) -> Response {
    let Some(delivery) = delivery else { return response };
    let slot = Slot::default();
    slot.put(delivery);
    response.map(|body| Body::new(Watched::new(body, slot)))
}

/// An event of more bytes is cut by the network, and its last piece may stand alone.
const BREATH: usize = 16 * 1024;

/// With a response, as an extension: whether the last event of its stream left together with the stream's end.
#[derive(Debug, Clone, Default)]
pub struct InOneBreath(Arc<AtomicBool>);

impl InOneBreath {
    /// The stream ends right behind this event.
    pub fn says(&self, event: &[u8]) {
        self.0.store(event.len() <= BREATH, Ordering::Relaxed);
    }

    fn was_said(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// A body that knows whether it was read to its end.
#[derive(Debug)]
pub struct Watched {
    body: Body,
    slot: Slot,
    /// Its length is known from the start.
    whole: bool,
    /// Its end leaves together with what it carries.
    breath: Option<InOneBreath>,
    ended: bool,
}

impl Watched {
    /// Watches `body` on behalf of `slot`.
    #[must_use]
    pub fn new(body: Body, slot: Slot) -> Self {
        let whole = http_body::Body::size_hint(&body).exact().is_some();
        Self { body, slot, whole, breath: None, ended: false }
    }

    /// The same for a stream that says of itself how it ends.
    #[must_use]
    pub fn ending(mut self, breath: Option<InOneBreath>) -> Self {
        self.breath = breath;
        self
    }

    fn goes_with_its_connection(&self) -> bool {
        self.whole || self.breath.as_ref().is_some_and(InOneBreath::was_said)
    }
}

impl http_body::Body for Watched {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let frame = Pin::new(&mut self.body).poll_frame(cx);
        if matches!(frame, Poll::Ready(None)) || self.body.is_end_stream() {
            self.ended = true;
            if self.goes_with_its_connection() {
                let _ = LAST.try_with(|last| last.replace(Some(self.slot.clone())));
            }
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
