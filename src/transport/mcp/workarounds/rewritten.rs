//! Two kinds of requests are changed before the library reads them, since its types would lose what they say.
//!
//! - `tasks/cancel` with a `result`: the library knows no such field, drops it without a word, and what was to be
//!   completed would be cancelled. It moves into `_meta`, where any client may also put it.
//! - What a peer of an era before 2026-07-28 asks about a run of a workflow. The library knows the methods as those of
//!   the later era alone, and refuses the peer. They get names of our own.

use std::borrow::Cow;

use rmcp::model::ProtocolVersion;
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// Under this key `tasks/cancel` brings the result with which a run is completed, as `{"result": …}`.
pub(in crate::transport::mcp) const COMPLETE: &str = "dev.callboard/complete";

/// `tasks/get` of eras before 2026-07-28.
pub(in crate::transport::mcp) const GET: &str = "dev.callboard/tasks/get";

/// `tasks/cancel` of eras before 2026-07-28.
pub(in crate::transport::mcp) const CANCEL: &str = "dev.callboard/tasks/cancel";

const VERSION: &str = "io.modelcontextprotocol/protocolVersion";

/// Whether an id is one of a run of a workflow, and not a ticket's.
pub(in crate::transport::mcp) fn names_a_run(id: &str) -> bool {
    id.starts_with("w_")
}

/// The result that stands under [`COMPLETE`]; `null` is none. One that is not wrapped is taken as it is.
pub(in crate::transport::mcp) fn result_in(brought: Option<&Value>) -> Option<Value> {
    let brought = brought?;
    let wrapped = brought.as_object().filter(|fields| fields.len() == 1).and_then(|fields| fields.get("result"));
    Some(wrapped.unwrap_or(brought)).filter(|result| !result.is_null()).cloned()
}

/// The message as the library is to read it; none where that is as it came.
pub(in crate::transport::mcp) fn rewritten(message: &[u8]) -> Option<Vec<u8>> {
    #[derive(Deserialize)]
    struct MethodOnly<'a> {
        #[serde(borrow)]
        method: Cow<'a, str>,
    }
    let method = serde_json::from_slice::<MethodOnly<'_>>(message).ok()?.method.into_owned();
    let renamed = match method.as_str() {
        "tasks/get" => GET,
        "tasks/cancel" => CANCEL,
        _ => return None,
    };
    let mut message: Value = serde_json::from_slice(message).ok()?;
    let params = message.get_mut("params")?.as_object_mut()?;
    let moves = method == "tasks/cancel" && moves_result(params);
    let version = params.get("_meta").and_then(|meta| meta.get(VERSION)).and_then(Value::as_str);
    let legacy = version.is_none_or(|version| version < ProtocolVersion::V_2026_07_28.as_str());
    let renames = legacy && params.get("taskId").and_then(Value::as_str).is_some_and(names_a_run);
    if renames {
        message["method"] = json!(renamed);
    }
    (moves || renames).then(|| message.to_string().into_bytes())
}

/// Whether there was a result to move. What `_meta` says already goes before the field.
fn moves_result(params: &mut Map<String, Value>) -> bool {
    let Some(result) = params.remove("result") else { return false };
    let meta = params.entry("_meta").or_insert_with(|| json!({}));
    if let Some(meta) = meta.as_object_mut() {
        meta.entry(COMPLETE).or_insert_with(|| json!({"result": result}));
    }
    true
}

#[cfg(test)]
mod tests;
