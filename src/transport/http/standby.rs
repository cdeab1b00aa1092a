//! What a hub without the journal answers: 503 with the owner's address, never 404, on which clients give up.

use axum::Router;
use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use tokio::sync::watch;

use crate::domain::node::{NodeState, NodeView};
use crate::ids::Ids;
use crate::transport::web::ApiError;

/// After how many seconds to try again: a takeover lasts some.
const AGAIN_AFTER: u32 = 2;

type Nodes = watch::Receiver<Vec<NodeView>>;

pub fn standby(nodes: Nodes) -> Router {
    // The process is well, and whoever restarts it when it is not shall leave it alone.
    let live = || async { r#"{"status":"ok"}"# };
    Router::new().route("/healthz", get(live)).fallback(refuse).with_state((nodes, Ids::random()))
}

async fn refuse(State((nodes, ids)): State<(Nodes, Ids)>) -> Response {
    let owner = nodes.borrow().iter().find(|node| node.state == NodeState::Owner).cloned();
    let error = not_owner(match &owner {
        Some(owner) => format!("the hub `{}` has the journal, and this one stands by", owner.name),
        None => "no hub has the journal at this moment: one that stands by takes it in some seconds".to_owned(),
    });
    let error = match owner.and_then(|owner| owner.public_url) {
        Some(url) => error.detail("publicUrl", url),
        None => error,
    };
    error.of_request(ids.request()).into_response()
}

pub(super) fn not_owner(message: impl Into<String>) -> ApiError {
    ApiError::new("NOT_OWNER", message).retry_after(AGAIN_AFTER)
}
