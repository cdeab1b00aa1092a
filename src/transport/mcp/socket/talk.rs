//! One connection: messages come in, requests work side by side, answers go out in the order in which they are there.
//!
//! All of it is one future, which polls what it has: an agent that waits keeps this, its parked call, and the socket.

use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::extract::ws::Utf8Bytes;
use bytes::Bytes;
use futures_util::future::{BoxFuture, poll_fn};
use futures_util::stream::{self, BoxStream, StreamExt as _};
use http::request::Parts;
use rmcp::Service as _;
use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, ClientRequest, ErrorCode, ErrorData, GetExtensions as _, GetMeta as _,
    RequestId, ServerJsonRpcMessage, ServerResult,
};
use rmcp::service::RequestContext;
use serde_json::{Value, json};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::super::changes::{Change, Changes, Ear, Lists, Since};
use super::super::result::{error_message, message, written};
use super::super::service::Door;
use super::super::workarounds::parked::Exit;
use super::super::workarounds::{incoming, welcome};
use super::peer::{Introduced, Nobody, Speaker};
use super::socket_caller::SocketCaller;
use super::unacknowledged::Unacknowledged;
use super::work::{Word, Work};
use crate::actors::HubRef;
use crate::actors::agent::{CallId, ClientGone};
use crate::domain::agent::DepartureKind;
use crate::transport::web::Slot;
use crate::transport::ws::{Ending, Socket, SocketEvent};

/// How many requests of one connection may wait at once. An agent has one wait; who delegates has one for each task.
const WAITS: usize = 256;

/// How many may be at work that do not wait. Beyond, nothing is read: who asks too fast is slowed down, as over HTTP.
const AT_WORK: usize = 8;

/// The codes of refusals that only this door has. The protocol keeps those from -32768 to -32000 for itself.
const RATE_LIMITED: ErrorCode = ErrorCode(1429);
const BUSY: ErrorCode = ErrorCode(1503);

pub(super) struct Talk {
    hub: HubRef,
    door: Door,
    nobody: Nobody,
    visitor: SocketCaller,
    introduced: Option<Box<Introduced>>,
    at_work: Vec<Work>,
    unacknowledged: Unacknowledged,
    /// What a client of the era with a handshake is told without asking, from its handshake on.
    ear: Arc<Ear>,
    news: Option<BoxStream<'static, Change>>,
    /// When its agent was last said to be there, and the message on its way that says so again.
    present: Instant,
    telling: Option<BoxFuture<'static, ()>>,
    /// The number of this connection, by which its agent knows it.
    number: CallId,
}

impl Talk {
    pub(super) fn new(hub: HubRef, door: Door, nobody: Nobody, visitor: SocketCaller) -> Self {
        let ear = Arc::new(Ear::new(Lists::now(&hub, &door.prompts())));
        let number = hub.next_call();
        Self {
            hub,
            door,
            nobody,
            visitor,
            introduced: None,
            at_work: Vec::new(),
            unacknowledged: Unacknowledged::default(),
            ear,
            news: None,
            present: Instant::now(),
            telling: None,
            number,
        }
    }

    /// Goes on until either side ends it.
    pub(super) async fn goes_on(mut self, mut socket: Socket, end: CancellationToken) {
        let mut good = self.visitor.pass.ended();
        let mut end = Box::pin(end.cancelled_owned());
        let mut going_down = false;
        // It may have lost its hub, or its hub the connection before, and be at work in silence.
        self.says_it_is_present();
        let ending = poll_fn(|cx| {
            if good.as_mut().poll(cx).is_ready() {
                return Poll::Ready(Ending::Revoked);
            }
            going_down = going_down || end.as_mut().poll(cx).is_ready();
            self.poll(cx, &mut socket, going_down)
        })
        .await;
        if !ending.is_hang_up() {
            self.unacknowledged.keeps_what_it_read();
        }
        tracing::debug!("a WebSocket ends: {ending:?}");
        let (hub, agent, connection) = (self.hub.clone(), self.visitor.agent(), Some(self.number));
        // Whatever waited ends with this, and offers go back, before the last word is said.
        drop(self);
        if let Some((agent, instance)) = agent
            && let Ok(Some(line)) = hub.agent(&agent).await
        {
            let how = if ending == Ending::Closed { DepartureKind::Ended } else { DepartureKind::Lost };
            line.client_gone(ClientGone { instance, connection, how });
        }
        socket.end(&ending).await;
    }

