//! An agent asks on the forge and comments there: told to the real binary, and to a stand-in for the forge.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use callboard_standin::forge::{Comment, Fault, ForgeStandIn, Kind};
use callboard_standin::time::Clock;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::agent::Agent;
use crate::support::hub_process::HubProcess;

const TOKEN: &str = "ghp_a-token-of-the-forge";

fn start(data_dir: &Path, config: &Path) -> HubProcess {
    HubProcess::start_with(data_dir, &["--config", config.to_str().unwrap()])
}

fn github(token: &str) -> ForgeStandIn {
    let github = ForgeStandIn::new(Kind::GitHub, token, Clock::system());
    github.repository("acme/web", "main");
    github
}

fn settings(config: &Path, github: &ForgeStandIn) {
    let file = config.join("token");
    fs::write(&file, format!("{TOKEN}\n")).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    let hub = json!({"tracker": {
        "kind": "github", "baseUrl": github.listens(), "tokenFile": file, "repositories": ["acme/web"],
        "allowPrivate": true,
    }});
    fs::write(config.join("hub.yaml"), hub.to_string()).unwrap();
}

/// Asks, with this much time.
fn asks(hub: &HubProcess, agent: &Agent, what: &str) -> String {
    let ask = json!({ "question": what, "options": ["old", "new"], "default_action": "new",
        "timeout_minutes": 30, "wait_seconds": 0 });
    agent.calls(hub, "request_input", &ask)["question_id"].as_str().unwrap().to_owned()
}

fn answers(hub: &HubProcess, question: &str, value: &str) {
    let (status, said) = hub.post(&format!("/api/v1/questions/{question}/answer"), &json!({ "value": value }));
    assert!(status < 300, "{said}");
}

/// The comments there, once it is as it should be.
fn until(github: &ForgeStandIn, is: impl Fn(&[Comment]) -> bool) -> Vec<Comment> {
    loop {
        let all = github.comments();
        if is(&all) {
            return all;
        }
        crate::support::pause(10);
    }
}

fn waiting(hub: &HubProcess) -> Vec<Value> {
    let (status, said) = hub.get("/api/v1/outbox?destination=tracker&state=pending");
    assert_eq!(status, 200, "{said}");
    said["items"].as_array().cloned().unwrap_or_default()
}

#[test]
fn a_question_has_one_comment_that_is_changed_once_it_is_answered_and_progress_has_none() {
    let (data_dir, config) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let github = github(TOKEN);
    settings(config.path(), &github);
    let hub = start(data_dir.path(), config.path());
    let agent = Agent::register(&hub, "fullstack-1", "full-stack-engineer");
    let unlinked = asks(&hub, &agent, "Asked where nobody outside looks?");
    answers(&hub, &unlinked, "old");
    agent.calls(&hub, "link_task", &json!({"work_item": "acme/web#12"}));

    let question = asks(&hub, &agent, "Old or new schema?");
    let open = until(&github, |all| !all.is_empty());
    assert!(open[0].item == "acme/web#12" && open[0].body.contains("> Old or new schema?"), "{open:?}");
    assert!(open[0].body.contains("“new” applies at"), "{open:?}");
    agent.calls(&hub, "link_task", &json!({"work_item": "acme/web#13"}));
    // The forge fails twice, and its answer to what it did is lost: one comment all the same.
    github.next_fault(Fault::BadGateway);
    github.next_fault(Fault::LosesAnswers);
    answers(&hub, &question, "old");
    let resolved = until(&github, |all| all[0].edits > 0);
    assert!(resolved.len() == 1 && resolved[0].body.contains(": old"), "{resolved:?}");

    let made = hub.post("/api/v1/tasks", &json!({"targetAgentId": "fullstack-1", "prompt": "Build it."})).1;
    let task = made["taskId"].as_str().unwrap().to_owned();
    while agent.calls(&hub, "wait_for_prompt", &json!({}))["taskId"] != json!(task) {}
    agent.calls(&hub, "ack_task", &json!({ "taskId": task }));
    agent.calls(&hub, "update_progress", &json!({"taskId": task, "message": "half of it"}));
    agent.calls(&hub, "post_task_comment", &json!({"body": "The old schema has no index, @ada."}));
    let all = until(&github, |all| all.len() > 1);
    assert_eq!((all.len(), all[1].item.as_str()), (2, "acme/web#13"), "{all:?}");
    assert!(all[1].body.contains("no index") && !all[1].body.contains("@ada"), "{all:?}");
    assert_eq!(hub.terminate().code(), Some(0));
    let log = fs::read_to_string(data_dir.path().join("hub.log")).unwrap();
    assert!(!log.contains(TOKEN), "no secret in the log");
}

#[test]
fn comments_wait_for_a_forge_that_refuses_the_token_over_a_crash_and_none_is_doubled() {
    let (data_dir, config) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let github = github("another");
    settings(config.path(), &github);
    let hub = start(data_dir.path(), config.path());
    let agent = Agent::register(&hub, "fullstack-1", "full-stack-engineer");
    agent.calls(&hub, "link_task", &json!({"work_item": "acme/web#12"}));
    let question = asks(&hub, &agent, "Old or new?");
    while github.asked().is_empty() {
        crate::support::pause(10);
    }
    loop {
        let refused = |row: &Value| row["lastError"].as_str().is_some_and(|it| it.contains("refuses the token"));
        if waiting(&hub).iter().any(refused) {
            break;
        }
        crate::support::pause(10);
    }
    answers(&hub, &question, "old");
    hub.kill();
    github.takes_token(TOKEN);
    let hub = start(data_dir.path(), config.path());
    // A person has it tried at once.
    for row in waiting(&hub) {
        hub.post(&format!("/api/v1/outbox/{}/retry", row["id"].as_str().unwrap()), &json!({}));
    }
    let all = until(&github, |all| all.first().is_some_and(|comment| comment.body.contains("**Answered**")));
    assert_eq!(all.len(), 1, "{all:?}");
    assert_eq!(hub.terminate().code(), Some(0));
}
