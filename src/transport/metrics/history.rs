//! `GET /api/v1/metrics/history`: the figures of `/metrics` over the last hour or day.

use axum::Json;
use axum::extract::State;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::actors::HubRef;
use crate::actors::common::{HistorySpan, HistoryView};
use crate::domain::time::Timestamp;
use crate::transport::web::{Params, Route, Routes};

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct HistoryParams {
    /// How far back; an hour when nothing is said.
    span: HistorySpan,
    /// Only samples that are newer than this.
    #[schemars(with = "Option<String>")]
    after: Option<Timestamp>,
}

/// The rows of this file.
pub(super) fn routes() -> Routes {
    let read = Route::get::<HistoryView>(
        "/api/v1/metrics/history",
        "the figures of `/metrics` since the hub's start, for the last hour or day",
    );
    Routes::new().add(read.query::<HistoryParams>(), show)
}

async fn show(State(hub): State<HubRef>, Params(params): Params<HistoryParams>) -> Json<HistoryView> {
    Json(hub.counters.history.view(params.span, params.after))
}
