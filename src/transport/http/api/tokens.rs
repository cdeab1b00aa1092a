//! `/api/v1/tokens`: who may come in. A secret is told once, in the answer that makes it.
//!
//! A repeat under an `Idempotency-Key` is answered without the secret and says `repeated`; after a lost answer, rotate
//! under a new key. The key is written first and names the token's public id, so a cut-off hub makes at most one.

use std::time::Duration;

use super::noted::noted;
use super::prelude::*;
use crate::audit::{Decision, Digested, Note};
use crate::domain::ids::RoleId;
use crate::tools::people::{TokenDeed, TokenOf, agent_has_token, agent_lost_last_token, may_manage};
use crate::transport::tokens::{NewToken, TokenError, TokenStore, TokenView};

/// How long the old secret of a rotated token goes on when nothing is said.
const OVERLAP: Duration = Duration::from_secs(24 * 60 * 60);

/// A token that is to be made: for an `agent`, for a `host` and its `role`, or with a `scope` and a `name`.
#[derive(Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct Wanted {
    /// The agent that it speaks for, and for no other.
    agent: Option<String>,
    /// The name of a host of agents on call.
    host: Option<String>,
    /// The role that this host is for, and for no other.
    role: Option<String>,
    /// What a person or a program may do.
    scope: Option<WantedScope>,
    /// How that person or program is called.
    name: Option<String>,
    /// It is a program, and no person.
    service: bool,
    /// How long it is good for, as `90d`; for ever when nothing is said.
    expires: Option<String>,
}

/// What people and programs may do. `agent` is for agents alone.
#[derive(Debug, Clone, Copy, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum WantedScope {
    /// See everything, change nothing.
    View,
    /// Hand out work, answer, cancel, retry.
    Operate,
    /// Tokens, restarts of actors, configuration.
    Admin,
}

/// How a token is to be rotated.
#[derive(Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct Rotate {
    /// How long the old secret goes on, as `24h`, which it is when nothing is said; `0s` ends it at once.
    overlap: Option<String>,
}

/// A token with its secret: the only time that it is seen.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Made {
    /// The token itself; left out of a repeat under the same `Idempotency-Key`.
    #[serde(skip_serializing_if = "Option::is_none")]
    token: Option<String>,
    /// True when an earlier call under the same `Idempotency-Key` made it, and told its secret: rotate it for
    /// a new one.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    repeated: bool,
    /// The public id: names it in `rotate` and `revoke`.
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

/// How much of the list.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct TokenParams {
    /// At most so many, 1 to 500; 100 when left out.
    limit: Option<usize>,
    /// `nextCursor` of the page before.
    cursor: Option<String>,
}

pub(super) fn routes() -> Routes {
    let list = Route::get::<List<TokenView>>("/api/v1/tokens", "tokens without their secrets, by public id");
    let create = Route::post::<Wanted, Made>("/api/v1/tokens", "makes a token; its secret is told this once");
    let rotate = Route::post::<Rotate, Made>(
        "/api/v1/tokens/{id}/rotate",
        "gives a token a new secret; the old one goes on for a while",
    );
    let revoke = Route::delete(
        "/api/v1/tokens/{id}",
        "ends a token, its connections, and what an agent without another token holds",
    );
    Routes::new()
        .add(list.query::<TokenParams>().needs(Scope::Admin), read_list)
        .add(create.answers::<Made>(201).needs(Scope::Admin), make)
        .add(rotate.needs(Scope::Admin), change_secret)
        .add(revoke.needs(Scope::Admin), end)
}

async fn read_list(Extension(tokens): Extension<TokenStore>, Params(params): Params<TokenParams>) -> Listed<TokenView> {
    let page = page_request(params.limit, params.cursor)?;
    Ok(Json(List::page_of(tokens.list(), &page, |token| &token.id)))
}

