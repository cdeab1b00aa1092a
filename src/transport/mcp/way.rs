//! How an answer leaves, with what must not get lost with it.

use std::sync::Arc;

use http::request::Parts;
use rmcp::RoleServer;
use rmcp::model::{CallToolResponse, ErrorData, MetaObject};
use rmcp::service::RequestContext;
use tokio_util::sync::CancellationToken;

use super::result;
use crate::actors::agent::AnswerGuard;
use crate::tools::{Refusal, Reply};
use crate::transport::web::Slot;

/// What an answer goes by.
pub(super) struct Way {
    slot: Option<Slot>,
    /// Fires when the client is gone; none where the call goes with its client.
    gone: Option<CancellationToken>,
}

impl Way {
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
    way: &Way,
) -> Result<CallToolResponse, ErrorData> {
    match outcome {
        Ok(mut reply) => {
            way.carries(reply.guard.take());
            Ok(result::success(reply, meta).into())
        }
        Err(refusal) if refusal.code == "UNKNOWN_TOOL" => Err(result::unknown_tool(&refusal)),
        Err(refusal) => {
            way.carries(refusal.guard.clone());
            Ok(result::refused(&refusal, meta).into())
        }
    }
}
