//! How an answer leaves, with what must not get lost with it.

use std::sync::Arc;

use http::request::Parts;
use rmcp::RoleServer;
use rmcp::model::{CallToolResponse, ErrorData, MetaObject};
use rmcp::service::RequestContext;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::result;
use super::workflows::WORKFLOW;
use crate::tools::{AnswerGuard, Refusal, Reply};
use crate::transport::web::Slot;

/// How an answer reaches its client, and how its loss is noticed.
pub(super) struct ReplyPath {
    slot: Option<Slot>,
    /// Fires when the client is gone; none where the call goes with its client.
    gone: Option<CancellationToken>,
}

impl ReplyPath {
    /// Of a call that is dropped with its client.
    pub(super) const fn ends_with_the_call(slot: Slot) -> Self {
        Self { slot: Some(slot), gone: None }
    }

    /// Of the request that the library handles.
    pub(super) fn of(context: &RequestContext<RoleServer>) -> Self {
        let slot = context.extensions.get::<Parts>().and_then(|parts| parts.extensions.get::<Slot>());
        Self { slot: slot.cloned(), gone: Some(context.ct.clone()) }
    }

    /// The same of a call that goes on outside of the library, and is dropped with its client.
    pub(super) fn outside(context: &RequestContext<RoleServer>) -> Self {
        Self { gone: None, ..Self::of(context) }
    }

    /// What the answer carries goes back when it cannot be written out.
    pub(super) fn carries(&self, guard: Option<Arc<AnswerGuard>>) {
        let Some(guard) = guard else { return };
        if self.gone.as_ref().is_some_and(CancellationToken::is_cancelled) {
            guard.lost();
        } else if let Some(slot) = &self.slot {
            slot.put(guard);
        }
    }
}

/// What a verb came to, as MCP says it.
pub(super) fn answer(
    outcome: Result<Reply, Refusal>,
    meta: Option<MetaObject>,
    way: &ReplyPath,
) -> Result<CallToolResponse, ErrorData> {
    match outcome {
        Ok(mut reply) => {
            way.carries(reply.guard.take());
            let meta = with_workflow(meta, reply.workflow.take());
            Ok(result::success(reply, meta).into())
        }
        Err(refusal) if refusal.code == "UNKNOWN_TOOL" => Err(result::unknown_tool(&refusal)),
        Err(mut refusal) => {
            way.carries(refusal.guard.clone());
            let meta = with_workflow(meta, refusal.workflow.take());
            Ok(result::refused(&refusal, meta).into())
        }
    }
}

/// Beside the answer, what is told of the workflow that the call went on with.
fn with_workflow(meta: Option<MetaObject>, told: Option<Box<Value>>) -> Option<MetaObject> {
    let Some(told) = told else { return meta };
    let mut meta = meta.unwrap_or_default();
    meta.insert(WORKFLOW.to_owned(), *told);
    Some(meta)
}
