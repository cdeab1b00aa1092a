//! To whose trace a call belongs, as the log's lines say it: the caller's own, through every door, and into what the
//! call causes; and nothing of what is no trace.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::agent::Agent;
use crate::support::hub_process::HubProcess;
use crate::support::mcp_client::{McpClient, McpTransport};
use crate::support::{pause, plain_http};

/// A hub that says much, in this form.
fn hub(data_dir: &Path, config: &Path, format: &str) -> HubProcess {
    fs::write(config.join("hub.yaml"), format!("log:\n  level: debug\n  format: {format}\n")).unwrap();
    HubProcess::start_with(data_dir, &["--config", config.to_str().unwrap()])
}

fn log(data_dir: &TempDir) -> String {
    fs::read_to_string(data_dir.path().join("hub.log")).unwrap()
}

/// The line of which this is true, as soon as it is written.
fn line(data_dir: &TempDir, wanted: impl Fn(&Value) -> bool) -> Value {
    for _ in 0..2_000 {
        let found = log(data_dir).lines().filter_map(|line| serde_json::from_str(line).ok()).find(&wanted);
        if let Some(line) = found {
            return line;
        }
        pause(10);
    }
    panic!("no such line:\n{}", log(data_dir));
}

/// A trace of which this is the number.
fn parent(number: u8) -> (String, String) {
    let id = format!("4bf92f3577b34da6a3ce929d0e0e47{number:02x}");
    (format!("00-{id}-00f067aa0ba902b7-01"), id)
}

fn says(line: &Value, words: &str) -> bool {
    line["message"].as_str().is_some_and(|message| message.contains(words))
}

#[test]
fn a_callers_trace_is_in_the_lines_of_its_call_and_of_the_task_that_it_made() {
    let (data_dir, config) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let hub = hub(data_dir.path(), config.path(), "json");
    let lead = Agent::register(&hub, "lead-1", "project-manager");
    for (number, way) in (1..).zip(McpTransport::ALL) {
        let (traceparent, id) = parent(number);
        let about = json!({ "traceparent": traceparent, "tracestate": "vendor=a", "baggage": "user=ann,plan=gold" });
        let arguments = json!({ "targetAgentId": "any", "prompt": "Build it." });
        let mut client = McpClient::comes(&hub, lead.token(), way);
        let params = json!({ "name": "assign_task", "arguments": arguments, "_meta": about });
        let said = client.asks("tools/call", params);
        let task = said["result"]["structuredContent"]["taskId"].as_str().unwrap_or_else(|| panic!("{way:?}: {said}"));
        let call =
            line(&data_dir, |line| line["span"]["trace.id"] == id && says(line, "`assign_task` of `agent:lead-1`"));
        let span = &call["span"];
        let told = (&span["trace.parent"], &span["trace.state"], &span["trace.baggage"], &span["trace.sampled"]);
        assert_eq!(
            told,
            (&json!("00f067aa0ba902b7"), &json!("vendor=a"), &json!("user,plan"), &json!(true)),
            "{way:?}"
        );
        let moved = line(&data_dir, |line| line["task.id"] == task);
        assert_eq!(moved["span"]["trace.id"], id, "{way:?}: {moved}");
        assert_eq!(moved["span"]["request.id"], span["request.id"], "{way:?}");
    }
    assert!(!log(&data_dir).contains("gold"), "what baggage says is nobody's business");
}

#[test]
fn a_trace_comes_with_the_headers_of_plain_http_too() {
    let (data_dir, config) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let hub = hub(data_dir.path(), config.path(), "json");
    let token = hub.operator_token();
    let posts = |path: &str, number: u8, body: &Value| {
        let headers = format!("traceparent: {}\r\n", parent(number).0);
        plain_http::send_with(hub.port(), "POST", path, &token, &headers, body).unwrap().1
    };
    let order = json!({ "targetAgentId": "any", "prompt": "Build it." });
    let task = posts("/api/v1/tasks", 1, &order)["taskId"].as_str().unwrap().to_owned();
    posts(&format!("/api/v1/tasks/{task}/cancel"), 2, &json!({}));
    for (number, state) in [(1, "QUEUED"), (2, "CANCELLED")] {
        let moved = line(&data_dir, |line| line["task.id"] == *task && line["task.state"] == state);
        assert_eq!(moved["span"]["trace.id"], parent(number).1, "{moved}");
    }
    posts("/api/v1/nowhere", 3, &json!({}));
    let (status, _) = plain_http::send_with(
        hub.port(),
        "GET",
        "/api/v1/tasks",
        "nonsense",
        &format!("traceparent: {}\r\n", parent(4).0),
        &Value::Null,
    )
    .unwrap();
    assert_eq!(status, 401);
    line(&data_dir, |line| line["trace.id"] == parent(4).1 && says(line, "UNAUTHENTICATED"));
}

#[test]
fn what_is_no_trace_is_not_written_down_and_the_call_has_one_of_its_own() {
    let (data_dir, config) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let hub = hub(data_dir.path(), config.path(), "pretty");
    let lead = Agent::register(&hub, "lead-1", "project-manager");
    let evil = [
        json!("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01\n2026 ERROR callboard: HOSTILE"),
        json!("\u{1b}]0;HOSTILE\u{7}"),
        json!({ "HOSTILE": 1 }),
        json!("HOSTILE".repeat(1_000)),
    ];
    for way in McpTransport::ALL {
        let mut client = McpClient::comes(&hub, lead.token(), way);
        for text in &evil {
            let about = json!({ "traceparent": text, "tracestate": text, "baggage": text });
            let params = json!({ "name": "list_agents", "arguments": {}, "_meta": about });
            let said = client.asks("tools/call", params);
            assert_eq!(said["result"]["structuredContent"]["success"], true, "{way:?} {text}: {said}");
        }
    }
    assert!(hub.terminate().success());
    let log = log(&data_dir);
    assert!(!log.contains("HOSTILE") && !log.contains('\u{1b}'), "{log}");
    let calls: Vec<&str> = log.lines().filter(|line| line.contains("`list_agents` of")).collect();
    assert_eq!(calls.len(), evil.len() * McpTransport::ALL.len());
    let ids = calls.iter().map(|line| line.split("trace.id=").nth(1).and_then(|rest| rest.get(..32)));
    let mut ids: Vec<&str> = ids.collect::<Option<_>>().unwrap_or_else(|| panic!("{log}"));
    assert!(ids.iter().all(|id| id.bytes().all(|byte| byte.is_ascii_hexdigit())), "{ids:?}");
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), calls.len(), "each call has a trace of its own");
}
