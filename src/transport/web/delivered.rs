//! Was the answer written out? A call leaves its answer's guard in the request's slot. A body that is dropped early, or
//! ends without the answer, uses it: an offer goes to the next waiter, a notice is told again.
//!
//! The same after a reset of the connection, by which the kernel of a client that died tells it. A live client may
//! also reset, by cutting off a stream. So only answers of known length count there, and streams whose end leaves
//! together with the last event; and only until the next request, which shows that the answer was read.

use crate::tools::AnswerGuard;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering, fence};
use std::sync::{Arc, OnceLock, PoisonError, Weak};
use std::task::{Context, Poll, ready};

use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use http_body::{Frame, SizeHint};

/// Where a call leaves the guard of its answer. One per request; clones are the same. An extension of the response.
#[derive(Debug, Clone, Default)]
pub struct Slot(Arc<Left>);

#[derive(Debug, Default)]
struct Left {
    guard: OnceLock<Arc<AnswerGuard>>,
    lost: AtomicBool,
    /// The connection that the answer goes by. It holds its last answer's slot, and so is not held by it.
    connection: OnceLock<Weak<Talked>>,
}

impl Slot {
    pub fn is_empty(&self) -> bool {
        self.0.guard.get().is_none()
    }

    /// The answer carries what this guard says.
    pub fn put(&self, guard: Arc<AnswerGuard>) {
        // One request, one answer: a second one cannot come.
        let _ = self.0.guard.set(guard);
        // Of this and `is_lost` on another thread, at least one sees what the other wrote.
        fence(Ordering::SeqCst);
        if self.0.lost.load(Ordering::Relaxed) {
            self.goes_back();
        }
    }

    pub fn guard(&self) -> Option<&Arc<AnswerGuard>> {
        self.0.guard.get()
    }

    /// Nobody gets the answer: what it carries goes back, and what it may come to carry.
    fn is_lost(&self) {
        self.0.lost.store(true, Ordering::Relaxed);
        fence(Ordering::SeqCst);
        self.goes_back();
    }

    fn goes_back(&self) {
        if let Some(guard) = self.guard() {
            guard.lost();
        }
    }

    /// All of the answer was handed to its connection: it may lie there unread.
    fn is_written(&self) {
        if let Some(connection) = self.0.connection.get().and_then(Weak::upgrade) {
            *connection.last() = Some(self.clone());
        }
    }
}

/// The last answer on one connection that carried something, until it is known to have been read. Clones are the same.
#[derive(Debug, Clone, Default)]
pub struct LastAnswer(Arc<Talked>);

#[derive(Debug, Default)]
#[expect(clippy::disallowed_types, reason = "shared by the halves of one connection, and no await lies inside")]
struct Talked {
    last: std::sync::Mutex<Option<Slot>>,
    reset: AtomicBool,
}

impl Talked {
    fn last(&self) -> std::sync::MutexGuard<'_, Option<Slot>> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl LastAnswer {
    /// This response goes by this connection.
    pub fn goes_by(&self, response: &Response) {
        if let Some(slot) = response.extensions().get::<Slot>() {
            // One response, one connection.
            let _ = slot.0.connection.set(Arc::downgrade(&self.0));
        }
    }

    pub fn is_at_stake(&self) -> bool {
        self.0.last().is_some()
    }

    /// Another request comes on this connection: the answer before it was read.
    pub fn was_read(&self) {
        drop(self.0.last().take());
    }

    pub fn was_reset(&self) {
        self.0.reset.store(true, Ordering::Relaxed);
    }

    /// The connection is over: after a reset the answer was not read.
    pub fn ends(&self) {
        let last = self.0.last().take().filter(|_| self.0.reset.load(Ordering::Relaxed));
        if let Some(slot) = last {
            slot.is_lost();
        }
    }
}

