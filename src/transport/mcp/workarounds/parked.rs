//! A call that waits, outside the library.
//!
//! What can be wrong with a request, the library has said before its handler runs. So the handler leaves its call at
//! the [`Exit`] and returns; the layer in front drops what the library makes of that, and goes on with the call.
//!
//! Over HTTP only in the era without sessions, where the end of the stream is the end of the call; in a session a
//! message may call it off and a stream may be taken up again, by the library's books. On a socket in every era.

use std::pin::Pin;
use std::sync::{Arc, PoisonError};
use std::task::{Context, Poll};

use bytes::Bytes;
use futures_util::future::poll_fn;
use http::request::Parts;
use rmcp::RoleServer;
use rmcp::model::{ProgressNotification, ProtocolVersion, ServerJsonRpcMessage, ServerNotification};
use rmcp::service::RequestContext;

use super::super::result::written;
use super::super::wait::Notes;

/// Where a handler leaves a call that may wait. One for each request; clones are the same.
#[derive(Clone, Default)]
#[expect(clippy::disallowed_types, reason = "extensions are shared, and no await lies inside")]
pub(in crate::transport::mcp) struct Exit {
    any_era: bool,
    left: Arc<std::sync::Mutex<Option<Parked>>>,
}

impl Exit {
    /// One by which calls of any era may leave.
    pub(in crate::transport::mcp) fn of_any_era() -> Self {
        Self { any_era: true, ..Self::default() }
    }

    /// The exit of this request; none where the call must stay with the library.
    pub(in crate::transport::mcp) fn of(context: &RequestContext<RoleServer>) -> Option<&Self> {
        let version = context.meta.protocol_version()?;
        let exit = context.extensions.get::<Parts>()?.extensions.get::<Self>()?;
        (exit.any_era || version.as_str() >= ProtocolVersion::V_2026_07_28.as_str()).then_some(exit)
    }

    /// This goes on outside.
    pub(in crate::transport::mcp) fn leave(&self, parked: Parked) {
        *self.left.lock().unwrap_or_else(PoisonError::into_inner) = Some(parked);
    }

    pub(in crate::transport::mcp) fn taken(&self) -> Option<Parked> {
        self.left.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// A call on its own.
pub(in crate::transport::mcp) struct Parked {
    answer: Pin<Box<dyn Future<Output = Bytes> + Send>>,
    notes: Option<Box<Notes>>,
}

/// What a parked call puts out, as JSON.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::transport::mcp) enum ParkedOutput {
    Progress(Bytes),
    /// Its answer, which is its last word.
    Answer(Bytes),
}

impl Parked {
    /// A call that comes to `answer`, and shows by `notes` that it goes on.
    pub(in crate::transport::mcp) fn new(
        answer: impl Future<Output = Bytes> + Send + 'static,
        notes: Option<Notes>,
    ) -> Self {
        Self { answer: Box::pin(answer), notes: notes.map(Box::new) }
    }

    /// What it says next. Must not be asked after its answer.
    pub(in crate::transport::mcp) async fn said(&mut self) -> ParkedOutput {
        poll_fn(|context| self.poll_said(context)).await
    }

    pub(in crate::transport::mcp) fn poll_said(&mut self, context: &mut Context<'_>) -> Poll<ParkedOutput> {
        if let Poll::Ready(answer) = self.answer.as_mut().poll(context) {
            return Poll::Ready(ParkedOutput::Answer(answer));
        }
        match &mut self.notes {
            Some(notes) => notes.poll_next(context).map(|note| {
                let note = ServerNotification::from(ProgressNotification::new(note));
                ParkedOutput::Progress(written(&ServerJsonRpcMessage::notification(note)))
            }),
            None => Poll::Pending,
        }
    }
}
