//! The web server without a hub: JSON in, JSON out, or nothing at all.

use axum::extract::Path;
use axum::routing::post;
use axum::{Json, Router};
use serde_json::{Value, json};

/// `POST /echo/{bytes}` and `POST /park`.
pub(super) fn router() -> Router {
    Router::new().route("/echo/{bytes}", post(echo)).route("/park", post(park))
}

/// Reads its JSON, and answers with JSON of about so many bytes.
async fn echo(Path(bytes): Path<usize>, Json(_): Json<Value>) -> Json<Value> {
    Json(json!({ "filler": "x".repeat(bytes.saturating_sub(13)) }))
}

/// A long poll to which nothing comes.
async fn park(Json(_): Json<Value>) -> Json<Value> {
    std::future::pending().await
}
