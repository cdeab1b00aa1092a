//! MCP over Streamable HTTP, at `/mcp`: every era from 2024-11-05 with sessions, and 2026-07-28, on one URL.
//!
//! The library behind it (`rmcp`, pinned) knows the protocol. What it does not do stands around it, one idea a file:
//!
//! ```text
//!   request ─► short ─────────────────────────────────────────► tools::call
//!                └─► early_sse ─► sessions::bind ─► rmcp ─► service ──┘
//!                       │              │              │        │
//!            headers within 1 s,   whose session?   sessions   wait: progress, hang-up
//!            comments, delivered?                   (ours: a dropped stream is a cancelled call)
//! ```
//!
//! What its client accepts is read by `accepted`, in front of all of it. A message in which a key stands twice gets no
//! further than `doubled`.
//!
//! The common case goes past the library altogether (`short`), and any other call that waits does so outside it where
//! it can (`parked`): the library keeps much for a call at work.
//!
//! The same over a WebSocket, at `/ws`, is `socket`: the same service, without sessions.
//!
//! Workflows are prompts that do something: `workflows`, and `tasks` for what came of them. What the library's types
//! would lose of a request, `rewritten` puts elsewhere. What a client may read beside its tools is `resources`; what it
//! is told without asking, `changes`; how it calls now and fetches the answer later, `tickets`.
//!
//! Host, Origin and credential are looked at by the guard in front, for every door alike; the library's own checks are
//! off. Deliberately absent: an event store (with one, the library no longer cancels what nobody listens to).

mod accepted;
mod arguments;
mod caller;
mod changes;
mod completion;
mod doubled;
mod early_refusal;
mod early_sse;
mod form;
mod parked;
mod priming;
mod prompts;
mod reply_path;
mod resources;
mod result;
mod rewritten;
mod service;
mod session_book;
mod sessions;
mod short;
mod socket;
mod tasks;
#[cfg(test)]
mod tests;
mod tickets;
mod unread;
mod verbs;
mod wait;
mod welcome;
mod workflows;

use std::sync::Arc;

use axum::Router;
use axum::extract::Request;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::response::Response;
use rmcp::ServerHandler;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::sync::watch;
use tower::ServiceExt as _;

use crate::actors::HubRef;
use crate::domain::principal::Principal;
use crate::settings::SystemPrompts;
use accepted::Accepted;
use early_refusal::RequestHead;
use sessions::Sessions;
use short::Road;

pub use service::Door;
pub use socket::sockets;

/// Where MCP comes in. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Entrance {
    hub: HubRef,
    prompts: watch::Receiver<Arc<SystemPrompts>>,
    library: Router,
}

impl Entrance {
    /// The way to `hub`, with the prompts as they are at each moment.
    #[must_use]
    pub fn new(hub: HubRef, prompts: watch::Receiver<Arc<SystemPrompts>>) -> Self {
        Self::fronted(hub, prompts, |door| door)
    }

    /// The same with something in front of the hub's own service, made anew for each session and request: what the
    /// protocol's conformance suite wants to find stands there, in its tests.
    #[must_use]
    pub fn fronted<S: ServerHandler>(
        hub: HubRef,
        prompts: watch::Receiver<Arc<SystemPrompts>>,
        front: impl Fn(Door) -> S + Send + Sync + 'static,
    ) -> Self {
        Self { library: library(hub.clone(), prompts.clone(), front), prompts, hub }
    }

    /// Answers a request. Expects a `Principal` in its extensions.
    pub async fn answer(&self, mut request: Request) -> Response {
        let method = request.method().clone();
        let accepted = Accepted::of(&method, request.headers_mut());
        accepted.answered(self.answer_to(request).await)
    }

    async fn answer_to(&self, mut request: Request) -> Response {
        if request.headers().get("mcp-method").is_some_and(|method| method == "subscriptions/listen")
            && let Some(who) = request.extensions().get::<Principal>().cloned()
            && let Ok(since) = changes::Since::now(&self.hub, &self.prompts, &who).await
        {
            request.extensions_mut().insert(since);
        }
        match short::take(&self.hub, request).await {
            Road::Short(response) => response,
            Road::Long(request) => match doubled::passes(request).await {
                Ok((request, lists)) => self.by_the_library(request, lists).await,
                Err(refused) => refused,
            },
        }
    }

    async fn by_the_library(&self, request: Request, lists: bool) -> Response {
        let asked = RequestHead::of(request.method(), request.headers(), lists);
        match self.library.clone().oneshot(request).await {
            Ok(response) => asked.answered(response).await,
            Err(never) => match never {},
        }
    }
}

fn library<S: ServerHandler>(
    hub: HubRef,
    prompts: watch::Receiver<Arc<SystemPrompts>>,
    front: impl Fn(Door) -> S + Send + Sync + 'static,
) -> Router {
    let config = StreamableHttpServerConfig::default()
        .disable_allowed_hosts()
        .disable_allowed_origins()
        .with_sse_keep_alive(Some(early_sse::COMMENT_EVERY))
        .with_max_request_body_bytes(usize::MAX);
    let sessions = Sessions::new();
    let door = Door::new(hub.clone(), prompts);
    let service =
        StreamableHttpService::new(move || Ok(front(door.of_a_session())), Arc::new(sessions.clone()), config);
    Router::new()
        .fallback_service(service)
        .layer(from_fn_with_state((sessions, hub), sessions::bind))
        .layer(from_fn(early_sse::early_sse))
}
