//! `/admin/actors`: the supervision tree, one actor's picture of itself, and building one anew.

use axum::Json;
use axum::extract::State;
use http::HeaderMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::actors::HubRef;
use crate::actors::common::Portrait;
use crate::actors::supervisor::TreeError;
use crate::domain::ids::SessionId;
use crate::domain::permission::{Deed, Whose};
use crate::domain::principal::Scope;
use crate::journal::Stream;
use crate::tools::permit;
use crate::transport::web::{ApiError, JsonBody, Params, Route, Routes, Segment, Who, page_request};

/// How much of the tree.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct TreeParams {
    /// At most so many children of a kind, 1 to 500; 100 when left out.
    #[serde(default)]
    limit: Option<usize>,
}

/// Nothing more is to be said.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Plain {}

/// Who was built anew.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct Restarted {
    /// Its name.
    id: String,
    /// Always true.
    restarted: bool,
}

/// The rows of this file.
pub(super) fn routes() -> Routes {
    let tree = Route::get::<Portrait>("/admin/actors", "the supervision tree").query::<TreeParams>();
    let one = Route::get::<Portrait>("/admin/actors/{id}", "one actor's picture of itself");
    let restart = Route::post::<Plain, Restarted>(
        "/admin/actors/{id}/restart",
        "ends an actor and builds it anew from the journal",
    );
    Routes::new().add(tree, show_tree).add(one, show).add(restart.needs(Scope::Admin), build_anew)
}

async fn show_tree(State(hub): State<HubRef>, Params(params): Params<TreeParams>) -> Result<Json<Portrait>, ApiError> {
    let limit = page_request(params.limit, None)?.limit;
    Ok(Json(hub.supervisor.tree(limit).await?))
}

async fn show(State(hub): State<HubRef>, Segment(id): Segment) -> Result<Json<Portrait>, ApiError> {
    hub.supervisor.portrait(&id).await?.map(Json).map_err(no)
}

async fn build_anew(
    State(hub): State<HubRef>,
    who: Who,
    Segment(id): Segment,
    headers: HeaderMap,
    JsonBody(Plain {}): JsonBody<Plain>,
) -> Result<Json<Restarted>, ApiError> {
    let whose = whose(&hub, &id).await?;
    permit::person(&hub, &who.principal, Deed::RestartActor, whose).await?;
    let asked = ["restart", id.as_str()];
    if who.recalled(&hub, &headers, &asked).await?.is_none() {
        hub.supervisor.restart(&id).await?.map_err(no)?;
        // Afterwards: were the hub cut off in between, every actor would be built anew by that.
        who.claim(&hub, &headers, &asked, Value::Null).await?;
    }
    Ok(Json(Restarted { id, restarted: true }))
}

/// Whose an actor is. What is not one agent's is everybody's.
async fn whose(hub: &HubRef, actor: &str) -> Result<Whose, ApiError> {
    Ok(match Stream::parse(actor) {
        Some(Stream::Agent(agent)) => Whose::Agent { agent, role: None },
        Some(Stream::Task(id)) => hub.task(&id).await?.map_or(Whose::Everybody, |task| Whose::of_task(&task)),
        Some(Stream::Session(id)) => of_session(hub, id).await?,
        Some(Stream::Terminal(id)) => match id.session() {
            Some(session) => of_session(hub, session).await?,
            None => Whose::Everybody,
        },
        Some(Stream::Hub) | None => Whose::Everybody,
    })
}

async fn of_session(hub: &HubRef, id: SessionId) -> Result<Whose, ApiError> {
    let session = hub.journal.read(move |reader| reader.session(&id)).await?;
    Ok(session.map_or(Whose::Everybody, |session| Whose::Agent { agent: session.agent, role: None }))
}

fn no(error: TreeError) -> ApiError {
    let code = match error {
        TreeError::Unknown(_) => "ACTOR_NOT_FOUND",
        TreeError::Silent(_) => "UNAVAILABLE",
        TreeError::NotRestartable(_) => "ACTOR_NOT_RESTARTABLE",
    };
    ApiError::new(code, error.to_string())
}