async fn make(
    Extension(tokens): Extension<TokenStore>,
    call: PersonCall,
    JsonBody(wanted): JsonBody<Wanted>,
) -> ApiResult<(StatusCode, Json<Made>)> {
    let expires = wanted.expires.as_deref().map(|text| span("expires", text)).transpose()?;
    if expires.is_some_and(|span| span.is_zero()) {
        return Err(wrong("expires", "must be longer than nothing"));
    }
    let asked = json!(wanted).to_string();
    let new = wanted.meant()?;
    new.check().map_err(api_error)?;
    let of = match &new {
        NewToken::Agent(agent) => TokenOf::Agent(agent.clone()),
        NewToken::Host { .. } | NewToken::Named { service: true, .. } => TokenOf::Service,
        NewToken::Named { service: false, .. } => TokenOf::Person,
    };
    may_manage(&call, TokenDeed::Make, &of, false).await?;
    let id = TokenStore::draw_id().map_err(api_error)?;
    written_down(&call, "token.create", &id, &asked).await?;
    if let Some(first) = call.claim(&["tokens", &asked], json!({ "id": id })).await? {
        let view = first["id"].as_str().and_then(|id| tokens.find(id)).ok_or_else(gone)?;
        return Ok((StatusCode::CREATED, Json(Made::again(view))));
    }
    let (token, view) =
        tokens.create_aside(&id, new, expires, call.hub.clock.machine_now()).await.map_err(api_error)?;
    if let TokenOf::Agent(agent) = &of {
        agent_has_token(&call, agent).await;
    }
    let by = &call.caller.principal.id;
    tracing::info!(principal = %by, "token `{}` of `{}` was made", view.id, view.principal);
    Ok((StatusCode::CREATED, Json(Made::of(token, view))))
}

async fn change_secret(
    Extension(tokens): Extension<TokenStore>,
    call: PersonCall,
    Segment(id): Segment,
    JsonBody(rotate): JsonBody<Rotate>,
) -> ApiResult<Json<Made>> {
    let overlap = rotate.overlap.as_deref().map_or(Ok(OVERLAP), |text| span("overlap", text))?;
    let view = tokens.find(&id).ok_or_else(|| api_error(TokenError::Unknown(id.clone())))?;
    may_change(&call, TokenDeed::Rotate, &view).await?;
    let asked = json!(rotate).to_string();
    written_down(&call, "token.rotate", &id, &asked).await?;
    if call.claim(&["rotate", &id, &asked], Value::Null).await?.is_some() {
        return Ok(Json(Made::again(view)));
    }
    let (token, view) = tokens.rotate_aside(&id, overlap, call.hub.clock.machine_now()).await.map_err(api_error)?;
    tracing::info!(principal = %call.caller.principal.id, "token `{id}` of `{}` was rotated", view.principal);
    Ok(Json(Made::of(token, view)))
}

async fn end(
    Extension(tokens): Extension<TokenStore>,
    call: PersonCall,
    Segment(id): Segment,
) -> ApiResult<StatusCode> {
    let asked = ["revoke", id.as_str()];
    let repeats = call.recalled(&asked).await?.is_some();
    let Some(view) = tokens.find(&id) else {
        return if repeats { Ok(StatusCode::NO_CONTENT) } else { Err(api_error(TokenError::Unknown(id))) };
    };
    may_change(&call, TokenDeed::Revoke, &view).await?;
    written_down(&call, "token.revoke", &id, "").await?;
    // A repeat that finds it still there goes on where the first call was cut off.
    if !repeats {
        call.claim(&asked, Value::Null).await?;
    }
    let left_alone = tokens.revoke_aside(&id).await.map_err(api_error)?;
    tracing::info!(principal = %call.caller.principal.id, "token `{id}` was revoked");
    if let Some(agent) = left_alone {
        agent_lost_last_token(&call, &agent).await.map_err(|fault| {
            let message =
                "the token is revoked; what its agent holds goes back when its leases end, for the hub was busy";
            tracing::warn!(agent.id = %agent, "what agent `{agent}` holds could not be taken back at once: {fault}");
            ApiError::new("UNAVAILABLE", message)
        })?;
    }
    Ok(StatusCode::NO_CONTENT)
}

