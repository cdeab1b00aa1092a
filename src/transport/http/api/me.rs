//! `GET /api/v1/me`: who the caller is to the hub, and what time it is there.

use std::sync::Arc;

use super::prelude::*;
use crate::transport::tokens::{Credential, TokenStore};

/// Who the caller is to the hub, by the credential alone.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Me {
    /// The principal: `agent:…`, `person:…`, `service:…` or `operator`.
    principal: String,
    /// As people call it.
    display_name: String,
    /// What it may do.
    scopes: Vec<String>,
    /// The hub's time, RFC 3339.
    time: String,
    /// The hub's version.
    version: String,
    /// When the credential ends, RFC 3339; absent when nothing ends it yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    expires_at: Option<String>,
    /// Whether it is a session of the page, which `POST /api/v1/logout` ends.
    session: bool,
}

pub(super) fn routes() -> Routes {
    // Whoever has a credential may ask whose it is.
    let row = Route::get::<Me>("/api/v1/me", "who you are to the hub, and what time it is there");
    Routes::new().add(row.needs(Scope::Agent), show)
}

async fn show(
    State(hub): State<HubRef>,
    Extension(tokens): Extension<TokenStore>,
    Extension(credential): Extension<Arc<Credential>>,
    who: Who,
) -> Json<Me> {
    let ends = tokens.ends(&credential, hub.clock.machine_now()).ok().flatten();
    Json(Me {
        principal: who.principal.id.to_string(),
        display_name: who.principal.display_name,
        scopes: who.principal.scopes.iter().map(ToString::to_string).collect(),
        time: hub.clock.now().to_string(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        expires_at: ends.map(|at| at.to_string()),
        session: credential.is_session(),
    })
}
