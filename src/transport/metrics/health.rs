//! `/healthz`: does it run? `/readyz`: can it do its work, and if not, why?

use std::time::Duration;

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use http::StatusCode;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::time::timeout;

use crate::actors::HubRef;
use crate::transport::web::{Route, Routes};

/// How long an actor may take to answer before it counts as silent.
const ANSWER: Duration = Duration::from_secs(2);

/// The actor of the connection to Discord.
const DISCORD: &str = "service:discord-gateway";

/// How it goes.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct Health {
    /// `ok`; `degraded` where only the way to Discord is not there, or the machine's clock was set back; or
    /// `unavailable`.
    status: String,
    /// Why it is not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    reasons: Vec<String>,
}

/// The rows of this file.
pub(super) fn routes() -> Routes {
    let live = Route::get::<Health>("/healthz", "whether the hub runs").open();
    let ready = Route::get::<Health>("/readyz", "whether the hub can do its work; 503 with the reasons if not").open();
    Routes::new().add(live, healthz).add(ready, readyz)
}

async fn healthz() -> Json<Health> {
    Json(Health { status: "ok".to_owned(), reasons: Vec::new() })
}

async fn readyz(State(hub): State<HubRef>) -> Response {
    let mut reasons = reasons(&hub).await;
    let unavailable = !reasons.is_empty();
    reasons.extend(degraded(&hub).await);
    reasons.extend(hub.clock.stray());
    let (code, status) = match (unavailable, reasons.is_empty()) {
        (true, _) => (StatusCode::SERVICE_UNAVAILABLE, "unavailable"),
        (false, false) => (StatusCode::OK, "degraded"),
        (false, true) => (StatusCode::OK, "ok"),
    };
    (code, Json(Health { status: status.to_owned(), reasons })).into_response()
}

/// What does not work although the hub does: agents go on without it.
async fn degraded(hub: &HubRef) -> Option<String> {
    // Without Discord there is no such actor.
    let actor_view = timeout(ANSWER, hub.supervisor.actor_view(DISCORD)).await.ok()?.ok()?.ok()?;
    (actor_view.state != "ready").then(|| {
        let why = actor_view.detail.get("lastError").and_then(serde_json::Value::as_str);
        format!("Discord: {}{}", actor_view.state, why.map(|why| format!(": {why}")).unwrap_or_default())
    })
}

/// Everything that keeps the hub from its work.
async fn reasons(hub: &HubRef) -> Vec<String> {
    let (journal, dispatcher) =
        tokio::join!(timeout(ANSWER, hub.journal.view()), timeout(ANSWER, hub.dispatcher.counts()),);
    let mut reasons = Vec::new();
    if *hub.draining.borrow() {
        reasons.push("the hub is going down".to_owned());
    }
    match journal {
        Ok(Ok(view)) => {
            // A fault that a later write has put right is history.
            reasons.extend(view.last_fault.filter(|_| view.failing).map(|fault| fault.reason));
        }
        Ok(Err(error)) => reasons.push(error.to_string()),
        Err(_) => reasons.push("the journal does not answer".to_owned()),
    }
    match dispatcher {
        Ok(Ok(_)) => {}
        Ok(Err(fault)) => reasons.push(fault.to_string()),
        Err(_) => reasons.push("the dispatcher does not answer".to_owned()),
    }
    reasons
}