    fn poll(&mut self, cx: &mut Context<'_>, socket: &mut Socket, going_down: bool) -> Poll<Ending> {
        loop {
            self.poll_work(cx, socket);
            self.poll_news(cx, socket);
            let listens = self.at_work.iter().filter(|work| !work.waits()).count() <= AT_WORK;
            match socket.poll_heard(cx, listens) {
                Poll::Ready(SocketEvent::Text(text)) => self.hears(&text, socket),
                Poll::Ready(SocketEvent::Bytes(_)) => return Poll::Ready(Ending::Binary),
                Poll::Ready(SocketEvent::Read(mark)) => {
                    self.unacknowledged.was_read(mark);
                    self.is_present();
                }
                Poll::Ready(SocketEvent::Alive) => self.is_present(),
                Poll::Ready(SocketEvent::Ended(ending)) => return Poll::Ready(ending),
                Poll::Pending => break,
            }
        }
        if self.telling.as_mut().is_some_and(|telling| telling.as_mut().poll(cx).is_ready()) {
            self.telling = None;
        }
        if going_down && self.at_work.is_empty() && self.unacknowledged.is_read() && socket.is_silent() {
            return Poll::Ready(Ending::GoingDown);
        }
        Poll::Pending
    }

    fn poll_work(&mut self, cx: &mut Context<'_>, socket: &mut Socket) {
        let unacknowledged = &mut self.unacknowledged;
        self.at_work.retain_mut(|work| {
            loop {
                match work.poll(cx) {
                    Poll::Ready(Word::Progress(text)) => say(socket, text, None),
                    Poll::Ready(Word::Answer(text, guard)) => {
                        say(socket, text, guard.map(|guard| unacknowledged.write(guard)));
                        return false;
                    }
                    Poll::Ready(Word::Nothing) => return false,
                    Poll::Pending => return true,
                }
            }
        });
    }

    fn poll_news(&mut self, cx: &mut Context<'_>, socket: &mut Socket) {
        while let Some(Poll::Ready(change)) = self.news.as_mut().map(|news| news.poll_next_unpin(cx)) {
            match change {
                Some(change) => say(socket, written(&ServerJsonRpcMessage::notification(change.told())), None),
                None => self.news = None,
            }
        }
    }

    fn hears(&mut self, text: &str, socket: &mut Socket) {
        let rewritten = match incoming::read(text.as_bytes()) {
            Ok(rewritten) => rewritten,
            Err(refused) => return say(socket, refused, None),
        };
        let read = rewritten.as_deref().unwrap_or(text.as_bytes());
        match serde_json::from_slice::<ClientJsonRpcMessage>(read) {
            Ok(ClientJsonRpcMessage::Request(asked)) => self.is_asked(asked.id, asked.request, socket),
            Ok(ClientJsonRpcMessage::Notification(told)) => self.is_told(&told.notification),
            // Nothing was asked of the client that it could answer.
            Ok(ClientJsonRpcMessage::Response(_) | ClientJsonRpcMessage::Error(_)) => {}
            Err(_) => say(socket, unreadable(text), None),
        }
    }

    fn is_asked(&mut self, id: RequestId, request: ClientRequest, socket: &mut Socket) {
        self.unacknowledged.goes_on();
        if let Err(refused) = self.may_ask() {
            say(socket, error_message(Some(id), refused), None);
            return;
        }
        if let ClientRequest::InitializeRequest(hello) = request {
            let agreed = Introduced::by(&self.door, hello.params).map(|(introduced, result)| {
                self.introduced = Some(introduced);
                ServerResult::InitializeResult(result)
            });
            let welcome = message(id, agreed);
            let announced = std::str::from_utf8(&welcome).ok().and_then(welcome::message);
            say(socket, announced.map_or(welcome, Bytes::from), None);
            return;
        }
        let work = self.work(id, request);
        self.at_work.push(work);
    }

    fn may_ask(&self) -> Result<(), ErrorData> {
        self.visitor.pass.asks().map_err(|seconds| {
            let said = format!("too many requests: ask again in {seconds} s");
            ErrorData::new(RATE_LIMITED, said, Some(json!({"code": "RATE_LIMITED", "retryAfter": seconds})))
        })?;
        if self.at_work.len() < WAITS {
            return Ok(());
        }
        let said = format!("{WAITS} requests of this connection wait already: end one of them first");
        Err(ErrorData::new(BUSY, said, Some(json!({"code": "BUSY"}))))
    }