async fn may_change(call: &PersonCall, deed: TokenDeed, token: &TokenView) -> ApiResult<()> {
    let own = token.principal == call.caller.principal.id.as_str();
    let of = match token.principal.split_once(':') {
        Some(("agent", id)) => AgentId::parse(id).map_or(TokenOf::Service, TokenOf::Agent),
        Some(("service" | "host", _)) => TokenOf::Service,
        Some(_) | None => TokenOf::Person,
    };
    Ok(may_manage(call, deed, &of, own).await?)
}

/// A line of the audit stands before the deed: one without a deed is possible, a deed without one is not.
async fn written_down(call: &PersonCall, action: &str, id: &str, asked: &str) -> ApiResult<()> {
    let caller = &call.caller;
    let note = Note {
        at: call.hub.clock.now(),
        action: action.to_owned(),
        decision: Decision::Allowed,
        rule: Some(format!("scope {}", Scope::Admin)),
        who: caller.principal.id.to_string(),
        through: caller.surface.as_str().to_owned(),
        peer: caller.peer,
        request: Some(caller.request.clone()),
        target: Some(format!("token:{id}")),
        body: Some(Digested::of(asked)),
    };
    noted(&call.hub, note).await
}

impl Wanted {
    fn meant(self) -> ApiResult<NewToken> {
        match (self.agent, self.host, self.role, self.scope, self.name) {
            (Some(agent), None, None, None, None) if !self.service => {
                AgentId::parse(&agent).map(NewToken::Agent).map_err(|error| wrong("agent", &error.to_string()))
            }
            (None, Some(name), Some(role), None, None) if !self.service => {
                let role = RoleId::parse(&role).map_err(|error| wrong("role", &error.to_string()))?;
                Ok(NewToken::Host { name, role })
            }
            (None, None, None, Some(scope), Some(name)) => {
                Ok(NewToken::Named { name, scope: scope.into(), service: self.service })
            }
            (Some(_) | None, ..) => {
                Err(wrong("agent", "or else `host` and `role`, or `scope` and `name`, say whose token it is"))
            }
        }
    }
}

impl From<WantedScope> for Scope {
    fn from(scope: WantedScope) -> Self {
        match scope {
            WantedScope::View => Self::View,
            WantedScope::Operate => Self::Operate,
            WantedScope::Admin => Self::Admin,
        }
    }
}

impl Made {
    fn of(token: String, view: TokenView) -> Self {
        Self { token: Some(token), repeated: false, ..Self::again(view) }
    }

    /// Without its secret, which was told before.
    fn again(view: TokenView) -> Self {
        let TokenView { id, principal, scopes, created_at, expires_at, old_until: _, last_used: _, opened_by: _ } =
            view;
        Self { token: None, repeated: true, id, principal, scopes, created_at, expires_at }
    }
}

fn span(field: &str, text: &str) -> ApiResult<Duration> {
    humantime::parse_duration(text).map_err(|error| wrong(field, &format!("is no duration such as `24h`: {error}")))
}

fn wrong(field: &str, what: &str) -> ApiError {
    ApiError::new("INVALID_ARGUMENTS", format!("the body: `{field}` {what}")).detail("field", field)
}

/// A key that made a token which is not there: it is not made a second time, or who revoked it would be overruled.
fn gone() -> ApiError {
    let message = "the token of this Idempotency-Key is not there: it was revoked, or the hub was cut off before it \
                   was made; use a new key to make another";
    ApiError::new("TOKEN_NOT_FOUND", message)
}

fn api_error(error: TokenError) -> ApiError {
    match error {
        TokenError::Unknown(_) => ApiError::new("TOKEN_NOT_FOUND", error.to_string()),
        TokenError::Name(_) => ApiError::new("INVALID_ARGUMENTS", error.to_string()).detail("field", "name"),
        TokenError::File { .. } | TokenError::Unreadable { .. } | TokenError::Randomness(_) => {
            tracing::warn!("{error}");
            let message = "the tokens could not be written, and nothing changed: see the hub's log, make room on its \
                           disk, and repeat the call under a new Idempotency-Key";
            ApiError::new("UNAVAILABLE", message)
        }
    }
}
