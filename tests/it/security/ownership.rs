//! Somebody else's task, through every verb that names one and both doors that lead to it.

use serde_json::{Value, json};

use super::raw::{RawResponse, Stage, request};
use crate::support::plain_http;

const ENGINEER: &str = "full-stack-engineer";

/// Verbs about one task, and what they need beside its name.
fn verbs() -> [(&'static str, Value); 12] {
    [
        ("send_response", json!({ "status": "COMPLETED", "message": "mine" })),
        ("send_response", json!({ "status": "PROGRESS", "message": "mine" })),
        ("send_response", json!({ "status": "BLOCKED", "message": "mine", "blockedReason": "mine" })),
        ("update_progress", json!({ "message": "mine" })),
        ("ack_task", json!({})),
        ("get_task_context", json!({})),
        ("wait_for_task", json!({ "timeout": 1 })),
        ("cancel_task", json!({})),
        ("answer_task", json!({ "answer": "mine" })),
        ("submit_for_review", json!({ "pr_url": "https://forge.example/shop/pull/1" })),
        ("get_review_comments", json!({})),
        ("complete_task", json!({ "summary": "mine" })),
    ]
}

/// An answer to the byte, but for when it was made, the request's own name, and the task's.
fn told(said: &RawResponse, task: &str) -> (String, String) {
    let request = said.header("x-request-id").to_owned();
    let head: Vec<_> = said.head.lines().filter(|line| !line.starts_with("date: ")).collect();
    let body = said.body.replace(&request, "REQUEST").replace(task, "TASK");
    (head.join("\n").replace(&request, "REQUEST"), body)
}

/// SEC-22: another's task answers exactly like one that is not there, stays as it was, and the attempt is written down.
#[test]
fn somebody_elses_task_is_as_one_that_is_not_there() {
    let stage = Stage::open();
    let (first, second) = (stage.agent("a1", ENGINEER), stage.agent("a2", ENGINEER));
    let task = stage.hub.post("/api/v1/tasks", &json!({ "targetAgentId": "a1", "prompt": "work" })).1;
    let task = task["taskId"].as_str().unwrap();
    assert_eq!(stage.uses(&first, "wait_for_prompt", &json!({}))["taskId"], task);
    assert_eq!(stage.uses(&first, "ack_task", &json!({ "taskId": task }))["success"], true);
    let missing: String = task.chars().rev().collect();
    let everything =
        || (stage.hub.get(&format!("/api/v1/tasks/{task}")), stage.hub.get("/api/v1/snapshot").1["seq"].clone());
    let before = everything();
    assert_eq!(before.0.1["state"], "IN_PROGRESS");
    let host = format!("127.0.0.1:{}", stage.port());
    let bearer = format!("Bearer {second}");
    let headers = [("Host", host.as_str()), ("Authorization", &bearer), ("Content-Type", "application/json")];
    for (verb, more) in verbs() {
        let of = |id: &str| {
            let mut arguments = more.clone();
            arguments["taskId"] = json!(id);
            arguments
        };
        let plain = |id: &str| {
            let said = stage.sends(&request("POST", &format!("/api/v1/tools/{verb}"), &headers, &of(id).to_string()));
            assert_eq!((said.status, said.code().as_str()), (404, "TASK_NOT_FOUND"), "{verb}: {}", said.body);
            said
        };
        let mcp = |id: &str| {
            let said = stage.sends(&plain_http::call_of_mcp(stage.port(), &second, verb, &of(id)));
            let result = &said.json()["result"];
            let refused = (said.status, &result["isError"], &result["structuredContent"]["code"]);
            assert_eq!(refused, (200, &json!(true), &json!("TASK_NOT_FOUND")), "{verb}: {}", said.body);
            said
        };
        for (mine, none) in [(plain(task), plain(&missing)), (mcp(task), mcp(&missing))] {
            assert_eq!(told(&mine, task), told(&none, &missing), "{verb}");
            for said in [&mine, &none] {
                let lines = stage.until_audited(said.header("x-request-id"));
                assert_eq!(lines.len(), 1, "{verb}: {lines:?}");
                let line = ["decision", "rule", "who", "target"].map(|field| lines[0][field].clone());
                assert_eq!(line, ["denied", "TASK_NOT_FOUND", "agent:a2", verb], "{lines:?}");
            }
        }
    }
    assert_eq!(everything(), before, "neither the task nor anything else has changed");
    let done = json!({ "taskId": task, "status": "COMPLETED", "message": "done" });
    assert_eq!(stage.uses(&first, "send_response", &done)["success"], true, "its holder goes on");
}
