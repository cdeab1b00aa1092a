//! The hosts of agents on call, at `/ws/host`: what they say in, what they are to start out.
//!
//! What is said there is `domain::on_call`; what follows from it is decided by `actors::on_call`. Here are the socket,
//! JSON, and what only a door knows: tokens of runs, system prompts, and how the host reaches the hub.

mod talk;

use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::response::{IntoResponse as _, Response};
use axum::routing::any;
use http::HeaderMap;
use http::header::HOST;
use tokio::sync::watch;

use crate::actors::HubRef;
use crate::actors::on_call::{HostCaller, HostMeans};
use crate::domain::on_call::{LARGEST, PROTOCOL};
use crate::domain::principal::{By, Principal, PrincipalKind, Scope, Surface};
use crate::settings::SystemPrompts;
use crate::transport::tokens::TokenStore;
use crate::transport::web::{ApiError, ApiResult, Pass, RequestInfo, told};
use crate::transport::ws::upgrade;
use talk::Talk;

#[derive(Clone)]
struct Door {
    hub: HubRef,
    tokens: TokenStore,
    prompts: watch::Receiver<Arc<SystemPrompts>>,
}

/// The door as a router of the path `/ws/host`. A request brings a `Principal`, a `Pass` and a `UpgradeSlot`.
pub fn sockets(hub: HubRef, tokens: TokenStore, prompts: watch::Receiver<Arc<SystemPrompts>>) -> Router {
    let layer = axum::middleware::from_fn(told);
    Router::new().route("/ws/host", any(open)).layer(layer).with_state(Door { hub, tokens, prompts })
}

async fn open(State(door): State<Door>, request: Request) -> Response {
    let (caller, pass) = match caller(&request) {
        Ok(known) => known,
        Err(refused) => return refused.into_response(),
    };
    let talk = Talk { means: door.means(request.headers()), hub: door.hub, caller, pass };
    let opened = upgrade(request, PROTOCOL, LARGEST, move |socket, end| talk.goes_on(socket, end)).await;
    opened.unwrap_or_else(|refused| refused.into_response())
}

/// The authenticated caller of one connection.
fn caller(request: &Request) -> ApiResult<(HostCaller, Pass)> {
    let extensions = request.extensions();
    let (Some(principal), Some(opened), Some(pass)) =
        (extensions.get::<Principal>(), extensions.get::<RequestInfo>(), extensions.get::<Pass>())
    else {
        return Err(ApiError::new("UNAUTHENTICATED", "a credential is needed"));
    };
    let PrincipalKind::Host { role } = &principal.kind else { return Err(ApiError::scope(Scope::Host)) };
    let by = By { principal: principal.id.clone(), surface: Surface::Hub };
    Ok((HostCaller { by, role: role.clone(), request: opened.id.clone() }, pass.clone()))
}

impl Door {
    fn means(&self, headers: &HeaderMap) -> HostMeans {
        let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
        let settings = self.hub.settings();
        let forwarded = settings.hub.behind_proxy.as_ref().and_then(|_| header("x-forwarded-proto"));
        let scheme = forwarded.unwrap_or(if settings.hub.tls.is_some() { "https" } else { "http" });
        let mcp = format!("{scheme}://{}/mcp", header(HOST.as_str()).unwrap_or("127.0.0.1"));
        let (tokens, hub, prompts) = (self.tokens.clone(), self.hub.clone(), self.prompts.clone());
        HostMeans {
            token: Box::new(move |run| tokens.run_token(run)),
            system: Box::new(move |role, agent| {
                let vars = hub.settings().prompt_vars(role.as_str(), Some(agent));
                let rendered = prompts.borrow().render(role.as_str(), &vars);
                rendered
                    .inspect_err(|fault| tracing::warn!("the prompt of role `{role}` fails: {fault}"))
                    .unwrap_or_default()
            }),
            mcp,
        }
    }
}
