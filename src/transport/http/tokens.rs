//! The routes of the tokens: made, listed, rotated, revoked. A secret is answered once, when it is made.

use std::time::Duration;

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use http::StatusCode;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::actors::HubRef;
use crate::domain::agent::{Eviction, EvictionAction};
use crate::domain::ids::AgentId;
use crate::domain::principal::Scope;
use crate::transport::tokens::{NewToken, TokenError, TokenStore, TokenView};
use crate::transport::web::{ApiError, JsonBody, Route, Routes, Segment, Who};

/// How long the old secret is accepted after a rotation that does not say.
const OVERLAP: Duration = Duration::from_secs(24 * 3600);

/// A token to be made: for an agent, or with a scope and a name.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct NewTokenBody {
    /// The agent that it speaks for.
    #[serde(default)]
    agent: Option<String>,
    /// What a person or program may do: `view`, `operate`, `admin`.
    #[serde(default)]
    scope: Option<String>,
    /// How that person or program is called.
    #[serde(default)]
    name: Option<String>,
    /// Whether it is a program.
    #[serde(default)]
    service: bool,
    /// How long it is valid, as `90d`; for ever when absent.
    #[serde(default)]
    expires: Option<String>,
}

/// How to rotate.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct RotateBody {
    /// How long the old secret is still accepted, as `24h`.
    #[serde(default)]
    overlap: Option<String>,
}

/// A token and its secret.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct MadeToken {
    /// The token, whole. It is not kept, and cannot be shown again.
    token: String,
    /// Its public id: names it in `rotate` and `revoke`.
    id: String,
    /// Whose it is.
    principal: String,
    /// What it allows.
    scopes: Vec<String>,
    /// When it was made, RFC 3339.
    created_at: String,
    /// When it ends, RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    expires_at: Option<String>,
}

/// A list of tokens.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Tokens {
    /// By public id.
    items: Vec<TokenView>,
}

/// The routes. The store comes as an extension.
pub(super) fn routes() -> Routes {
    let all = "/api/v1/tokens";
    let made = Route::post::<NewTokenBody, MadeToken>(all, "a new token; its secret is answered this once");
    let rotated = Route::post::<RotateBody, MadeToken>("/api/v1/tokens/{id}/rotate", "a new secret for a token");
    let ended = Route::delete("/api/v1/tokens/{id}", "ends a token at once, and whatever it holds open");
    Routes::new()
        .add(Route::get::<Tokens>(all, "every token, without its secret").needs(Scope::Admin), list)
        .add(made.needs(Scope::Admin).answers::<MadeToken>(201), create)
        .add(rotated.needs(Scope::Admin), rotate)
        .add(ended.needs(Scope::Admin), revoke)
}

async fn list(Extension(tokens): Extension<TokenStore>) -> Json<Tokens> {
    Json(Tokens { items: tokens.list() })
}

async fn create(
    State(hub): State<HubRef>,
    Extension(tokens): Extension<TokenStore>,
    who: Who,
    JsonBody(body): JsonBody<NewTokenBody>,
) -> Result<Response, ApiError> {
    let expires = body.expires.as_deref().map(|text| span("expires", text)).transpose()?;
    let made = tokens.create(&wanted(&body)?, expires, hub.clock.now()).map_err(|e| failed(&e))?;
    tracing::info!(principal.id = %who.principal.id, token.id = %made.1.id, "a token was made for `{}`", made.1.principal);
    Ok((StatusCode::CREATED, Json(shown(made))).into_response())
}

async fn rotate(
    State(hub): State<HubRef>,
    Extension(tokens): Extension<TokenStore>,
    who: Who,
    Segment(id): Segment,
    JsonBody(body): JsonBody<RotateBody>,
) -> Result<Json<MadeToken>, ApiError> {
    let overlap = body.overlap.as_deref().map_or(Ok(OVERLAP), |text| span("overlap", text))?;
    let made = tokens.rotate(&id, overlap, hub.clock.now()).map_err(|error| failed(&error))?;
    tracing::info!(principal.id = %who.principal.id, token.id = %id, "token `{id}` was rotated");
    Ok(Json(shown(made)))
}

/// Whatever the token holds open ends with it; an agent without another one gives back what it holds.
async fn revoke(
    State(hub): State<HubRef>,
    Extension(tokens): Extension<TokenStore>,
    who: Who,
    Segment(id): Segment,
) -> Result<StatusCode, ApiError> {
    let orphan = tokens.revoke(&id).map_err(|error| failed(&error))?;
    tracing::info!(principal.id = %who.principal.id, token.id = %id, "token `{id}` was revoked");
    if let Some(agent) = orphan
        && let Some(line) = hub.agent(&agent).await?
    {
        let reason = "its token was revoked".to_owned();
        let eviction = Eviction { action: EvictionAction::Shutdown, reason };
        if let Err(error) = line.evict(eviction, who.by()).await {
            tracing::info!(agent.id = %agent, "agent `{agent}` held nothing to give back: {error}");
        }
    }
    Ok(StatusCode::NO_CONTENT)
}

fn wanted(body: &NewTokenBody) -> Result<NewToken, ApiError> {
    match (&body.agent, &body.scope, &body.name) {
        (Some(agent), None, None) => {
            let id = AgentId::parse(agent).map_err(|error| wrong("agent", error.to_string()))?;
            Ok(NewToken::Agent(id))
        }
        (None, Some(scope), Some(name)) => {
            let scope =
                [Scope::View, Scope::Operate, Scope::Admin].into_iter().find(|known| known.to_string() == *scope);
            let scope = scope.ok_or_else(|| wrong("scope", "`scope` is one of view, operate, admin".to_owned()))?;
            Ok(NewToken::Named { name: name.clone(), scope, service: body.service })
        }
        _ => Err(wrong("agent", "a token is for an `agent`, or has a `scope` and a `name`".to_owned())),
    }
}

fn span(field: &str, text: &str) -> Result<Duration, ApiError> {
    humantime::parse_duration(text)
        .map_err(|error| wrong(field, format!("`{field}` must be a span such as `90d`: {error}")))
}

fn wrong(field: &str, message: String) -> ApiError {
    ApiError::new("INVALID_ARGUMENTS", message).detail("field", field)
}

fn shown((token, view): (String, TokenView)) -> MadeToken {
    MadeToken {
        token,
        id: view.id,
        principal: view.principal,
        scopes: view.scopes,
        created_at: view.created_at,
        expires_at: view.expires_at,
    }
}

fn failed(error: &TokenError) -> ApiError {
    match error {
        TokenError::Unknown(_) => ApiError::new("NOT_FOUND", error.to_string()),
        TokenError::Name(_) => wrong("name", error.to_string()),
        TokenError::File { .. } | TokenError::Unreadable { .. } | TokenError::Randomness(_) => {
            tracing::warn!("tokens cannot be used: {error}");
            ApiError::new("UNAVAILABLE", error.to_string())
        }
    }
}
