//! Signs that nobody sees, by every way in that a text has: none of them comes as far as where texts are kept.

use std::fs;

use serde_json::{Value, json};

use super::raw::Stage;

const ENGINEER: &str = "full-stack-engineer";

/// Tags, a change of direction, a word to the terminal, a space without width, and bytes that end texts elsewhere.
const HIDDEN: &str =
    "build\u{e0041}\u{e0042} the \u{202e}gol\u{202c}\u{1b}]52;c;cHdu\u{7} page\u{200b}\u{2066}s\u{0}\u{9b}2J";

/// What is left of it.
const SEEN: &str = "build the gol pages";

/// Each of these would stand where something of it was kept, as it is or as JSON writes it.
const LEFT: [&str; 7] = ["\u{e0041}", "\u{202e}gol", "gol\u{202c}", "52;c;", "page\u{200b}", "\u{2066}s", "\\u001b"];

fn holds_none(what: &str, text: &str) {
    for left in LEFT {
        assert!(!text.contains(left), "{what} holds {left:?}: {text}");
    }
}

/// The same text by every verb and route that takes one; the task, and what an agent was told of it.
fn says_everywhere(stage: &Stage) -> (String, Value) {
    let (agent, _) = stage.token(&json!({ "agent": "a1" }));
    let other = stage.agent("a2", "orchestrator");
    let uses = |token: &str, verb: &str, arguments: &Value| {
        let said = stage.uses(token, verb, arguments);
        assert_eq!(said["success"], true, "{verb}: {said}");
        holds_none(verb, &said.to_string());
        said
    };
    let known = json!({ "agentId": "a1", "role": ENGINEER, "displayName": HIDDEN, "capabilities": [] });
    let session = uses(&agent, "register_agent", &known)["sessionId"].clone();
    let work = json!({
        "targetAgentId": "a1", "prompt": HIDDEN, "title": HIDDEN, "context": { "why": HIDDEN }, "spec": HIDDEN,
    });
    let (status, made) = stage.hub.post("/api/v1/tasks", &work);
    assert_eq!(status, 201, "{made}");
    let task = made["taskId"].as_str().unwrap().to_owned();
    let offered = uses(&agent, "wait_for_prompt", &json!({}));
    let order = |what: &str, body: &Value| {
        let (status, said) = stage.hub.post(&format!("/api/v1/tasks/{task}/{what}"), body);
        assert!((200..300).contains(&status), "{what}: {said}");
    };
    uses(&agent, "update_progress", &json!({ "taskId": task, "message": HIDDEN, "phase": HIDDEN }));
    order("comments", &json!({ "text": HIDDEN }));
    uses(&other, "send_message", &json!({ "to": "a1", "text": HIDDEN }));
    let words = json!({ "status": "working", "message": HIDDEN, "details": { "phase": HIDDEN, "progress": HIDDEN } });
    uses(&agent, "update_status", &words);
    let tracked = json!({
        "session_id": session, "prompt_text": format!("{HIDDEN}?"), "input_text": HIDDEN, "success": true,
        "input_source": "user_typed",
    });
    assert_eq!(stage.uses(&agent, "track_input_event", &tracked)["recorded"], true);
    let question = json!({
        "question": HIDDEN, "options": [HIDDEN, "no"], "default_action": "no", "wait_seconds": 0,
    });
    let asked = uses(&agent, "request_input", &question);
    let answer = format!("/api/v1/questions/{}/answer", asked["question_id"].as_str().unwrap());
    let (status, said) = stage.hub.post(&answer, &json!({ "value": SEEN }));
    assert_eq!(status, 200, "an option is what is seen of it: {said}");
    uses(&agent, "mark_blocked", &json!({ "reason": HIDDEN, "blockers": [HIDDEN] }));
    let done = json!({
        "taskId": task, "status": "COMPLETED", "message": HIDDEN,
        "artifacts": [HIDDEN, { "kind": "other", "text": HIDDEN, "title": HIDDEN }],
    });
    uses(&agent, "send_response", &done);
    (task, offered)
}

/// SEC-53: what is not seen is not kept.
#[test]
fn signs_that_nobody_sees_are_taken_out_on_the_way_in() {
    let stage = Stage::open();
    let (task, offered) = says_everywhere(&stage);
    assert_eq!(offered["prompt"], SEEN, "{offered}");
    let shown = stage.hub.get(&format!("/api/v1/tasks/{task}")).1;
    for field in ["prompt", "title"] {
        assert_eq!(shown[field], SEEN, "{shown}");
    }
    assert_eq!(shown["context"]["why"], SEEN, "{shown}");
    let paths = ["/api/v1/snapshot", "/api/v1/questions?state=all", "/api/v1/patterns", "/admin/actors"];
    for path in paths.into_iter().chain([format!("/api/v1/tasks/{task}").as_str()]) {
        let (status, said) = stage.hub.get(path);
        assert_eq!(status, 200, "{path}: {said}");
        holds_none(path, &said.to_string());
    }
    let mut kept = 0;
    for name in ["callboard.db", "callboard.db-wal", "callboard-search.db", "audit.jsonl", "hub.log"] {
        let bytes = fs::read(stage.data_dir.path().join(name)).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        kept += text.matches(SEEN).count();
        for left in LEFT {
            assert!(!text.contains(left), "{name} holds {left:?}");
        }
    }
    assert!(kept >= 15, "each of the texts is kept: {kept}");
}