    fn work(&self, id: RequestId, mut request: ClientRequest) -> Work {
        let (slot, exit) = (Slot::default(), Exit::of_any_era());
        let listens = matches!(request, ClientRequest::SubscriptionsListenRequest(_));
        let speaker = listens.then(|| Speaker::of(&self.door));
        let peer = speaker.as_ref().map_or_else(|| self.nobody.peer(), Speaker::peer);
        let mut context = RequestContext::new(id.clone(), peer);
        context.meta = std::mem::take(request.get_meta_mut());
        if let (None, Some(introduced)) = (context.meta.protocol_version(), &self.introduced) {
            introduced.put_into(&mut context.meta);
        }
        context.extensions = std::mem::take(request.extensions_mut());
        context.extensions.insert(self.visitor.parts(&self.hub, &slot, &exit, &self.ear));
        // A ping needs no introduction, and what a client asks to find out which era it is in says its own.
        let stranger = context.meta.protocol_version().is_none()
            && !matches!(request, ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_));
        let (hub, door, answered) = (self.hub.clone(), self.door.clone(), id.clone());
        let who = listens.then(|| self.visitor.principal().clone());
        let answer = async move {
            if let Some(who) = who
                && let Ok(since) = Since::now(&hub, &door.prompts(), &who).await
                && let Some(parts) = context.extensions.get_mut::<Parts>()
            {
                parts.extensions.insert(since);
            }
            let outcome = if stranger {
                Err(ErrorData::invalid_params(UNINTRODUCED, None))
            } else {
                door.handle_request(request, context).await
            };
            message(answered, outcome)
        };
        let work = Work::new(id, slot, exit, answer);
        match speaker {
            Some(speaker) => work.speaking(speaker),
            None => work,
        }
    }

    fn is_told(&mut self, notification: &ClientNotification) {
        if matches!(notification, ClientNotification::InitializedNotification(_)) && self.introduced.is_some() {
            self.tells_news();
        }
        let ClientNotification::CancelledNotification(cancelled) = notification else { return };
        let Some(id) = &cancelled.params.request_id else { return };
        self.at_work.retain_mut(|work| work.id != *id || !work.is_called_off());
    }

    fn tells_news(&mut self) {
        if !self.ear.begins() {
            return;
        }
        let changes = self.ear.changes(self.hub.clone(), self.visitor.principal().clone(), self.door.prompts());
        let next = |mut changes: Changes| async move { Some((changes.next().await?, changes)) };
        self.news = Some(stream::unfold(changes, next).boxed());
    }

    /// Its agent is there, and may be at work in silence: told often enough that it never looks offline.
    fn is_present(&mut self) {
        let pause = (self.hub.settings().hub.leases.offline_after / 3).min(PRESENT_EVERY);
        if self.present.elapsed() < pause || self.telling.is_some() {
            return;
        }
        self.says_it_is_present();
    }

    fn says_it_is_present(&mut self) {
        self.present = Instant::now();
        let Some((agent, instance)) = self.visitor.agent() else { return };
        let (hub, number) = (self.hub.clone(), self.number);
        self.telling = Some(Box::pin(async move {
            if let Ok(Some(line)) = hub.agent(&agent).await {
                line.is_present(instance, number);
            }
        }));
    }
}

/// How often an agent is said to be there, whatever its hub calls offline.
const PRESENT_EVERY: Duration = Duration::from_secs(60);

/// What a client hears that has neither shaken hands nor said in its request who it is.
const UNINTRODUCED: &str = "request _meta is missing io.modelcontextprotocol/protocolVersion and \
    io.modelcontextprotocol/clientCapabilities; a client of an era before 2026-07-28 sends `initialize` first";

fn say(socket: &mut Socket, text: Bytes, mark: Option<u64>) {
    // Made as JSON here: always UTF-8.
    if let Ok(text) = Utf8Bytes::try_from(text) {
        socket.say(text, mark);
    }
}

/// The no to a text that is no message, with the id that it would have had.
fn unreadable(text: &str) -> Bytes {
    let Ok(value) = serde_json::from_str::<Value>(text) else {
        return error_message(None, ErrorData::new(ErrorCode::PARSE_ERROR, "this is no JSON", None));
    };
    let id = value.get("id").and_then(|id| serde_json::from_value(id.clone()).ok());
    let said = if value.is_array() {
        "one message in each frame: a list of messages is not read"
    } else if value.get("id").is_some_and(|id| !id.is_string() && !id.is_i64()) {
        "this is no message of MCP: its `id` must be a string or a whole number"
    } else {
        "this is no message of MCP, or its params do not fit its method"
    };
    error_message(id, ErrorData::new(ErrorCode::INVALID_REQUEST, said, None))
}

impl std::fmt::Debug for Talk {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Talk").field("visitor", &self.visitor).finish_non_exhaustive()
    }
}
