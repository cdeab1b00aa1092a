//! The web server without a hub: JSON in, JSON out, or nothing at all.

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::routing::post;
use axum::{Json, Router};
use serde_json::{Value, json};

use super::writer::Writer;
use crate::measure::error::BenchError;

/// `POST /echo/{bytes}`, `POST /append` and `POST /park`. What appends keeps rows of `append_bytes` bytes in `dir`.
pub(super) fn router(dir: &std::path::Path, append_bytes: usize) -> Result<Router, BenchError> {
    let router = Router::new().route("/echo/{bytes}", post(echo)).route("/park", post(park));
    if append_bytes == 0 {
        return Ok(router);
    }
    let kept = (Writer::start(&dir.join("bare.db"))?, append_bytes);
    Ok(router.merge(Router::new().route("/append", post(append)).with_state(kept)))
}

/// Reads its JSON, keeps a row, and answers when that is durable.
async fn append(
    State((writer, bytes)): State<(Writer, usize)>,
    Json(_): Json<Value>,
) -> Result<Json<Value>, StatusCode> {
    writer.append(bytes).await.map_err(|_| StatusCode::INTERNAL_SERVER_ERROR)?;
    Ok(Json(json!({ "kept": true })))
}

/// Reads its JSON, and answers with JSON of about so many bytes.
async fn echo(Path(bytes): Path<usize>, Json(_): Json<Value>) -> Json<Value> {
    Json(json!({ "filler": "x".repeat(bytes.saturating_sub(13)) }))
}

/// A long poll to which nothing comes.
async fn park(Json(_): Json<Value>) -> Json<Value> {
    std::future::pending().await
}
