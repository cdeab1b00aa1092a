//! What a hub without the journal answers: 503 with the owner's address, never 404, on which clients give up.

use axum::Router;
use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use tokio::sync::watch;

use crate::domain::node::{NodeState, NodeView, TAKE_AFTER};
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
    let (owner, beats) = {
        let nodes = nodes.borrow();
        let owner = nodes.iter().find(|node| node.state == NodeState::Owner).cloned();
        let newest = nodes.iter().filter_map(|node| node.last_beat).max().unwrap_or_default();
        // By the clock of the database alone, which has counted both.
        let beats = owner.as_ref().and_then(|owner| owner.last_beat).is_some_and(|at| newest.since(at) < TAKE_AFTER);
        (owner, beats)
    };
    let mut error = not_owner(match &owner {
        Some(owner) => format!("the hub `{}` has the journal, and this one stands by", owner.name),
        None => "no hub has the journal at this moment: one that stands by takes it in some seconds".to_owned(),
    });
    if let Some(owner) = owner {
        if beats {
            error = error.detail("owner", owner.name);
        }
        if let Some(url) = owner.public_url {
            error = error.detail("publicUrl", url);
        }
    }
    error.of_request(ids.request()).into_response()
}

pub(super) fn not_owner(message: impl Into<String>) -> ApiError {
    ApiError::new("NOT_OWNER", message).retry_after(AGAIN_AFTER)
}
