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
mod tests {
    use rstest::rstest;

    use super::*;

    fn asked(method: &str, params: Value) -> Option<Value> {
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string();
        rewritten(message.as_bytes()).map(|message| serde_json::from_slice(&message).expect("JSON"))
    }

    #[test]
    fn a_result_moves_to_where_the_library_keeps_it() {
        let modern = json!({VERSION: "2026-07-28"});
        let message = asked("tasks/cancel", json!({"taskId": "w_1", "result": [1], "_meta": modern})).expect("changed");
        assert_eq!(message["method"], "tasks/cancel");
        let meta = json!({VERSION: "2026-07-28", COMPLETE: {"result": [1]}});
        assert_eq!(message["params"], json!({"taskId": "w_1", "_meta": meta}));
        let both = json!({"taskId": "h_1", "result": 1, "_meta": {COMPLETE: {"result": 2}}});
        let message = asked("tasks/cancel", both).expect("changed");
        assert_eq!(message["params"]["_meta"][COMPLETE]["result"], 2, "what `_meta` says goes before");
        let escaped = br#"{"method":"tasks\/c\u0061ncel","params":{"taskId":"h_1","result":1}}"#;
        assert!(rewritten(escaped).is_some(), "however the method is written");
    }

    #[test]
    fn what_an_elder_era_asks_about_a_run_gets_a_name_of_ours_and_nothing_else_does() {
        let run = || json!({"taskId": "w_00000001"});
        assert_eq!(asked("tasks/get", run()).expect("changed")["method"], GET);
        assert_eq!(asked("tasks/cancel", run()).expect("changed")["method"], CANCEL);
        let elder = json!({"taskId": "w_00000001", "_meta": {VERSION: "2025-11-25"}});
        assert_eq!(asked("tasks/get", elder).expect("changed")["method"], GET);
        let modern = json!({"taskId": "w_00000001", "_meta": {VERSION: "2026-07-28"}});
        for (method, params) in [
            ("tasks/get", modern.clone()),
            ("tasks/cancel", modern),
            ("tasks/get", json!({"taskId": "h_00000001"})),
            ("tasks/get", json!({})),
            ("tasks/get", json!([])),
            ("tasks/result", run()),
            ("tools/call", json!({"name": "tasks/get", "taskId": "w_00000001", "result": 1})),
        ] {
            assert_eq!(asked(method, params.clone()), None, "{method} {params}");
        }
        assert_eq!(rewritten(b"no JSON"), None);
    }

    #[rstest]
    #[case::nothing(None, None)]
    #[case::null(Some(json!(null)), None)]
    #[case::null_in_it(Some(json!({"result": null})), None)]
    #[case::wrapped(Some(json!({"result": {"a": 1}})), Some(json!({"a": 1})))]
    #[case::as_it_is(Some(json!({"a": 1})), Some(json!({"a": 1})))]
    #[case::false_is_one(Some(json!({"result": false})), Some(json!(false)))]
    fn what_is_brought_is_read(#[case] brought: Option<Value>, #[case] wanted: Option<Value>) {
        assert_eq!(result_in(brought.as_ref()), wanted);
    }
}
