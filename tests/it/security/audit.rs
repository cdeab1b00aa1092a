//! What is written down of who was let do what, and what is seen of a hand that changed it.

use std::fs;

use serde_json::{Value, json};

use super::raw::Stage;
use crate::support::hub_process::{HubProcess, callboard};

fn verifies(stage: &Stage) -> (Option<i32>, String) {
    let output = callboard(stage.data_dir.path()).args(["audit", "verify"]).output().unwrap();
    let words = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8_lossy(&words).into_owned())
}

/// SEC-90: a line that was changed is named, and ends the check with 1.
#[test]
fn a_line_that_was_changed_is_named() {
    let stage = Stage::open();
    stage.token(&json!({ "scope": "view", "name": "ann" }));
    stage.token(&json!({ "scope": "view", "name": "eve" }));
    let (code, words) = verifies(&stage);
    assert_eq!(code, Some(0), "{words}");
    let file = stage.data_dir.path().join("audit.jsonl");
    let whole = fs::read_to_string(&file).unwrap();
    let line = whole.lines().position(|line| line.contains("token.create")).unwrap() + 1;
    fs::write(&file, whole.replacen("\"who\":\"operator\"", "\"who\":\"person:eve\"", 1)).unwrap();
    let (code, words) = verifies(&stage);
    assert_eq!(code, Some(1), "{words}");
    assert!(words.contains(&format!("line {line} of ")), "{words}");
}

/// Lines that are gone from the end are named: while no hub runs, after it has started, and until they are back.
#[test]
fn a_tail_that_was_cut_off_is_named_also_by_the_hub_that_goes_on_behind_it() {
    let data_dir = tempfile::TempDir::new().unwrap();
    let verifies = || {
        let output = callboard(data_dir.path()).args(["audit", "verify", "-o", "json"]).output().unwrap();
        let said: Value = serde_json::from_slice(&output.stdout).unwrap();
        (output.status.code(), said["findings"].to_string(), said["last"].as_u64().unwrap())
    };
    let hub = HubProcess::start(data_dir.path());
    for name in ["ann", "eve"] {
        assert_eq!(hub.post("/api/v1/tokens", &json!({ "scope": "view", "name": name })).0, 201);
    }
    assert!(hub.terminate().success());
    let (code, findings, last) = verifies();
    assert_eq!((code, findings.as_str()), (Some(0), "[]"));
    let file = data_dir.path().join("audit.jsonl");
    let whole = fs::read_to_string(&file).unwrap();
    let cut = whole.lines().position(|line| line.contains("token.create")).unwrap();
    let at = whole.match_indices('\n').nth(cut - 1).unwrap().0 + 1;
    fs::write(&file, &whole[..at]).unwrap();
    let gone = format!("lines {} to {last} are missing", cut + 1);
    let (code, findings, _) = verifies();
    assert!(code == Some(1) && findings.contains(&format!("{gone} at the end")), "{findings}");

    let hub = HubProcess::start(data_dir.path());
    let log = fs::read_to_string(data_dir.path().join("hub.log")).unwrap();
    assert!(log.contains("WARN") && log.contains("the audit was changed while nobody wrote it"), "{log}");
    let (code, findings, _) = verifies();
    assert!(code == Some(1) && findings.contains(&format!("{gone}, as line {} says", last + 1)), "{findings}");
    hub.kill();
    let after = fs::read_to_string(&file).unwrap();
    fs::write(&file, format!("{whole}{}", &after[at..])).unwrap();
    let (code, findings, _) = verifies();
    assert_eq!((code, findings.as_str()), (Some(0), "[]"), "found again, they fit");
}

/// SEC-91: each denial is one line, with who, what, the request and the rule.
#[test]
fn each_denial_is_one_line() {
    let stage = Stage::open();
    let view = stage.person("view");
    let agent = stage.agent("a1", "full-stack-engineer");
    let denied = [
        ("nonsense", "GET", "/api/v1/tasks", "UNAUTHENTICATED", "nobody"),
        (view.as_str(), "POST", "/api/v1/tasks", "INSUFFICIENT_SCOPE", "person:viewer"),
        (agent.as_str(), "GET", "/api/v1/agents", "INSUFFICIENT_SCOPE", "agent:a1"),
        (view.as_str(), "POST", "/mcp", "INSUFFICIENT_SCOPE", "person:viewer"),
    ];
    for (token, method, path, rule, who) in denied {
        let said = stage.asks(method, path, &[("Authorization", &format!("Bearer {token}"))], "");
        let request = said.json()["requestId"].as_str().unwrap().to_owned();
        let lines = stage.until_audited(&request);
        assert_eq!(lines.len(), 1, "{lines:?}");
        let line = &lines[0];
        let told = (&line["decision"], &line["rule"], &line["who"], &line["target"], &line["peer"]);
        let target = format!("{method} {path}");
        assert_eq!(told, (&json!("denied"), &json!(rule), &json!(who), &json!(target), &json!("127.0.0.1")));
    }
    // By a verb, over plain HTTP and over MCP: as many lines as attempts.
    let claims = json!({ "agentId": "other", "role": "designer", "capabilities": [] });
    stage.uses(&agent, "register_agent", &claims);
    stage.until_audited("IDENTITY_MISMATCH");
    let (_, said) = crate::support::plain_http::call_by_mcp(stage.port(), &agent, "register_agent", &claims).unwrap();
    assert_eq!(said["code"], "IDENTITY_MISMATCH", "{said}");
    while stage.audited("IDENTITY_MISMATCH").len() < 2 {
        crate::support::pause(10);
    }
    let lines = stage.audited("IDENTITY_MISMATCH");
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert!(lines.iter().all(|line| line["target"] == "register_agent" && line["action"] == "tool"), "{lines:?}");
    assert!(lines.iter().all(|line| line["peer"] == "127.0.0.1"), "{lines:?}");
    // What agents hand out in the course of their work is in the journal, with who and by which request.
    let handed_out = stage.uses(&agent, "assign_task", &json!({ "targetAgentId": "a1", "prompt": "work" }));
    let work = stage.hub.post("/api/v1/tasks", &json!({ "targetAgentId": "any", "prompt": "work" })).1;
    stage.until_audited(work["taskId"].as_str().unwrap());
    if let Some(task) = handed_out["taskId"].as_str() {
        assert_eq!(stage.audited(task), Vec::<Value>::new());
    }
}

