//! What a verb answers, as MCP writes it: one place for success and refusal alike, and for the message around them.

use std::sync::LazyLock;

use bytes::Bytes;
use rmcp::RoleServer;
use rmcp::model::{
    CallToolResult, ContentBlock, CreateTaskResult, DetailedTask, ErrorData, GetTaskResult, Implementation, MetaObject,
    ProtocolVersion, RequestId, ServerJsonRpcMessage, ServerResult, Task,
};
use rmcp::service::RequestContext;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};

use crate::tools::{Refusal, Reply};

/// Under this key a result says who answers, to peers of the era that has no handshake.
const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";

pub(super) fn success(reply: Reply, meta: Option<MetaObject>) -> CallToolResult {
    let mut result = CallToolResult::success(vec![ContentBlock::text(reply.text())]);
    result.structured_content = (!reply.is_text_alone()).then(|| reply.into_structured());
    result.with_meta(meta)
}

/// The no of a verb: a result that the model reads, and not an error of the protocol.
pub(super) fn refused(refusal: &Refusal, meta: Option<MetaObject>) -> CallToolResult {
    let mut result = CallToolResult::error(vec![ContentBlock::text(refusal.text())]);
    result.structured_content = Some(refusal.structured());
    result.with_meta(meta)
}

/// A ticket, in place of an answer.
pub(super) fn later(task: Task, context: &RequestContext<RoleServer>) -> CreateTaskResult {
    let later = CreateTaskResult::new(task);
    match meta(context) {
        Some(meta) => later.with_meta(meta),
        None => later,
    }
}

pub(super) fn task(task: DetailedTask, meta: Option<MetaObject>) -> GetTaskResult {
    let mut result = GetTaskResult::new(task);
    result.meta = meta;
    result
}

/// An unknown tool is an error of the protocol.
pub(super) fn unknown_tool(refusal: &Refusal) -> ErrorData {
    let mut data = json!({"code": refusal.code});
    if let Value::Object(data) = &mut data {
        data.extend(refusal.details.clone());
    }
    ErrorData::invalid_params(refusal.message.clone(), Some(data))
}

/// Who answers: in `_meta` of every result to a peer of 2026-07-28 and later.
pub(super) fn meta(context: &RequestContext<RoleServer>) -> Option<MetaObject> {
    (!is_legacy(context)).then(about_us)
}

/// Who answers, to a peer of an era without a handshake.
pub(super) fn about_us() -> MetaObject {
    META.clone()
}

/// Whether the peer is of an era before 2026-07-28, or says nothing of its own.
pub(super) fn is_legacy(context: &RequestContext<RoleServer>) -> bool {
    context.protocol_version().is_none_or(|version| version.as_str() < ProtocolVersion::V_2026_07_28.as_str())
}

/// [`about_us`] as it is written.
pub(super) fn about_us_written() -> &'static RawValue {
    &WRITTEN
}

static WRITTEN: LazyLock<Box<RawValue>> =
    LazyLock::new(|| to_raw_value(&*META).unwrap_or_else(|_| RawValue::NULL.to_owned()));

static META: LazyLock<MetaObject> = LazyLock::new(|| {
    let mut meta = MetaObject::new();
    if let Ok(info) = serde_json::to_value(server_info()) {
        meta.insert(SERVER_INFO.to_owned(), info);
    }
    meta
});

pub(super) fn server_info() -> Implementation {
    Implementation::new("callboard", env!("CARGO_PKG_VERSION")).with_title("callboard")
}

pub(super) fn message(id: RequestId, outcome: Result<ServerResult, ErrorData>) -> Bytes {
    written(&match outcome {
        Ok(result) => ServerJsonRpcMessage::response(result, id),
        Err(error) => ServerJsonRpcMessage::error(error, Some(id)),
    })
}

/// The same, as the library writes it to a peer of a revision before 2026-07-28 where it is `legacy`.
pub(super) fn message_to(legacy: bool, id: RequestId, mut outcome: Result<ServerResult, ErrorData>) -> Bytes {
    if let (true, Ok(answer)) = (legacy, &mut outcome) {
        answer.strip_result_type_for_legacy_peer();
        answer.strip_non_object_output_for_legacy_peer();
    }
    message(id, outcome)
}

/// The message that refuses request `id`, or a text that has none.
pub(super) fn error_message(id: Option<RequestId>, error: ErrorData) -> Bytes {
    written(&ServerJsonRpcMessage::error(error, id))
}

pub(super) fn written(message: &ServerJsonRpcMessage) -> Bytes {
    // Whatever a verb answers was made as JSON before: this has no way to fail.
    serde_json::to_vec(message).unwrap_or_default().into()
}

#[cfg(test)]
mod tests;
