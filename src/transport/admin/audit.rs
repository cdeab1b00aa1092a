//! `GET /admin/audit`: who was let do what, and who was not, newest first.

use axum::Json;
use axum::extract::State;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::actors::HubRef;
use crate::audit::{AuditFilter, AuditItem, AuditPage};
use crate::domain::principal::Scope;
use crate::journal::ReadError;
use crate::transport::web::{ApiError, ApiResult, Params, Route, Routes, page_request};

/// Which lines, and how many of them.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
struct AuditParams {
    /// Of this action, as `token.create`, or of a family of them, as `token`.
    action: Option<String>,
    /// Of this principal, as `person:ada`.
    who: Option<String>,
    /// At most so many, 1 to 500; 100 when left out.
    limit: Option<usize>,
    /// `nextCursor` of the page before.
    cursor: Option<String>,
}

/// A page of the audit, newest first. A page with a filter may have few lines or none, and lead on all the same.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct AuditList {
    /// The lines, without the hashes that chain them.
    items: Vec<AuditItem>,
    /// Where the next page begins; absent on the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
    /// How many lines were left out since they do not fit their own hash: `callboard audit verify` names the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    damaged: Option<usize>,
}

/// The rows of this file.
pub(super) fn routes() -> Routes {
    let row = Route::get::<AuditList>("/admin/audit", "who was let do what, and who was not, newest first");
    Routes::new().add(row.query::<AuditParams>().needs(Scope::Admin), show)
}

async fn show(State(hub): State<HubRef>, Params(params): Params<AuditParams>) -> ApiResult<Json<AuditList>> {
    let page = page_request(params.limit, params.cursor)?;
    let no_cursor = |given: &String| ReadError::Cursor { given: given.chars().take(80).collect() };
    let read = |given: &String| given.parse().map_err(|_| no_cursor(given));
    let before = page.cursor.as_ref().map(read).transpose()?;
    let filter = AuditFilter { limit: page.limit, before, action: params.action, who: params.who };
    // A hub in memory keeps no audit.
    let Some(dir) = hub.audit.dir().map(ToOwned::to_owned) else {
        return Ok(Json(AuditList { items: Vec::new(), next_cursor: None, damaged: None }));
    };
    let read = tokio::task::spawn_blocking(move || AuditPage::read(&dir, &filter));
    let failed =
        |error: &dyn std::fmt::Display| ApiError::new("UNAVAILABLE", format!("failed to read the audit: {error}"));
    let AuditPage { items, next, damaged } =
        read.await.map_err(|error| failed(&error))?.map_err(|error| failed(&error))?;
    let damaged = Some(damaged).filter(|count| *count > 0);
    Ok(Json(AuditList { items, next_cursor: next.map(|before| before.to_string()), damaged }))
}
