//! `GET /admin/timers`: every armed deadline, earliest first.

use axum::Json;
use axum::extract::State;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::actors::HubRef;
use crate::actors::alarm::ArmedTimer;
use crate::transport::web::{ApiResult, List, Params, Route, Routes, page_request};

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct TimerParams {
    /// At most so many, 1 to 500; 100 when left out.
    limit: Option<usize>,
}

/// The rows of this file.
pub(super) fn routes() -> Routes {
    let row = Route::get::<List<ArmedTimer>>("/admin/timers", "every armed deadline, earliest first");
    Routes::new().add(row.query::<TimerParams>(), show)
}

async fn show(State(hub): State<HubRef>, Params(params): Params<TimerParams>) -> ApiResult<Json<List<ArmedTimer>>> {
    let limit = page_request(params.limit, None)?.limit;
    Ok(Json(List { items: hub.alarm.list(limit).await?, total: None, next_cursor: None }))
}
