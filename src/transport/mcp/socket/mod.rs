//! MCP over a WebSocket, at `/ws`, subprotocol `mcp`: one JSON-RPC message in each text frame, both eras.
//!
//! It is what stdio is, in frames: `notifications/cancelled` calls a request off, the end of the socket all of them.
//! Each request goes to the library's handler, as over HTTP. There is no loop of the library, whose queues take more
//! memory than an agent that waits.
//!
//! `socket_caller` says who speaks here, `peer` what a client of the era with a handshake said of itself, `work` is one
//! request on its way, `unacknowledged` what is not known to have arrived, `talk` the connection.

mod peer;
mod socket_caller;
mod talk;
mod unacknowledged;
mod work;

use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::response::{IntoResponse as _, Response};
use axum::routing::any;
use tokio::sync::watch;

use super::service::Door;
use crate::actors::HubRef;
use crate::settings::SystemPrompts;
use crate::transport::web::told;
use crate::transport::ws::upgrade;
use peer::Nobody;
use socket_caller::SocketCaller;
use talk::Talk;

/// The subprotocol, as the SDKs that speak over WebSockets name it.
const PROTOCOL: &str = "mcp";

/// What every connection shares.
#[derive(Clone)]
struct Hall {
    hub: HubRef,
    door: Door,
    nobody: Nobody,
}

/// The door as a router of `/ws`. Expects a `Principal`, a `Pass` and a `UpgradeSlot` in the request's extensions.
pub fn sockets(hub: HubRef, prompts: watch::Receiver<Arc<SystemPrompts>>) -> Router {
    let door = Door::new(hub.clone(), prompts);
    let nobody = Nobody::of(&door);
    Router::new()
        .route("/ws", any(open))
        .fallback(crate::transport::web::no_such_route)
        .layer(axum::middleware::from_fn(told))
        .with_state(Hall { hub, door, nobody })
}

async fn open(State(hall): State<Hall>, request: Request) -> Response {
    let largest = hall.hub.settings().hub.limits.mcp_body;
    let visitor = match SocketCaller::of(&hall.hub, &request) {
        Ok(visitor) => visitor,
        Err(refused) => return refused.into_response(),
    };
    let talk = Talk::new(hall.hub, hall.door, hall.nobody, visitor);
    let opened = upgrade(request, PROTOCOL, largest, move |socket, end| talk.goes_on(socket, end)).await;
    opened.unwrap_or_else(|refused| refused.into_response())
}
