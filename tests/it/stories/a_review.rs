//! A review, told to the real binary: people judge by the command line, and the hub is killed in between.

use std::process::Output;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::agent::Agent;
use crate::support::hub_process::{HubProcess, callboard};

const DIFF: &str = "\
diff --git a/src/login.rs b/src/login.rs
--- a/src/login.rs
+++ b/src/login.rs
@@ -1,2 +1,3 @@
 one
+two
 three
";

#[test]
fn wishes_survive_a_crash_and_come_back_to_who_did_the_work_and_so_does_an_approval() {
    let data_dir = TempDir::new().unwrap();
    let hub = HubProcess::start(data_dir.path());
    let agent = Agent::register(&hub, "fullstack-1", "full-stack-engineer");
    let task = asks(&hub, "fullstack-1");
    takes(&hub, &agent, &task);
    agent.calls(&hub, "submit_for_review", &json!({ "diff": DIFF, "message": "the login" }));
    let listed = done(&hub, &["review", "list"]);
    assert!(listed.contains(&task) && listed.contains("1 file, +1 −0"), "{listed}");
    assert_eq!(done(&hub, &["review", "show", &task, "--diff"]), DIFF);
    let inbox = done(&hub, &["inbox", "list"]);
    assert!(inbox.contains(&format!("review:{task}")), "{inbox}");
    let first = json!({ "text": "why two?", "file": "src/login.rs", "line": 2 });
    assert_eq!(hub.post(&format!("/api/v1/reviews/{task}/comments"), &first).0, 200);
    hub.kill();

    // What was said before the crash is said with the verdict after it.
    let hub = HubProcess::start(data_dir.path());
    // A place that the diff does not show loses nobody's words.
    let beside = ["task", "request-changes", &task, "--comment", "rename it", "--file", "src/login.rs", "--line", "9"];
    let said = done(&hub, &beside);
    assert!(said.contains("Kept all the same") && said.contains("1-3"), "{said}");
    hub.kill();

    let hub = HubProcess::start(data_dir.path());
    let offer = offered(&hub, &agent);
    assert_eq!(offer["taskId"], task, "it comes back to who did the work: {offer}");
    let comments: Vec<&str> =
        offer["comments"].as_array().unwrap().iter().map(|it| it["text"].as_str().unwrap()).collect();
    assert_eq!(comments, ["why two?", "rename it"]);
    for comment in offer["comments"].as_array().unwrap() {
        let settled = json!({ "comment_id": comment["id"], "response": "done" });
        agent.calls(&hub, "resolve_review_comment", &settled);
    }
    agent.calls(&hub, "submit_for_review", &json!({ "diff": DIFF, "message": "renamed" }));
    let approved = done(&hub, &["task", "approve", &task, "well done"]);
    assert!(approved.contains("is approved: its holder merges and completes it. It is IN_REVIEW now."), "{approved}");
    hub.kill();

    let hub = HubProcess::start(data_dir.path());
    let heard = agent.calls(&hub, "wait_for_prompt", &json!({ "timeout": 10 }));
    assert_eq!(heard["notices"][0]["text"], "approved: merge and call complete_task (well done)", "{heard}");
    agent.calls(&hub, "complete_task", &json!({ "summary": "merged" }));
    let shown = done(&hub, &["review", "show", &task]);
    for expected in ["approved by operator", "changes_requested by operator", "round 2 by fullstack-1", "settled"] {
        assert!(shown.contains(expected), "{expected}: {shown}");
    }
    assert_eq!(hub.get(&format!("/api/v1/tasks/{task}")).1["state"], "COMPLETED");
    assert_eq!(hub.terminate().code(), Some(0));
    let verified = callboard(data_dir.path()).args(["journal", "verify", "-o", "json"]).output().unwrap();
    let sound: Value = serde_json::from_slice(&verified.stdout).unwrap();
    assert_eq!((&sound["findingsInAll"], &sound["reviews"]), (&json!(0), &json!(1)), "{sound}");
}

