//! The table of contents of everything that this hub answers on its one port.

use std::sync::Arc;

use axum::extract::DefaultBodyLimit;
use axum::middleware::from_fn_with_state;
use axum::{Extension, Router};
use tokio::sync::watch;

use super::api;
use super::guard::{Guard, guard};
use crate::actors::HubRef;
use crate::settings::SystemPrompts;
use crate::transport::tokens::TokenStore;
use crate::transport::web::Routes;
use crate::transport::{admin, mcp, metrics};

/// The texts that roles are given, as they are at each moment.
type Prompts = watch::Receiver<Arc<SystemPrompts>>;

/// Every route of the hub, behind the one guard.
pub fn router(hub: &HubRef, by: Guard, keeper: TokenStore, prompts: Prompts) -> Router {
    rooms()
        .finish(hub.clone())
        .nest_service("/mcp", mcp::router(hub.clone(), prompts))
        .layer(Extension(by.denials().clone()))
        .layer(Extension(keeper))
        // The guard holds each body to its own limit.
        .layer(DefaultBodyLimit::disable())
        .layer(from_fn_with_state(by, guard))
}

/// What is plain HTTP, room by room.
pub(super) fn rooms() -> Routes {
    api::routes().and(admin::routes()).and(metrics::routes())
}
