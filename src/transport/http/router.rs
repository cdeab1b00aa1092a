//! The table of contents of everything that this hub answers on its one port.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::body::Body;
use axum::extract::DefaultBodyLimit;
use axum::response::Response;
use axum::{BoxError, Extension, Router};
use bytes::Bytes;
use http::Request;
use tokio::sync::watch;
use tower::Service;

use super::api;
use super::guard::Guard;
use super::hooks;
use super::paths::{is_mcp, is_page, is_socket};
use crate::actors::HubRef;
use crate::settings::SystemPrompts;
use crate::transport::tokens::TokenStore;
use crate::transport::web::Routes;
use crate::transport::{admin, host, mcp, metrics, page, terminal};

type Prompts = watch::Receiver<Arc<SystemPrompts>>;

/// Every route of the hub, behind the one guard. Cheap to clone. MCP is told apart before any table of routes: a
/// router wraps and clones its layers with each request.
#[derive(Debug, Clone)]
pub struct Front(Arc<Behind>);

#[derive(Debug)]
struct Behind {
    guard: Guard,
    plain: Router,
    mcp: mcp::Entrance,
    sockets: Router,
}

pub fn router(hub: &HubRef, by: Guard, keeper: TokenStore, prompts: Prompts) -> Front {
    let mcp = mcp::Entrance::new(hub.clone(), prompts.clone());
    router_with(hub, by, keeper, prompts, mcp)
}

/// The same with this way in for MCP over HTTP.
pub fn router_with(hub: &HubRef, by: Guard, keeper: TokenStore, prompts: Prompts, mcp: mcp::Entrance) -> Front {
    let hosts = host::sockets(hub.clone(), keeper.clone(), prompts.clone());
    let plain = rooms()
        .finish(hub.clone())
        .layer(Extension(by.denials().clone()))
        .layer(Extension(keeper))
        .layer(Extension(by.hooks()))
        // The guard holds each body to its own limit.
        .layer(DefaultBodyLimit::disable());
    let sockets = mcp::sockets(hub.clone(), prompts).merge(terminal::sockets(hub.clone())).merge(hosts);
    Front(Arc::new(Behind { guard: by, plain, mcp, sockets }))
}

impl Behind {
    async fn answer(&self, request: Request<Body>) -> Response {
        let path = request.uri().path();
        if is_mcp(path) {
            return self.mcp.answer(request).await;
        }
        if is_page(path) {
            return page::answer(&request);
        }
        let mut behind = if is_socket(path) { self.sockets.clone() } else { self.plain.clone() };
        match behind.call(request).await {
            Ok(response) => response,
            Err(never) => match never {},
        }
    }
}

impl<B> Service<Request<B>> for Front
where
    B: http_body::Body<Data = Bytes> + Send + 'static,
    B::Error: Into<BoxError>,
{
    type Response = Response;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Response, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let routes = Arc::clone(&self.0);
        let request = request.map(Body::new);
        Box::pin(async move { Ok(routes.guard.lets_pass(request, |request| routes.answer(request)).await) })
    }
}

pub(super) fn rooms() -> Routes {
    api::routes().and(admin::routes()).and(metrics::routes()).and(hooks::routes())
}
