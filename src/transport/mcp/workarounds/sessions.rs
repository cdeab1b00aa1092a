//! Sessions of clients before 2026-07-28, kept as the MCP library keeps them, with seven things it does not do.
//!
//! - A request whose stream is dropped, or whose session is deleted, is cancelled: a wait that nobody listens to would
//!   swallow the next task. The agent hears of a deletion, and its unacknowledged offer goes to the next.
//! - An empty event that begins a stream is left out for clients that cannot read it (`priming`).
//! - The stream of a request ends with its answer, so that a connection which is reset says whether that was read.
//! - A session belongs to the principal that opened it. To any other it does not exist.
//! - One principal has only so many of them (`session_book`): the one unused for longest makes room.
//! - A session ends when nothing was heard of it for [`IDLE`] and no stream is open. The library's own limit counts
//!   neither an open stream nor a running call, and would end a long wait.
//! - A request that crosses the end of its session is told 404, as one that comes later. The library answers 500.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use futures_util::{Stream, stream};
use http::{Method, StatusCode};
use rmcp::model::{
    CancelledNotification, CancelledNotificationParam, ClientJsonRpcMessage, ClientNotification, GetExtensions as _,
    RequestId, ServerJsonRpcMessage,
};
use rmcp::transport::streamable_http_server::session::local::{
    LocalSessionManager, LocalSessionManagerError, SessionError,
};
use rmcp::transport::streamable_http_server::session::{ServerSseMessage, SessionId, SessionManager};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::{MissedTickBehavior, interval, timeout};

use super::super::caller::{INSTANCE, instance_of};
use super::session_book::Book;
use super::{priming, welcome};
use crate::actors::HubRef;
use crate::actors::agent::ClientGone;
use crate::domain::agent::DepartureKind;
use crate::domain::ids::{AgentId, PrincipalId};
use crate::domain::principal::Principal;

/// How long a session without an open stream may be silent.
pub(in crate::transport::mcp) const IDLE: Duration = Duration::from_secs(30 * 60);

/// How often idle sessions are looked for.
const SWEEP_EVERY: Duration = Duration::from_secs(60);

/// How long a cancellation may take to be put into a session whose queue is full.
const CANCEL_WITHIN: Duration = Duration::from_secs(5);

/// The sessions. Cheap to clone.
#[derive(Debug, Clone)]
pub(in crate::transport::mcp) struct Sessions {
    inner: Arc<LocalSessionManager>,
    book: Book,
    hang_ups: mpsc::UnboundedSender<(SessionId, RequestId)>,
}

impl Sessions {
    /// No sessions, and somebody who sweeps them until the last clone is gone.
    pub(in crate::transport::mcp) fn new() -> Self {
        let mut inner = LocalSessionManager::default();
        inner.session_config.keep_alive = None;
        let (hang_ups, heard) = mpsc::unbounded_channel();
        let sessions = Self { inner: Arc::new(inner), book: Book::default(), hang_ups };
        let sweeper = sweep(Arc::clone(&sessions.inner), sessions.book.clone(), heard);
        #[expect(
            clippy::disallowed_methods,
            reason = "it holds no state of the hub, and ends with the door it sweeps"
        )]
        tokio::spawn(sweeper);
        sessions
    }
}

/// The layer in front: whose session is it?
pub(in crate::transport::mcp) async fn bind(
    State((sessions, hub)): State<(Sessions, HubRef)>,
    request: Request,
    next: Next,
) -> Response {
    let modern = header(&request, "mcp-protocol-version").is_some_and(|version| version >= "2026-07-28");
    let named = header(&request, "mcp-session-id").filter(|_| !modern).map(SessionId::from);
    let deletes = request.method() == Method::DELETE;
    let Some(id) = named else {
        if deletes && header(&request, INSTANCE).is_some() {
            // A proxy over HTTP in the era without sessions: it says that its client has ended.
            client_ended(&hub, of_client(&request)).await;
            return StatusCode::NO_CONTENT.into_response();
        }
        let answer = next.run(request).await;
        let opened = answer.headers().get("mcp-session-id").and_then(|id| id.to_str().ok()).map(str::to_owned);
        return match opened {
            Some(id) if !sessions.book.reads_priming(&id) => welcome::announced(priming::left_out(answer)),
            Some(_) => welcome::announced(answer),
            None => answer,
        };
    };
    let caller = request.extensions().get::<Principal>().map(|principal| &principal.id);
    if !sessions.book.may_use(&id, caller) {
        return not_found();
    }
    if deletes {
        if !sessions.inner.has_session(&id).await.unwrap_or_default() {
            return not_found();
        }
        sessions.cancel_all(&id).await;
        client_ended(&hub, of_client(&request)).await;
        return next.run(request).await;
    }
    let answer = next.run(request).await;
    if !sessions.inner.has_session(&id).await.unwrap_or_default() {
        return not_found();
    }
    if sessions.book.reads_priming(&id) { answer } else { priming::left_out(answer) }
}

