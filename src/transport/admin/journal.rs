//! `GET /admin/journal`: the journal's position, its batches and how long they took.

use axum::Json;
use axum::extract::State;

use crate::actors::HubRef;
use crate::actors::journal::JournalView;
use crate::transport::web::{ApiError, ApiResult, Route, Routes};

/// The rows of this file.
pub(super) fn routes() -> Routes {
    Routes::new().add(Route::get::<JournalView>("/admin/journal", "the journal's picture of itself"), show)
}

async fn show(State(hub): State<HubRef>) -> ApiResult<Json<JournalView>> {
    let view = hub.journal.view().await;
    view.map(Json).map_err(|error| ApiError::new("UNAVAILABLE", error.to_string()))
}
