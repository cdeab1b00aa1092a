//! `GET /admin/nodes`: the hubs on one database, and which of them has the journal.

use axum::Json;
use axum::extract::State;

use crate::actors::HubRef;
use crate::domain::node::NodeView;
use crate::transport::web::{List, Route, Routes};

/// The rows of this file.
pub(super) fn routes() -> Routes {
    let summary = "the hubs on one database, and which of them has the journal; none where one is alone";
    Routes::new().add(Route::get::<List<NodeView>>("/admin/nodes", summary), show)
}

async fn show(State(hub): State<HubRef>) -> Json<List<NodeView>> {
    Json(List::whole(hub.ownership.nodes()))
}