/// The agent whose client has ended that sends this request.
fn of_client(request: &Request) -> Option<(AgentId, ClientGone)> {
    let agent = request.extensions().get::<Principal>()?.agent()?.clone();
    let instance = instance_of(request.headers(), header(request, "mcp-session-id"));
    Some((agent, ClientGone { instance, connection: None, how: DepartureKind::Ended }))
}

async fn client_ended(hub: &HubRef, of: Option<(AgentId, ClientGone)>) {
    if let Some((agent, gone)) = of
        && let Ok(Some(line)) = hub.agent(&agent).await
    {
        line.client_gone(gone);
    }
}

fn not_found() -> Response {
    (StatusCode::NOT_FOUND, "Not Found: Session not found").into_response()
}

fn header<'a>(request: &'a Request, name: &str) -> Option<&'a str> {
    request.headers().get(name).and_then(|value| value.to_str().ok())
}

impl Sessions {
    /// Every request that runs in the session is called off.
    async fn cancel_all(&self, id: &SessionId) {
        for request in self.book.running(id) {
            cancel(&self.inner, id, request).await;
        }
    }
}

impl SessionManager for Sessions {
    type Error = LocalSessionManagerError;
    type Transport = <LocalSessionManager as SessionManager>::Transport;

    async fn create_session(&self) -> Result<(SessionId, Self::Transport), Self::Error> {
        let (id, transport) = self.inner.create_session().await?;
        self.book.open(id.clone());
        Ok((id, transport))
    }

    async fn initialize_session(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<ServerJsonRpcMessage, Self::Error> {
        if let Some(owner) = principal_of(&message) {
            for surplus in self.book.own(id, &owner) {
                self.cancel_all(&surplus).await;
                self.close_session(&surplus).await?;
            }
        }
        let answer = self.inner.initialize_session(id, message).await?;
        self.book.greeted(id, priming::is_read_by(&answer));
        Ok(answer)
    }

    async fn has_session(&self, id: &SessionId) -> Result<bool, Self::Error> {
        self.inner.has_session(id).await
    }

    async fn close_session(&self, id: &SessionId) -> Result<(), Self::Error> {
        self.book.close(id);
        self.inner.close_session(id).await
    }

    async fn create_stream(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        let request = request_id(&message);
        let open = OpenStream::new(self, id, request);
        Listened::to(self.inner.create_stream(id, message).await, open)
    }

    async fn accept_message(&self, id: &SessionId, message: ClientJsonRpcMessage) -> Result<(), Self::Error> {
        self.book.touch(id);
        match self.inner.accept_message(id, message).await {
            Err(error) if has_ended(&error) => Ok(()),
            taken => taken,
        }
    }

    async fn create_standalone_stream(
        &self,
        id: &SessionId,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        let open = OpenStream::new(self, id, None);
        Listened::to(self.inner.create_standalone_stream(id).await, open)
    }

    async fn resume(
        &self,
        id: &SessionId,
        last_event_id: String,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        let open = OpenStream::new(self, id, None);
        Listened::to(self.inner.resume(id, last_event_id).await, open)
    }
}

/// A stream of a session, and what follows from its end.
struct Listened {
    stream: Pin<Box<dyn Stream<Item = ServerSseMessage> + Send + Sync>>,
    open: Option<OpenStream>,
}

impl Listened {
    /// The stream, or one without a word if the session ended before it began: the layer in front says so.
    fn to(
        stream: Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, LocalSessionManagerError>,
        open: OpenStream,
    ) -> Result<Self, LocalSessionManagerError> {
        match stream {
            Ok(stream) => Ok(Self { stream: Box::pin(stream), open: Some(open) }),
            Err(error) if has_ended(&error) => Ok(Self { stream: Box::pin(stream::empty()), open: None }),
            Err(error) => Err(error),
        }
    }
}

/// Whether the session ended after it was looked for: by a deletion, for want of room, or as idle.
const fn has_ended(error: &LocalSessionManagerError) -> bool {
    matches!(
        error,
        LocalSessionManagerError::SessionNotFound(_)
            | LocalSessionManagerError::SessionError(SessionError::SessionServiceTerminated)
    )
}

impl Stream for Listened {
    type Item = ServerSseMessage;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<ServerSseMessage>> {
        if self.open.as_ref().is_none_or(|open| open.answered) {
            self.open = None;
            return Poll::Ready(None);
        }
        let next = self.stream.as_mut().poll_next(cx);
        if let (Poll::Ready(event), Some(open)) = (&next, &mut self.open) {
            open.answered = event.as_ref().is_none_or(|event| open.is_answered_by(event));
        }
        next
    }
}

/// Counts as activity while it lives; dropped before its end, it calls the request off.
struct OpenStream {
    book: Book,
    id: SessionId,
    request: Option<RequestId>,
    answered: bool,
    hang_ups: mpsc::UnboundedSender<(SessionId, RequestId)>,
}

impl OpenStream {
    fn new(sessions: &Sessions, id: &SessionId, request: Option<RequestId>) -> Self {
        sessions.book.begin(id, request.as_ref());
        let (book, hang_ups) = (sessions.book.clone(), sessions.hang_ups.clone());
        Self { book, id: SessionId::clone(id), request, answered: false, hang_ups }
    }

