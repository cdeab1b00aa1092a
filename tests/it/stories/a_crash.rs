//! A crash: the hub is killed with SIGKILL between two calls, and started again on the same data.

use std::fs;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::agent::Agent;
use crate::support::hub_process::HubProcess;

#[test]
fn an_acknowledged_task_survives_a_crash_and_is_handed_out_after_it() {
    let data_dir = TempDir::new().unwrap();
    let hub = HubProcess::start(data_dir.path());
    let agent = Agent::register(&hub, "fullstack-1", "full-stack-engineer");
    let task = ask(&hub, "fullstack-1", "implement login");
    hub.kill();

    let hub = HubProcess::start(data_dir.path());
    let offer = agent.calls(&hub, "wait_for_prompt", &json!({ "timeout": 10 }));
    assert_eq!(offer["taskId"], task);
    assert_eq!(offer["prompt"], "implement login");
}

#[test]
fn a_lease_goes_on_after_a_crash_and_its_holder_may_still_report() {
    let data_dir = TempDir::new().unwrap();
    let hub = HubProcess::start(data_dir.path());
    let agent = Agent::register(&hub, "fullstack-1", "full-stack-engineer");
    let task = ask(&hub, "fullstack-1", "implement login");
    let offer = agent.calls(&hub, "wait_for_prompt", &json!({ "timeout": 10 }));
    let epoch = offer["leaseEpoch"].clone();
    agent.calls(&hub, "ack_task", &json!({ "taskId": task, "leaseEpoch": epoch }));
    hub.kill();

    let hub = HubProcess::start(data_dir.path());
    assert_eq!(state(&hub, &task), "IN_PROGRESS");
    let report = json!({ "taskId": task, "status": "COMPLETED", "message": "done", "leaseEpoch": epoch });
    agent.calls(&hub, "send_response", &report);
    assert_eq!(state(&hub, &task), "COMPLETED");
    agent.calls(&hub, "send_response", &report);
    assert_eq!(hub.terminate().code(), Some(0));
}

#[test]
fn a_repeated_request_after_a_crash_creates_no_second_task() {
    let data_dir = TempDir::new().unwrap();
    let body = json!({ "targetAgentId": "role:full-stack-engineer", "prompt": "once", "idempotencyKey": "login-1" });
    let hub = HubProcess::start(data_dir.path());
    let (_, first) = hub.post("/api/v1/tasks", &body);
    hub.kill();

    let hub = HubProcess::start(data_dir.path());
    let (_, second) = hub.post("/api/v1/tasks", &body);
    assert!(first["taskId"].is_string(), "{first}");
    assert_eq!(first["taskId"], second["taskId"]);
    assert_eq!(hub.get("/api/v1/tasks").1["items"].as_array().unwrap().len(), 1);
}

#[test]
fn a_hub_with_far_more_open_tasks_than_a_mailbox_holds_starts_again_and_answers_at_once() {
    let (data_dir, config) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let start_with = |limits: &str| {
        fs::write(config.path().join("hub.yaml"), format!("limits: {limits}\n")).unwrap();
        HubProcess::start_with(data_dir.path(), &["--config", config.path().to_str().unwrap()])
    };
    let hub = start_with("{requestsPerSecond: 100000, burst: 100000}");
    let agent = Agent::register(&hub, "fullstack-1", "full-stack-engineer");
    for number in 0..400 {
        ask(&hub, "any", &number.to_string());
    }
    hub.kill();

    // Whether its own people find the mailbox full is a race: one of a few starts would lose it.
    for _ in 0..4 {
        start_with("{mailbox: 4}").kill();
    }
    let hub = start_with("{mailbox: 4}");
    let offer = agent.calls(&hub, "wait_for_prompt", &json!({ "timeout": 10 }));
    assert_eq!(offer["prompt"], "0");
}

fn ask(hub: &HubProcess, target: &str, prompt: &str) -> String {
    let (status, body) = hub.post("/api/v1/tasks", &json!({ "targetAgentId": target, "prompt": prompt }));
    assert!((200..300).contains(&status), "{status}: {body}");
    body["taskId"].as_str().unwrap().to_owned()
}

fn state(hub: &HubProcess, task: &str) -> Value {
    hub.get(&format!("/api/v1/tasks/{task}")).1["state"].clone()
}