/// Watches over a response that carries something.
pub fn delivered(response: Response, guard: Option<Arc<AnswerGuard>>) -> Response {
    let Some(guard) = guard else { return response };
    let slot = Slot::default();
    slot.put(guard);
    watched(response, slot)
}

/// Watches over the response to a request whose call has left something in `slot`, or may do so until it ends.
pub fn watched(response: Response, slot: Slot) -> Response {
    let mut response = response.map(|body| Body::new(Watched::new(body, slot.clone())));
    response.extensions_mut().insert(slot);
    response
}

/// The network cuts what is longer: so much of a stream's last event leaves in one piece, with the end.
const BREATH: usize = 16 * 1024;

/// A body that knows whether it was read to its end.
#[derive(Debug)]
pub struct Watched {
    body: Body,
    slot: Slot,
    /// Its length is known from the start.
    whole: bool,
    ahead: Ahead,
    /// Something came when it was known what the answer carries: the answer.
    answered: bool,
    ended: bool,
}

/// What comes next, as far as it was looked at.
#[derive(Debug)]
enum Ahead {
    Unknown,
    Next(Result<Frame<Bytes>, axum::Error>),
    /// The last piece, and with it the end.
    Last(Bytes),
    End,
}

impl Watched {
    /// Watches `body` on behalf of `slot`.
    pub fn new(body: Body, slot: Slot) -> Self {
        let whole = http_body::Body::size_hint(&body).exact().is_some();
        Self { body, slot, whole, ahead: Ahead::Unknown, answered: false, ended: false }
    }

    /// Gives the last frame, or what of it is too long for one piece.
    fn last(&mut self, frame: Frame<Bytes>) -> Frame<Bytes> {
        match frame.into_data() {
            Ok(mut data) if data.len() > BREATH => {
                self.ahead = Ahead::Last(data.split_off(data.len() - BREATH));
                Frame::data(data)
            }
            Ok(data) => {
                self.ends_together();
                Frame::data(data)
            }
            Err(trailers) => {
                self.ends();
                trailers
            }
        }
    }

    fn ends(&mut self) {
        self.ended = true;
        self.ahead = Ahead::End;
    }

    /// From here on the answer is lost with its connection.
    fn ends_together(&mut self) {
        self.ends();
        if self.answered {
            self.slot.is_written();
        }
    }
}

impl http_body::Body for Watched {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let next = match std::mem::replace(&mut self.ahead, Ahead::Unknown) {
            Ahead::Unknown => ready!(Pin::new(&mut self.body).poll_frame(cx)),
            Ahead::Next(next) => Some(next),
            Ahead::Last(piece) => {
                self.ends_together();
                return Poll::Ready(Some(Ok(Frame::data(piece))));
            }
            Ahead::End => None,
        };
        let frame = match next {
            Some(Ok(frame)) => frame,
            Some(Err(error)) => return Poll::Ready(Some(Err(error))),
            None if self.whole => {
                self.ends_together();
                return Poll::Ready(None);
            }
            None => {
                self.ends();
                return Poll::Ready(None);
            }
        };
        if let Some(guard) = self.slot.guard().filter(|_| !self.answered) {
            guard.leaves();
            self.answered = true;
        }
        if self.whole {
            if self.body.is_end_stream() {
                self.ends_together();
            }
            return Poll::Ready(Some(Ok(frame)));
        }
        let after = Pin::new(&mut self.body).poll_frame(cx);
        Poll::Ready(Some(Ok(match after {
            Poll::Ready(None) => self.last(frame),
            Poll::Ready(Some(next)) => {
                self.ahead = Ahead::Next(next);
                frame
            }
            Poll::Pending => frame,
        })))
    }

    fn is_end_stream(&self) -> bool {
        match self.ahead {
            Ahead::Unknown => self.body.is_end_stream(),
            Ahead::Next(_) | Ahead::Last(_) => false,
            Ahead::End => true,
        }
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        if !(self.ended && self.answered) {
            self.slot.is_lost();
        }
    }
}

#[cfg(test)]
mod tests;
