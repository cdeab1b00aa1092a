//! What `short` does, tried.

use rmcp::model::CallToolResponse;
use serde_json::{Map, json};

use super::*;
use crate::domain::agent::Notice;

fn reply(fields: Value, notices: Vec<Notice>, tells: bool) -> Reply {
    let fields = fields.as_object().cloned().unwrap_or_else(Map::new);
    let (message, prompt) = ("Said \"so\".\n".to_owned(), tells.then(|| "Go on.".to_owned()));
    Reply { message, prompt, fields, notices, tells, words: None, guard: None, workflow: None }
}

#[test]
fn an_answer_is_written_as_the_library_writes_it() {
    let from = json!({"kind": "api", "id": "x", "displayName": "X"});
    let notice = json!({"id": "n_00000001", "kind": "message", "from": from, "text": "hear", "taskId": null,
            "at": "2026-05-28T20:26:40.123Z"});
    let notice: Notice = serde_json::from_value(notice).expect("a notice");
    let fields = json!({"message": "its own", "success": false, "prompt": 7, "notices": [1], "a": {"b": [null]}});
    let leave = json!({"form": "permission", "behavior": "allow", "updatedInput": {"command": "make"}});
    let cases = [
        reply(leave, Vec::new(), false),
        reply(json!({}), Vec::new(), false),
        reply(json!({"a": 1}), Vec::new(), true),
        reply(fields.clone(), Vec::new(), true),
        reply(fields, vec![notice.clone()], true),
        reply(json!({}), vec![notice], false),
    ];
    for reply in cases {
        let ours: Value = serde_json::from_slice(&written(&RequestId::Number(3), &reply)).expect("JSON");
        let theirs = ServerResult::from(CallToolResponse::from(result::success(reply, Some(result::about_us()))));
        let theirs = result::message(RequestId::Number(3), Ok(theirs));
        let alone = ours["result"].get("structuredContent").is_none();
        assert_eq!(alone, ours["result"]["content"][0]["text"].as_str().is_some_and(|text| text.starts_with('{')));
        assert_eq!(ours, serde_json::from_slice::<Value>(&theirs).expect("JSON"));
    }
}
