//! A task that somebody looks on, and another who comes later: both are shown the same.

use std::process::{Output, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::agent::Agent;
use crate::support::hub_process::HubProcess;

#[test]
fn what_is_shown_while_it_happens_is_shown_to_who_comes_later() {
    let data_dir = TempDir::new().unwrap();
    let hub = HubProcess::start(data_dir.path());
    let agent = Agent::register(&hub, "fullstack-1", "full-stack-engineer");
    let task = hub.post("/api/v1/tasks", &json!({ "targetAgentId": "fullstack-1", "prompt": "work" })).1;
    let task = task["taskId"].as_str().unwrap();
    let mut looks_on = hub.command(&["task", "follow", task, "-o", "json"]);
    let looks_on = looks_on.stdout(Stdio::piped()).spawn().unwrap();
    agent.calls(&hub, "wait_for_prompt", &json!({ "timeout": 10 }));
    agent.calls(&hub, "update_progress", &json!({ "taskId": task, "message": "half of it" }));
    let ask = json!({ "question": "Which one?", "default_action": "the old one", "wait_seconds": 0 });
    let asked = agent.calls(&hub, "request_input", &ask);
    let question = asked["question_id"].as_str().unwrap();
    assert!(hub.command(&["question", "answer", question, "the new one"]).output().unwrap().status.success());
    let said = hub.command(&["task", "comment", task, "well done"]).output().unwrap();
    assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
    agent.calls(&hub, "send_response", &json!({ "taskId": task, "status": "COMPLETED", "message": "done" }));

    let live = shown(&looks_on.wait_with_output().unwrap());
    let later = shown(&hub.command(&["task", "follow", task, "-o", "json"]).output().unwrap());
    for kind in ["task.created", "task.progressed", "question.asked", "question.resolved", "task.completed"] {
        assert!(live.iter().any(|event| event["type"] == kind), "no {kind}: {live:?}");
    }
    assert_eq!(live, later);
    assert_eq!(live.last().unwrap()["state"], "COMPLETED");
}

#[test]
fn a_report_is_shown_whole_and_is_kept_when_the_next_one_came() {
    let data_dir = TempDir::new().unwrap();
    let hub = HubProcess::start(data_dir.path());
    let agent = Agent::register(&hub, "fullstack-1", "full-stack-engineer");
    let status = format!("reading {}\nand more", "x".repeat(265));
    for message in [status.as_str(), "on it"] {
        agent.calls(&hub, "update_status", &json!({ "status": "working", "message": message }));
    }
    let task = hub.post("/api/v1/tasks", &json!({ "targetAgentId": "fullstack-1", "prompt": "work" })).1;
    let task = task["taskId"].as_str().unwrap();
    agent.calls(&hub, "wait_for_prompt", &json!({ "timeout": 10 }));
    let report = format!("half of it: {}\nthe last line", "y".repeat(169));
    for message in [report.as_str(), "nearly"] {
        agent.calls(&hub, "update_progress", &json!({ "taskId": task, "message": message }));
    }
    agent.calls(&hub, "send_response", &json!({ "taskId": task, "status": "COMPLETED", "message": report }));

    let tail = hub.command(&["task", "follow", task]).output().unwrap();
    let lines = String::from_utf8(tail.stdout).unwrap();
    let whole = format!("half of it: {}\n      the last line\n", "y".repeat(169));
    assert!(lines.matches(&whole).count() >= 2, "with progress and with its end: {lines}");
    assert!(!lines.contains("messageBytes"), "{lines}");
    let told = shown(&hub.command(&["task", "follow", task, "-o", "json"]).output().unwrap());
    let progressed: Vec<&Value> = told.iter().filter(|event| event["type"] == "task.progressed").collect();
    assert_eq!(progressed[0]["data"]["message"], report.as_str());
    let history = agent.calls(&hub, "get_session_history", &json!({ "types": ["session.workflow_status"] }));
    let told = history["events"].as_array().unwrap().iter();
    assert!(told.clone().any(|event| event["data"]["message"] == status.as_str()), "{history}");
    let context = agent.calls(&hub, "get_task_context", &json!({ "taskId": task }));
    let kept = context["task"]["history"].as_array().unwrap().iter();
    assert!(kept.clone().any(|item| item["data"]["message"] == report.as_str()), "{context}");
}

fn shown(output: &Output) -> Vec<Value> {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}
