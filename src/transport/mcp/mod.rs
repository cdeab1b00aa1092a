//! MCP over Streamable HTTP, at `/mcp`: every revision from 2024-11-05 with sessions, and 2026-07-28, on one URL.
//!
//! The library behind it (`rmcp`, pinned) knows the protocol. Where it does something else than this hub needs, a file
//! of `workarounds` stands around it, and that folder's page names the fault.
//!
//! ```text
//!   request ─► short ───────────────────────────────────────────────► tools::call
//!                └─► incoming ─► early_sse ─► sessions ─► rmcp ─► Door ──┘  ▲
//!                                                                  ▲        │
//!   socket ─────► incoming ───────────────────────────────────► Door ───────┘
//! ```
//!
//! The usual call goes past the library (`workarounds::short`), any other over HTTP goes through it, and a WebSocket
//! (`socket`, at `/ws`) has no service loop of the library. They share everything that decides what is answered:
//!
//! - the library's table of methods, over `service::Door`; the short way knows one method, and leaves to the library
//!   whatever is not plainly a call of a tool;
//! - who calls, for which run of a workflow, in which trace: `caller::caller_of`;
//! - what a call of a tool comes to: `tools::call`, written by `reply_path::ReplyPath::answer`;
//! - what may take long: `answered::answered`, and `wait::Notes` for its progress.
//!
//! `workflows` are prompts that do something, `tasks` what came of them, `resources` what a client may read, `changes`
//! what it is told without asking, `tickets` how it calls now and fetches the answer later, `probe` serves `callboard
//! doctor`.
//!
//! Host, Origin and credential are checked by the guard in front of every door; the library's own checks are off.
//! Deliberately absent: an event store (with one, the library no longer cancels what nobody listens to).

mod answered;
mod caller;
mod changes;
mod completion;
mod form;
mod probe;
mod prompts;
mod reply_path;
mod resources;
mod result;
mod service;
mod socket;
mod tasks;
#[cfg(test)]
mod tests;
mod tickets;
mod verbs;
mod wait;
mod workarounds;
mod workflows;

use std::sync::Arc;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::response::{IntoResponse as _, Response};
use bytes::Bytes;
use http::request::Parts;
use http::{Method, StatusCode, header};
use rmcp::ServerHandler;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::sync::watch;
use tower::ServiceExt as _;

use crate::actors::HubRef;
use crate::domain::principal::Principal;
use crate::settings::SystemPrompts;
use workarounds::accepted::Accepted;
use workarounds::early_refusal::RequestHead;
use workarounds::sessions::{self, Sessions};
use workarounds::{early_sse, incoming, short};

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
    pub fn new(hub: HubRef, prompts: watch::Receiver<Arc<SystemPrompts>>) -> Self {
        Self::fronted(hub, prompts, |door| door)
    }

    /// The same with something in front of the hub's own service, made anew for each session and request: what the
    /// protocol's conformance suite wants to find stands there, in its tests.
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
        let (mut head, body) = request.into_parts();
        if head.method != Method::POST {
            return self.by_the_library(head, Bytes::new()).await;
        }
        // The guard holds it to its size and its pace, and has its own word on both.
        let Ok(mut body) = to_bytes(body, usize::MAX).await else {
            return (StatusCode::BAD_REQUEST, "the body did not come whole").into_response();
        };
        if let Some(answer) = short::answer(&self.hub, &head, &body) {
            // Whoever waits keeps nothing of the request.
            drop((head, body));
            return answer.await;
        }
        match incoming::read(&body) {
            Ok(None) => {}
            Ok(Some(rewritten)) => {
                head.headers.remove(header::CONTENT_LENGTH);
                body = rewritten.into();
            }
            Err(refused) => return ([(header::CONTENT_TYPE, "application/json")], refused).into_response(),
        }
        self.by_the_library(head, body).await
    }

    async fn by_the_library(&self, head: Parts, body: Bytes) -> Response {
        let asked = RequestHead::of(&head, body.clone());
        match self.library.clone().oneshot(Request::from_parts(head, Body::from(body))).await {
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
