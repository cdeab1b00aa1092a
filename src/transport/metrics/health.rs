//! `/healthz`: does it run? `/readyz`: can it do its work, and if not, why?

use std::io;
use std::time::Duration;

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use http::StatusCode;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::time::timeout;

use crate::actors::HubRef;
use crate::actors::supervisor::TreeError;
use crate::private_file;
use crate::transport::web::{Route, Routes};

/// How long an actor may take to answer before it counts as silent.
const ANSWER: Duration = Duration::from_secs(2);

/// The actor of the connection to Discord.
const DISCORD: &str = "service:discord-gateway";

/// How it goes.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct Health {
    /// `ok`; `degraded` where only the way to Discord is not there, the machine's clock was set back, or others may
    /// write into the data directory; or `unavailable`.
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
    reasons.extend(opened(&hub));
    let (code, status) = match (unavailable, reasons.is_empty()) {
        (true, _) => (StatusCode::SERVICE_UNAVAILABLE, "unavailable"),
        (false, false) => (StatusCode::OK, "degraded"),
        (false, true) => (StatusCode::OK, "ok"),
    };
    (code, Json(Health { status: status.to_owned(), reasons })).into_response()
}

/// What does not work although the hub does: agents go on without it.
async fn degraded(hub: &HubRef) -> Option<String> {
    let silent = || Some("Discord: its connection does not say how it is".to_owned());
    let actor_view = match timeout(ANSWER, hub.supervisor.actor_view(DISCORD)).await {
        Ok(Ok(Ok(actor_view))) => actor_view,
        // Without Discord there is no such actor.
        Ok(Ok(Err(TreeError::Unknown(_)))) => return None,
        Ok(Ok(Err(_)) | Err(_)) | Err(_) => return silent(),
    };
    (actor_view.state != "ready").then(|| {
        let why = actor_view.detail.get("lastError").and_then(serde_json::Value::as_str);
        format!("Discord: {}{}", actor_view.state, why.map(|why| format!(": {why}")).unwrap_or_default())
    })
}

/// Whether others may put files into the data directory by now: the hub goes on, and its commands do not.
fn opened(hub: &HubRef) -> Option<String> {
    let dir = &hub.settings().hub.data_dir;
    match private_file::check_folder(dir) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Some(format!("data directory: {error}")),
        Ok(()) | Err(_) => None,
    }
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
