//! A client that ends in the middle of a task: whoever looks is told at once, and as soon as it is back no more.

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::hub_process::HubProcess;
use crate::support::pause;
use crate::support::proxy_process::ProxyProcess;

/// Where people look, and what they see of the agent and its task: the agent, why, and the inbox.
fn seen(hub: &HubProcess, task: &str) -> (Value, String, String) {
    let (_, agent) = hub.post("/api/v1/tools/get_agent_status", &json!({ "agentId": "fullstack-1" }));
    let (_, why) = hub.get(&format!("/api/v1/tasks/{task}/why"));
    let (_, inbox) = hub.get("/api/v1/inbox");
    let items = inbox["items"].as_array().unwrap().iter();
    let reasons = items.filter(|item| item["taskId"] == task).map(|item| item["reason"].as_str().unwrap_or_default());
    (agent, why["summary"].as_str().unwrap_or_default().to_owned(), reasons.collect())
}

fn until(hub: &HubProcess, task: &str, is_so: impl Fn(&(Value, String, String)) -> bool) -> (Value, String, String) {
    // No faster than the hub lets one operator ask.
    for _ in 0..200 {
        let seen = seen(hub, task);
        if is_so(&seen) {
            return seen;
        }
        pause(100);
    }
    panic!("it never is so: {:?}", seen(hub, task));
}

#[test]
fn whoever_looks_is_told_at_once_that_a_client_ended_and_until_when_its_lease_goes_on() {
    let data_dir = TempDir::new().unwrap();
    let hub = HubProcess::start(data_dir.path());
    let mut proxy = ProxyProcess::introduced(&hub, "fullstack-1");
    let registered = proxy.uses("register_agent", &json!({ "agentId": "fullstack-1", "role": "full-stack-engineer" }));
    assert_eq!(registered["success"], true, "{registered}");
    let (_, body) = hub.post("/api/v1/tasks", &json!({ "targetAgentId": "fullstack-1", "prompt": "work" }));
    let task = body["taskId"].as_str().unwrap().to_owned();
    assert_eq!(proxy.uses("wait_for_prompt", &json!({}))["taskId"], task.as_str());
    assert_eq!(proxy.uses("ack_task", &json!({ "taskId": task }))["success"], true);
    let (agent, why, inbox) = seen(&hub, &task);
    assert_eq!((&agent["availability"], why.as_str()), (&json!("working"), "fullstack-1 works on it"));
    assert_eq!((&agent["note"], inbox.as_str()), (&Value::Null, ""));

    let (status, _) = proxy.input_ends();
    assert!(status.success());
    let (agent, why, inbox) = until(&hub, &task, |(agent, ..)| agent["availability"] == "offline");
    let note = agent["note"].as_str().unwrap_or_default().to_owned();
    for words in [&note, &why, &inbox] {
        assert!(words.contains("its client ended ") && words.contains(" s ago; lease until "), "{words}");
    }
    assert!(agent["message"].as_str().is_some_and(|message| message.contains(&note)), "{agent}");
    assert_eq!(agent["currentTasks"], json!([task]), "its lease goes on");

    let mut back = ProxyProcess::introduced(&hub, "fullstack-1");
    let (agent, why, inbox) = until(&hub, &task, |(agent, ..)| agent["availability"] == "working");
    assert_eq!((&agent["note"], why.as_str(), inbox.as_str()), (&Value::Null, "fullstack-1 works on it", ""));
    let done = back.uses("send_response", &json!({ "taskId": task, "status": "COMPLETED", "message": "done" }));
    assert_eq!(done["success"], true, "{done}");
}

#[test]
fn a_client_that_is_restarted_at_once_never_ended() {
    let data_dir = TempDir::new().unwrap();
    let hub = HubProcess::start(data_dir.path());
    let mut before = ProxyProcess::introduced(&hub, "fullstack-1");
    before.uses("register_agent", &json!({ "agentId": "fullstack-1", "role": "full-stack-engineer" }));
    let after = ProxyProcess::introduced(&hub, "fullstack-1");
    let (status, _) = before.input_ends();
    assert!(status.success());
    for _ in 0..20 {
        let (_, agent) = hub.post("/api/v1/tools/get_agent_status", &json!({ "agentId": "fullstack-1" }));
        assert_eq!((&agent["availability"], &agent["note"]), (&json!("working"), &Value::Null));
        pause(50);
    }
    drop(after);
}
