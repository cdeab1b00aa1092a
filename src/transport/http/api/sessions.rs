//! `/api/v1/sessions`: the agents' working contexts.

use axum::Json;
use axum::extract::State;
use futures_util::future::join_all;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::actors::HubRef;
use crate::actors::common::Fault;
use crate::actors::session::SessionView;
use crate::domain::ids::SessionId;
use crate::transport::web::{ApiError, List, Params, Route, Routes, Segment, page_request};

/// Which sessions, and how many of them.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct SessionParams {
    /// Of this agent.
    #[serde(default)]
    agent: Option<String>,
    /// At most so many, 1 to 500; 100 when left out.
    #[serde(default)]
    limit: Option<usize>,
    /// `nextCursor` of the page before.
    #[serde(default)]
    cursor: Option<String>,
}

/// The rows of this file.
pub(super) fn routes() -> Routes {
    let list = Route::get::<List<SessionView>>("/api/v1/sessions", "sessions, by id").query::<SessionParams>();
    let one = Route::get::<SessionView>("/api/v1/sessions/{id}", "a session");
    Routes::new().add(list, read_list).add(one, show)
}

/// Every session, by id.
pub(super) async fn all(hub: &HubRef) -> Result<Vec<SessionView>, Fault> {
    let lines = hub.supervisor.sessions().await?;
    // Who is being built anew just now is left out rather than shown wrongly.
    let views = join_all(lines.iter().map(async |line| line.view().await.ok())).await;
    Ok(views.into_iter().flatten().collect())
}

async fn read_list(
    State(hub): State<HubRef>,
    Params(params): Params<SessionParams>,
) -> Result<Json<List<SessionView>>, ApiError> {
    let page = page_request(params.limit, params.cursor)?;
    let mut sessions = all(&hub).await?;
    sessions.retain(|session| params.agent.as_ref().is_none_or(|agent| session.agent_id == *agent));
    sessions.sort_by(|one, other| one.session_id.cmp(&other.session_id));
    Ok(Json(List::page_of(sessions, &page, |session| &session.session_id)))
}

async fn show(State(hub): State<HubRef>, Segment(id): Segment) -> Result<Json<SessionView>, ApiError> {
    let unknown = || ApiError::new("SESSION_NOT_FOUND", "that session does not exist, or is not yours");
    let id = SessionId::parse(&id).map_err(|_| unknown())?;
    let line = hub.supervisor.session(&id).await?.ok_or_else(unknown)?;
    Ok(Json(line.view().await?))
}
