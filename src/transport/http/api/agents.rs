//! `/api/v1/agents`: who is there, and sending somebody away.

use axum::Json;
use axum::extract::State;
use http::HeaderMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::actors::HubRef;
use crate::actors::agent::{AgentError, EvictRequest};
use crate::actors::dispatcher::AgentLine;
use crate::domain::agent::{AgentRefusal, AgentView, Availability, Eviction, EvictionAction};
use crate::domain::ids::AgentId;
use crate::domain::permission::{Deed, Whose};
use crate::domain::text::clean;
use crate::tools::{blame, permit};
use crate::transport::web::{ApiError, JsonBody, List, Params, Route, Routes, Segment, Who, page_request};

/// The longest reason, in bytes.
const REASON: usize = 4 * 1024;

/// Which agents, and how many of them.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct AgentParams {
    /// Of this role, by any of its names.
    #[serde(default)]
    role: Option<String>,
    /// Doing this.
    #[serde(default)]
    availability: Option<Availability>,
    /// At most so many, 1 to 500; 100 when left out.
    #[serde(default)]
    limit: Option<usize>,
    /// `nextCursor` of the page before.
    #[serde(default)]
    cursor: Option<String>,
}

/// An order to go away.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Evict {
    /// What the agent is to do.
    action: EvictionAction,
    /// Why; it reads this.
    reason: String,
}

/// Who was sent away, and how.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Evicted {
    /// Who.
    agent_id: String,
    /// What it is to do.
    action: EvictionAction,
    /// Why.
    reason: String,
}

/// The rows of this file.
pub(super) fn routes() -> Routes {
    let list = Route::get::<List<AgentView>>("/api/v1/agents", "agents, by id").query::<AgentParams>();
    let one = Route::get::<AgentView>("/api/v1/agents/{id}", "an agent");
    let evict = Route::post::<Evict, Evicted>(
        "/api/v1/agents/{id}/evict",
        "sends an agent away; whatever it holds goes back at once",
    );
    Routes::new().add(list, read_list).add(one, show).add(evict, send_away)
}

async fn read_list(
    State(hub): State<HubRef>,
    Params(params): Params<AgentParams>,
) -> Result<Json<List<AgentView>>, ApiError> {
    let page = page_request(params.limit, params.cursor)?;
    let role = params.role.as_deref().map(|name| hub.settings().roles.id_of(name));
    let meant = |agent: &AgentView| {
        role.as_ref().is_none_or(|role| agent.role.as_ref() == Some(role))
            && params.availability.is_none_or(|wanted| agent.availability == wanted)
    };
    let agents = hub.agent_views().await?.into_iter().filter(meant).collect();
    Ok(Json(List::page_of(agents, &page, |agent| &agent.agent_id)))
}

async fn show(State(hub): State<HubRef>, Segment(id): Segment) -> Result<Json<AgentView>, ApiError> {
    let line = find(&hub, &id).await?;
    let standing = line.agent.show().await?;
    if standing.agent.registration.is_none() {
        return Err(unknown(&id));
    }
    Ok(Json(AgentView { queued: line.queued, ..standing.view }))
}

async fn send_away(
    State(hub): State<HubRef>,
    who: Who,
    Segment(id): Segment,
    headers: HeaderMap,
    JsonBody(body): JsonBody<Evict>,
) -> Result<Json<Evicted>, ApiError> {
    let reason = clean(&body.reason, REASON).text;
    if reason.trim().is_empty() {
        let message = "the body: `reason` must not be empty: the agent reads it";
        return Err(ApiError::new("INVALID_ARGUMENTS", message).detail("field", "reason"));
    }
    let line = find(&hub, &id).await?;
    let whose = Whose::Agent { agent: line.id.clone(), role: None };
    permit::person(&hub, &who.principal, Deed::EvictAgent, whose).await?;
    let key = who.key(&headers, &["evict", &id, &json!(body).to_string()])?;
    let eviction = Eviction { action: body.action, reason, for_good: false };
    let request = EvictRequest { eviction, by: who.by(), request: Some(who.request.id.clone()), key };
    match line.agent.evict_once(request).await {
        Ok(Eviction { action, reason, for_good: _ }) => {
            Ok(Json(Evicted { agent_id: line.id.to_string(), action, reason }))
        }
        Err(AgentError::Refused(AgentRefusal::NotRegistered { .. })) => Err(unknown(&id)),
        Err(error) => Err(blame::agent(&line.id, error).into()),
    }
}

async fn find(hub: &HubRef, given: &str) -> Result<AgentLine, ApiError> {
    let id = AgentId::parse(given).map_err(|_| unknown(given))?;
    hub.dispatcher.agent(&id).await?.ok_or_else(|| unknown(given))
}

fn unknown(given: &str) -> ApiError {
    let given: String = given.chars().filter(|c| !c.is_control()).take(64).collect();
    ApiError::new("AGENT_NOT_FOUND", format!("no agent `{given}` is registered"))
}
