//! `/api/v1/login`, `/api/v1/login/codes` and `/api/v1/logout`: how a person's browser comes in, and leaves.
//!
//! A token makes a one-time code; the page trades it for a session that ends by itself. The code travels in a
//! fragment, which no server log and no `Referer` sees. Log-in is the API's one route without a credential.

use std::sync::Arc;

use super::noted::noted;
use super::prelude::*;
use super::tokens::WantedScope;
use crate::audit::{Decision, Note};
use crate::transport::tokens::{CodeRefusal, Credential, LoginError, TokenStore};
use crate::transport::web::RequestInfo;

/// A code that is to be made.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct WantedCode {
    /// What the page may do; `operate` when nothing is said, or `view` where the caller has no more.
    scope: Option<WantedScope>,
}

/// A one-time code: this is the only time that it is seen.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Code {
    /// What is traded at `POST /api/v1/login`.
    code: String,
    /// Where a browser goes with it, below the hub's address.
    path: String,
    /// The hub's public address, without a slash at its end; absent where no proxy is in front.
    #[serde(skip_serializing_if = "Option::is_none")]
    public_url: Option<String>,
    /// What the page may do then.
    scope: String,
    /// From when on it is worth nothing, RFC 3339.
    expires_at: String,
}

/// A code that is traded.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct LogIn {
    /// As it was made.
    code: String,
}

/// A session of the page: this is the only time that its token is seen.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Session {
    /// What goes into the header `Authorization: Bearer …`.
    token: String,
    /// The token's public id.
    token_id: String,
    /// As whom it acts.
    principal: String,
    /// As people call them.
    display_name: String,
    /// What it may do.
    scopes: Vec<String>,
    /// When it ends, RFC 3339.
    expires_at: Option<String>,
}

pub(super) fn routes() -> Routes {
    let code = Route::post::<WantedCode, Code>("/api/v1/login/codes", "makes a one-time code for the page");
    let log_in = Route::post::<LogIn, Session>("/api/v1/login", "trades a one-time code for a session of the page");
    let log_out = Route::post::<(), ()>("/api/v1/logout", "ends the session of the page that asks");
    Routes::new()
        .add(code.answers::<Code>(201).needs(Scope::View), make)
        .add(log_in.open(), trade)
        .add(log_out.takes_nothing().answers_nothing().needs(Scope::View), end)
}

async fn make(
    State(hub): State<HubRef>,
    Extension(tokens): Extension<TokenStore>,
    Extension(credential): Extension<Arc<Credential>>,
    who: Who,
    JsonBody(wanted): JsonBody<WantedCode>,
) -> ApiResult<(StatusCode, Json<Code>)> {
    let usual = if who.principal.may(Scope::Operate) { Scope::Operate } else { Scope::View };
    let scope = wanted.scope.map_or(usual, Scope::from);
    if !who.principal.may(scope) {
        return Err(ApiError::scope(scope));
    }
    let note = note(&hub, "login.code", who.principal.id.to_string(), &who.request);
    let rule = Some(format!("scope {scope}"));
    noted(&hub, Note { rule, target: Some(format!("token:{}", credential.token_id())), ..note }).await?;
    let made = tokens.login_code(&credential, scope, hub.clock.machine_now()).map_err(unavailable)?;
    let path = format!("/#code={}", made.code);
    let proxy = hub.settings().hub.behind_proxy.clone();
    let public_url = proxy.map(|proxy| proxy.public_url.trim_end_matches('/').to_owned());
    let (scope, expires_at) = (scope.to_string(), made.expires_at.to_string());
    Ok((StatusCode::CREATED, Json(Code { code: made.code, path, public_url, scope, expires_at })))
}

async fn trade(
    State(hub): State<HubRef>,
    Extension(tokens): Extension<TokenStore>,
    Extension(request): Extension<RequestInfo>,
    JsonBody(asked): JsonBody<LogIn>,
) -> ApiResult<Json<Session>> {
    let id = TokenStore::draw_id().map_err(unavailable)?;
    let ready = tokens.redeem(asked.code.trim(), hub.clock.machine_now()).map_err(refused)?;
    let maker = ready.maker();
    let note = note(&hub, "login", maker.principal.id.to_string(), &request);
    let rule = Some(format!("code of token:{}", maker.token_id()));
    noted(&hub, Note { rule, target: Some(format!("token:{id}")), ..note }).await?;
    let principal = maker.principal.clone();
    let opened = tokens.open_session_aside(ready, &id, hub.clock.machine_now()).await.map_err(refused)?;
    tracing::info!(principal = %principal.id, "the page logged in as `{}`, with the token `{id}`", principal.id);
    let people = &hub.settings().people;
    let display_name = people.display_name(&principal.id).map_or(principal.display_name, ToOwned::to_owned);
    Ok(Json(Session {
        token: opened.token,
        token_id: id,
        principal: principal.id.to_string(),
        display_name,
        scopes: opened.view.scopes,
        expires_at: opened.view.expires_at,
    }))
}

async fn end(
    State(hub): State<HubRef>,
    Extension(tokens): Extension<TokenStore>,
    Extension(credential): Extension<Arc<Credential>>,
    who: Who,
) -> ApiResult<StatusCode> {
    if !credential.is_session() {
        let message = "this token is no session of the page, and logging out does not end it";
        return Err(ApiError::new("NO_PAGE_SESSION", message));
    }
    let note = note(&hub, "logout", who.principal.id.to_string(), &who.request);
    noted(&hub, Note { target: Some(format!("token:{}", credential.token_id())), ..note }).await?;
    tokens.revoke_aside(credential.token_id()).await.map_err(unavailable)?;
    Ok(StatusCode::NO_CONTENT)
}

/// What the audit keeps of it, before it is done.
fn note(hub: &HubRef, action: &str, who: String, request: &RequestInfo) -> Note {
    Note {
        at: hub.clock.now(),
        action: action.to_owned(),
        decision: Decision::Allowed,
        rule: None,
        who,
        through: request.surface.as_str().to_owned(),
        peer: request.peer,
        request: Some(request.id.clone()),
        target: None,
        body: None,
    }
}

fn refused(error: LoginError) -> ApiError {
    match error {
        LoginError::Code(CodeRefusal::Invalid) => ApiError::new("LOGIN_CODE_INVALID", error.to_string()),
        LoginError::Code(CodeRefusal::TooMany(seconds)) => {
            ApiError::new("RATE_LIMITED", "too many wrong codes were tried").retry_after(seconds)
        }
        LoginError::Tokens(error) => unavailable(error),
    }
}

fn unavailable(error: impl std::fmt::Display) -> ApiError {
    tracing::warn!("{error}");
    let message = "the session could not be written down: see the hub's log, make room on its disk, and run \
                   `callboard open` again";
    ApiError::new("UNAVAILABLE", message)
}