#[test]
fn what_people_did_is_written_down_once_whatever_becomes_of_the_hub() {
    let stage = Stage::open();
    let adds = |stage: &Stage| {
        let task = stage.hub.post("/api/v1/tasks", &json!({ "targetAgentId": "any", "prompt": "work" })).1;
        let id = task["taskId"].as_str().unwrap().to_owned();
        assert_eq!(stage.hub.post(&format!("/api/v1/tasks/{id}/cancel"), &json!({})).0, 200);
        id
    };
    let both = |stage: &Stage, task: &str| {
        while stage.audited(task).len() < 2 {
            crate::support::pause(10);
        }
        stage.audited(task)
    };
    let first = adds(&stage);
    let lines = both(&stage, &first);
    for (line, action) in lines.iter().zip(["task.created", "task.cancelled"]) {
        let told = (&line["action"], &line["decision"], &line["who"], &line["through"], &line["peer"]);
        let meant = (&json!(action), &json!("allowed"), &json!("operator"), &json!("api"), &json!("127.0.0.1"));
        assert_eq!(told, meant, "{line}");
        assert!(line["request"].is_string() && line["body"]["sha256"].is_string(), "{line}");
    }
    // Killed at once: whether the line of the second one is there already or not, the next start has it once.
    let second = adds(&stage);
    let stage = stage.crashes_and_restarts();
    assert_eq!(both(&stage, &second).len(), 2);
    assert_eq!(stage.audited(&first).len(), 2);
    let (code, words) = verifies(&stage);
    assert_eq!(code, Some(0), "{words}");
}

#[test]
fn a_reload_is_written_down_and_so_is_a_token_that_was_made_without_a_hub() {
    let data_dir = tempfile::TempDir::new().unwrap();
    let made = callboard(data_dir.path()).args(["token", "create", "--agent", "a1", "-o", "json"]).output().unwrap();
    assert!(made.status.success());
    let made: Value = serde_json::from_slice(&made.stdout).unwrap();
    let audit = || fs::read_to_string(data_dir.path().join("audit.jsonl")).unwrap();
    let first: Value = serde_json::from_str(audit().lines().next().unwrap()).unwrap();
    assert_eq!(first["target"], format!("token:{}", made["id"].as_str().unwrap()));
    assert!(first["who"].as_str().unwrap().starts_with("user:"), "{first}");
    let hub = HubProcess::start(data_dir.path());
    hub.reads_its_settings();
    while !audit().contains("config.reload") {
        crate::support::pause(10);
    }
    assert!(hub.terminate().success());
    assert!(audit().contains("\"action\":\"hub.started\""), "{}", audit());
    let verified = callboard(data_dir.path()).args(["audit", "verify", "-o", "json"]).output().unwrap();
    assert!(verified.status.success(), "{}", String::from_utf8_lossy(&verified.stderr));
}

#[test]
fn no_token_is_made_of_which_no_line_can_be_written() {
    let stage = Stage::to_be_capped();
    stage.until_audited("hub.started");
    let size = fs::metadata(stage.data_dir.path().join("audit.jsonl")).unwrap().len();
    // A part of the line fits: it must not stay.
    stage.hub.caps_files(Some(size + 10));
    let (status, said) = stage.hub.post("/api/v1/tokens", &json!({ "scope": "view", "name": "ann" }));
    assert_eq!((status, &said["code"]), (503, &json!("UNAVAILABLE")), "{said}");
    stage.hub.caps_files(None);
    let tokens = stage.hub.get("/api/v1/tokens").1;
    assert_eq!(tokens["items"].as_array().map(Vec::len), Some(1), "{tokens}");
    stage.token(&json!({ "scope": "view", "name": "ann" }));
    let (code, words) = verifies(&stage);
    assert_eq!(code, Some(0), "{words}");
}