    /// Whether this is the last word of its stream.
    fn is_answered_by(&self, event: &ServerSseMessage) -> bool {
        let answer = match event.message.as_deref() {
            Some(ServerJsonRpcMessage::Response(answer)) => Some(&answer.id),
            Some(ServerJsonRpcMessage::Error(error)) => error.id.as_ref(),
            Some(ServerJsonRpcMessage::Request(_) | ServerJsonRpcMessage::Notification(_)) | None => None,
        };
        answer.is_some() && answer == self.request.as_ref()
    }
}

impl Drop for OpenStream {
    fn drop(&mut self) {
        self.book.end(&self.id, self.request.as_ref());
        if !self.answered
            && let Some(request) = self.request.take()
        {
            // Nobody to tell means that the door is closed, and every call with it.
            let _ = self.hang_ups.send((SessionId::clone(&self.id), request));
        }
    }
}

/// Calls off what nobody listens to any more, and closes what is idle, until the door is closed.
async fn sweep(
    inner: Arc<LocalSessionManager>,
    book: Book,
    mut hang_ups: mpsc::UnboundedReceiver<(SessionId, RequestId)>,
) {
    let mut cancelling = JoinSet::new();
    let mut ticks = interval(SWEEP_EVERY);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            heard = hang_ups.recv() => match heard {
                Some((id, request)) => {
                    let inner = Arc::clone(&inner);
                    cancelling.spawn(async move { cancel(&inner, &id, request).await });
                }
                None => break,
            },
            Some(_) = cancelling.join_next() => {}
            _ = ticks.tick() => {
                for id in book.idle(IDLE) {
                    book.close(&id);
                    if let Err(error) = inner.close_session(&id).await {
                        tracing::debug!(session = %id, %error, "an idle MCP session was already gone");
                    }
                }
            }
        }
    }
}

async fn cancel(inner: &LocalSessionManager, id: &SessionId, request: RequestId) {
    let reason = Some("nobody listens to the answer any more".to_owned());
    let cancelled = CancelledNotification::new(CancelledNotificationParam::new(Some(request), reason));
    let message = ClientJsonRpcMessage::notification(ClientNotification::CancelledNotification(cancelled));
    match timeout(CANCEL_WITHIN, inner.accept_message(id, message)).await {
        Ok(Ok(())) => {}
        Ok(Err(error)) => tracing::debug!(session = %id, %error, "an MCP session ended with its last stream"),
        Err(_) => tracing::warn!(session = %id, "an MCP session takes no messages; its call was not cancelled"),
    }
}

fn principal_of(message: &ClientJsonRpcMessage) -> Option<PrincipalId> {
    let ClientJsonRpcMessage::Request(request) = message else { return None };
    let parts = request.request.extensions().get::<http::request::Parts>()?;
    parts.extensions.get::<Principal>().map(|principal| principal.id.clone())
}

fn request_id(message: &ClientJsonRpcMessage) -> Option<RequestId> {
    let ClientJsonRpcMessage::Request(request) = message else { return None };
    Some(request.id.clone())
}

#[cfg(test)]
mod tests;