#[test]
fn an_approval_is_not_lost_when_its_holder_is_sent_away_and_another_one_takes_over() {
    let data_dir = TempDir::new().unwrap();
    let hub = HubProcess::start(data_dir.path());
    let one = Agent::register(&hub, "fullstack-1", "full-stack-engineer");
    let task = asks(&hub, "role:full-stack-engineer");
    takes(&hub, &one, &task);
    one.calls(&hub, "submit_for_review", &json!({ "pr_url": "https://git.example/pr/7" }));
    done(&hub, &["task", "approve", &task]);
    let evict = json!({ "action": "SHUTDOWN", "reason": "enough" });
    assert_eq!(hub.post("/api/v1/agents/fullstack-1/evict", &evict).0, 200);
    hub.kill();

    let hub = HubProcess::start(data_dir.path());
    let two = Agent::register(&hub, "fullstack-2", "full-stack-engineer");
    let offer = two.calls(&hub, "wait_for_prompt", &json!({ "timeout": 10 }));
    assert_eq!(offer["taskId"], task, "{offer}");
    assert_eq!(offer["comments"][0]["text"], "approved: merge and call complete_task", "{offer}");
    assert_eq!(hub.get(&format!("/api/v1/reviews/{task}")).1["state"], "approved");
    two.calls(&hub, "complete_task", &json!({ "summary": "merged" }));
    assert_eq!(hub.get(&format!("/api/v1/reviews/{task}")).1["state"], "approved");
}

#[test]
fn people_yaml_names_who_judged_and_says_whom_they_may_judge() {
    let (data_dir, config) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let people = "people:\n  ada: {displayName: Ada Lovelace, principal: \"person:ada\", canApprove: [designer]}\n";
    std::fs::write(config.path().join("people.yaml"), people).unwrap();
    let hub = HubProcess::start_with(data_dir.path(), &["--config", config.path().to_str().unwrap()]);
    let made = done(&hub, &["token", "create", "--scope", "operate", "--name", "ada"]);
    let agent = Agent::register(&hub, "fullstack-1", "full-stack-engineer");
    let task = asks(&hub, "fullstack-1");
    takes(&hub, &agent, &task);
    agent.calls(&hub, "submit_for_review", &json!({ "diff": DIFF }));
    let approve = format!("/api/v1/reviews/{task}/approve");
    let (status, no) = hub.post_as(made.trim(), &approve, &json!({}));
    assert_eq!((status, &no["code"]), (403, &json!("NOT_PERMITTED")), "{no}");
    assert_eq!(hub.get_as(made.trim(), "/api/v1/inbox").1["total"], 0, "what she may not judge is not hers");
    let designer = Agent::register(&hub, "designer-1", "designer");
    let task = asks(&hub, "designer-1");
    takes(&hub, &designer, &task);
    designer.calls(&hub, "submit_for_review", &json!({ "diff": DIFF }));
    assert_eq!(hub.post_as(made.trim(), &format!("/api/v1/reviews/{task}/approve"), &json!({})).0, 200);
    let review = hub.get(&format!("/api/v1/reviews/{task}")).1;
    assert_eq!(review["rounds"][0]["verdicts"][0]["by"]["displayName"], "Ada Lovelace", "{review}");
}

fn asks(hub: &HubProcess, target: &str) -> String {
    let (status, body) = hub.post("/api/v1/tasks", &json!({ "targetAgentId": target, "prompt": "implement login" }));
    assert_eq!(status, 201, "{body}");
    body["taskId"].as_str().unwrap().to_owned()
}

/// What it is offered, behind what it has to hear.
fn offered(hub: &HubProcess, agent: &Agent) -> Value {
    loop {
        let heard = agent.calls(hub, "wait_for_prompt", &json!({ "timeout": 10 }));
        if heard["status"] != "NOTICE" {
            return heard;
        }
    }
}

fn takes(hub: &HubProcess, agent: &Agent, task: &str) {
    let offer = agent.calls(hub, "wait_for_prompt", &json!({ "timeout": 10 }));
    assert_eq!(offer["taskId"], task);
    agent.calls(hub, "ack_task", &json!({ "taskId": task, "leaseEpoch": offer["leaseEpoch"] }));
}

fn run(hub: &HubProcess, arguments: &[&str]) -> Output {
    hub.command(arguments).output().unwrap()
}

fn done(hub: &HubProcess, arguments: &[&str]) -> String {
    let output = run(hub, arguments);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", words(&output.stderr));
    words(&output.stdout)
}

fn words(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
