//! MCP over Streamable HTTP, at `/mcp`: every era from 2024-11-05 with sessions, and 2026-07-28, on one URL.
//!
//! The library behind it (`rmcp`, pinned) knows the protocol. What it does not do stands around it, one idea a file:
//!
//! ```text
//!   request ─► early_sse ─► sessions::bind ─► rmcp ─► service ─► tools::call
//!                 │              │              │        │
//!      headers within 1 s,   whose session?   sessions   wait: progress, hang-up
//!      comments, delivered?                   (ours: a dropped stream is a cancelled call)
//! ```
//!
//! A call that waits does so outside the library where it can (`parked`): the library keeps much for a call at work.
//!
//! Host, Origin and credential are looked at by the guard in front, for every door alike; the library's own checks are
//! off. Deliberately absent: an event store (with one, the library no longer cancels what nobody listens to).

mod caller;
mod early_sse;
mod parked;
mod prompts;
mod result;
mod service;
mod session_book;
mod sessions;
#[cfg(test)]
mod tests;
mod wait;

use std::sync::Arc;

use axum::Router;
use axum::middleware::{from_fn, from_fn_with_state};
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::sync::watch;

use crate::actors::HubRef;
use crate::settings::SystemPrompts;
use sessions::Sessions;

pub use service::Door;

/// The door as a router, to be mounted where MCP is to be reached. Expects a `Principal` in the request's extensions.
pub fn router(hub: HubRef, prompts: watch::Receiver<Arc<SystemPrompts>>) -> Router {
    let config = StreamableHttpServerConfig::default()
        .disable_allowed_hosts()
        .disable_allowed_origins()
        .with_sse_keep_alive(Some(early_sse::COMMENT_EVERY))
        .with_max_request_body_bytes(hub.settings().hub.limits.mcp_body);
    let sessions = Sessions::new();
    let door = Door::new(hub, prompts);
    let service = StreamableHttpService::new(move || Ok(door.clone()), Arc::new(sessions.clone()), config);
    Router::new()
        .fallback_service(service)
        .layer(from_fn_with_state(sessions, sessions::bind))
        .layer(from_fn(early_sse::early_sse))
}
