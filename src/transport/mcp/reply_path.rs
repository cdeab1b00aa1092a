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

/// How an answer reaches its client, in which form, and how its loss is noticed.
pub(super) struct ReplyPath {
    /// The client speaks a revision before 2026-07-28.
    legacy: bool,
    slot: Option<Slot>,
    /// Fires when the client is gone; none where the call goes with its client.
    gone: Option<CancellationToken>,
}

impl ReplyPath {
    /// Of a call of 2026-07-28 that is dropped with its client.
    pub(super) const fn ends_with_the_call(slot: Slot) -> Self {
        Self { legacy: false, slot: Some(slot), gone: None }
    }

    /// Of the request that the library handles.
    pub(super) fn of(context: &RequestContext<RoleServer>) -> Self {
        let slot = context.extensions.get::<Parts>().and_then(|parts| parts.extensions.get::<Slot>());
        Self { legacy: result::is_legacy(context), slot: slot.cloned(), gone: Some(context.ct.clone()) }
    }

    /// The same of a call that goes on outside of the library, and is dropped with its client.
    pub(super) fn outside(self) -> Self {
        Self { gone: None, ..self }
    }

    pub(super) const fn is_legacy(&self) -> bool {
        self.legacy
    }

    /// Who answers, as [`result::meta`] has it.
    pub(super) fn meta(&self) -> Option<MetaObject> {
        (!self.legacy).then(result::about_us)
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

    /// What a verb came to, as MCP says it: the answer to every call of a tool, however it was read.
    pub(super) fn answer(&self, outcome: Result<Reply, Refusal>) -> Result<CallToolResponse, ErrorData> {
        match outcome {
            Ok(mut reply) => {
                self.carries(reply.guard.take());
                let meta = with_workflow(self.meta(), reply.workflow.take());
                Ok(result::success(reply, meta).into())
            }
            Err(refusal) if refusal.code == "UNKNOWN_TOOL" => Err(result::unknown_tool(&refusal)),
            Err(mut refusal) => {
                self.carries(refusal.guard.clone());
                let meta = with_workflow(self.meta(), refusal.workflow.take());
                Ok(result::refused(&refusal, meta).into())
            }
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
