//! `/admin/actors`: the supervision tree, one actor's picture of itself, and building one anew.

use axum::Json;
use axum::extract::State;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::actors::HubRef;
use crate::actors::common::ActorView;
use crate::tools::people::{RestartActor, actor_refused};
use crate::transport::web::{ApiResult, Params, Route, Routes, Segment, page_request};

/// How much of the tree.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct TreeParams {
    /// At most so many children of a kind, 1 to 500; 100 when left out.
    limit: Option<usize>,
}

/// The rows of this file.
pub(super) fn routes() -> Routes {
    let tree = Route::get::<ActorView>("/admin/actors", "the supervision tree").query::<TreeParams>();
    let one = Route::get::<ActorView>("/admin/actors/{id}", "one actor's picture of itself");
    Routes::new()
        .add(tree, show_tree)
        .add(one, show)
        .verb::<RestartActor>("/admin/actors/{id}/restart", "ends an actor and builds it anew from the journal")
}

async fn show_tree(State(hub): State<HubRef>, Params(params): Params<TreeParams>) -> ApiResult<Json<ActorView>> {
    let limit = page_request(params.limit, None)?.limit;
    Ok(Json(hub.supervisor.tree(limit).await?))
}

async fn show(State(hub): State<HubRef>, Segment(id): Segment) -> ApiResult<Json<ActorView>> {
    let actor_view = hub.supervisor.actor_view(&id).await?;
    actor_view.map(Json).map_err(|error| actor_refused(&error).into())
}
