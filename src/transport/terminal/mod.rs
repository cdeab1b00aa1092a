//! The terminals that hosts stream, at `/ws/terminal`: output and signals in, orders to type out.
//!
//! ```text
//!   callboard run ─ output, words ─► talk ─► Terminal (actor): screen, prompts, transcript
//!                 ◄─ orders to type ─┘
//! ```
//!
//! - `visitor`: who opens the connection, and which session's terminal it is;
//! - `talk`: the connection; what is said there is `domain::wire`.
//!
//! What the host sends is the terminal's as soon as it was drawn; a host whose hub goes down sends it again.

mod talk;
mod terminal_caller;

use axum::Router;
use axum::extract::{Request, State};
use axum::response::{IntoResponse as _, Response};
use axum::routing::any;

use crate::actors::HubRef;
use crate::domain::wire::{LARGEST, PROTOCOL};
use crate::transport::web::told;
use crate::transport::ws::upgrade;
use talk::Talk;
use terminal_caller::TerminalCaller;

/// The door as a router of the path `/ws/terminal`. A request brings a `Principal`, a `Pass` and a `UpgradeSlot`.
pub fn sockets(hub: HubRef) -> Router {
    let layer = axum::middleware::from_fn(told);
    Router::new().route("/ws/terminal", any(open)).layer(layer).with_state(hub)
}

async fn open(State(hub): State<HubRef>, request: Request) -> Response {
    let visitor = match TerminalCaller::of(&request) {
        Ok(visitor) => visitor,
        Err(refused) => return refused.into_response(),
    };
    let talk = Talk::new(hub, visitor);
    let opened = upgrade(request, PROTOCOL, LARGEST, move |socket, end| talk.goes_on(socket, end)).await;
    opened.unwrap_or_else(|refused| refused.into_response())
}
