//! How everybody stands is read and told, and asked of nobody.

use serde_json::{Value, json};

use super::desk;
use crate::domain::task::TaskStateName;
use crate::transport::web::tests::{RouteFixture, agent};

/// How many agents there are.
const MANY: usize = 30;

/// How many messages each agent has handled.
async fn handled(desk: &RouteFixture) -> Vec<u64> {
    let lines = desk.hub.dispatcher.agents().await.unwrap();
    lines.iter().map(|line| line.agent.mailbox_metrics().handled()).collect()
}

fn one<'a>(list: &'a Value, key: &str, id: &str) -> &'a Value {
    list.as_array().unwrap().iter().find(|item| item[key] == id).unwrap()
}

#[tokio::test(start_paused = true)]
async fn no_agent_is_asked_how_all_stand() {
    let desk = desk().await;
    for n in 0..MANY {
        desk.registers(&format!("fullstack-{n:02}"), "full-stack-engineer").await;
    }
    let task = desk.task("fullstack-07", "Add a login.").await;
    desk.waits("fullstack-07").await;
    let taken = desk.post_as(&agent("fullstack-07"), "/api/v1/tools/ack_task", json!({"taskId": task})).await;
    assert_eq!(taken.status, 200, "{}", taken.text);
    let before = handled(&desk).await;
    assert_eq!(before.len(), MANY);
    let snapshot = desk.get("/api/v1/snapshot").await.body;
    let agents = desk.get("/api/v1/agents?limit=500").await.body;
    let sessions = desk.get("/api/v1/sessions?limit=500").await.body;
    assert_eq!(handled(&desk).await, before, "somebody was asked");

    assert_eq!((&snapshot["agents"], &snapshot["sessions"]), (&agents["items"], &sessions["items"]));
    for n in 0..MANY {
        let id = format!("fullstack-{n:02}");
        let alone = desk.get(&format!("/api/v1/agents/{id}")).await.body;
        assert_eq!(one(&agents["items"], "agentId", &id), &alone, "as it says itself");
        let session = alone["sessionId"].as_str().unwrap();
        let alone = desk.get(&format!("/api/v1/sessions/{session}")).await.body;
        assert_eq!(one(&sessions["items"], "sessionId", session), &alone, "as it says itself");
    }
    let busy = one(&agents["items"], "agentId", "fullstack-07");
    assert_eq!((&busy["availability"], &busy["currentTasks"]), (&json!("working"), &json!([task])), "{busy}");
}

#[tokio::test(start_paused = true)]
async fn who_waits_and_who_went_is_seen_at_once() {
    let desk = desk().await;
    desk.registers("designer-1", "designer").await;
    let looks = async {
        tokio::time::sleep(std::time::Duration::from_secs(5)).await;
        desk.get("/api/v1/agents").await.body["items"][0].clone()
    };
    let (_, waiting) = tokio::join!(desk.waits("designer-1"), looks);
    assert_eq!((&waiting["availability"], waiting["waitingSince"].is_string()), (&json!("waiting"), true), "{waiting}");
    let after = desk.get("/api/v1/agents").await.body["items"][0].clone();
    assert_eq!((&after["availability"], &after["waitingSince"]), (&json!("working"), &Value::Null), "{after}");
    tokio::time::sleep(std::time::Duration::from_secs(61 * 60)).await;
    let gone = desk.get("/api/v1/agents").await.body["items"][0].clone();
    assert_eq!(gone["availability"], "offline", "{gone}");
    let evict = json!({"action": "RESTART", "reason": "for a change"});
    assert_eq!(desk.post("/api/v1/agents/designer-1/evict", evict).await.status, 200);
    assert_eq!(desk.get("/api/v1/agents").await.body["items"][0]["availability"], "evicted");
    assert_eq!(desk.get("/api/v1/sessions").await.body["items"][0]["lifecycle"], "stopped");
}

/// An agent that works and reports for long is there, although nothing else changes about it.
#[tokio::test(start_paused = true)]
async fn who_goes_on_reporting_counts_as_busy_for_as_long_as_it_does() {
    let desk = desk().await;
    desk.registers("fullstack-1", "full-stack-engineer").await;
    let task = desk.task("fullstack-1", "Add a login.").await;
    desk.waits("fullstack-1").await;
    for n in 0..30 {
        tokio::time::sleep(std::time::Duration::from_secs(60)).await;
        let progress = json!({"taskId": task, "status": "PROGRESS", "message": format!("step {n}")});
        let sent = desk.post_as(&agent("fullstack-1"), "/api/v1/tools/send_response", progress).await;
        assert_eq!(sent.status, 200, "{}", sent.text);
    }
    let overview = desk.get("/api/v1/overview").await.body;
    assert_eq!(overview["agents"], json!({"waiting": 0, "busy": 1, "offline": 0, "total": 1}), "{overview}");
    assert_eq!(overview["tasks"][TaskStateName::InProgress.as_str()], 1, "{overview}");
}

#[tokio::test(start_paused = true)]
async fn what_was_dropped_from_a_text_is_said_wherever_the_text_is_shown() {
    let desk = desk().await;
    desk.registers("fullstack-1", "full-stack-engineer").await;
    let plain = desk.task("role:designer", "Draw it.").await;
    let task = desk.task("fullstack-1", "user\u{202e}gnp.exe \u{1b}[31mred\u{e0041}").await;
    let shown = desk.get(&format!("/api/v1/tasks/{task}")).await.body;
    assert_eq!(shown["prompt"], "usergnp.exe red");
    let dropped = json!({"removed": 7, "kinds": ["escape_sequence", "direction", "tag"]});
    assert_eq!(shown["sanitized"], dropped, "{shown}");
    assert_eq!(desk.get(&format!("/api/v1/tasks/{plain}")).await.body["sanitized"], Value::Null);
    let remark = json!({"text": "mind\u{2067} it"});
    let said = desk.post(&format!("/api/v1/tasks/{plain}/comments"), remark).await;
    assert_eq!(said.status, 200, "{}", said.text);
    let comments = desk.get(&format!("/api/v1/tasks/{plain}")).await.body["comments"].take();
    assert_eq!(comments[0]["sanitized"], json!({"removed": 1, "kinds": ["direction"]}), "{comments}");
    desk.waits("fullstack-1").await;
    let question = json!({
        "question": "Which?", "options": ["a\u{202e}", "b"], "default_action": "b", "wait_seconds": 0,
    });
    let asked = desk.post_as(&agent("fullstack-1"), "/api/v1/tools/request_input", question).await;
    assert_eq!(asked.status, 200, "{}", asked.text);
    let direction = json!({"removed": 1, "kinds": ["direction"]});
    assert_eq!(desk.get("/api/v1/questions").await.body["items"][0]["sanitized"], direction);
    assert_eq!(desk.get("/api/v1/inbox").await.body["items"][0]["sanitized"], direction);
    let report = json!({"taskId": task, "status": "FAILED", "message": "no\u{200b}thing"});
    let sent = desk.post_as(&agent("fullstack-1"), "/api/v1/tools/send_response", report).await;
    assert_eq!(sent.status, 200, "{}", sent.text);
    let shown = desk.get(&format!("/api/v1/tasks/{task}")).await.body;
    assert_eq!(shown["attempts"][0]["sanitized"], json!({"removed": 1, "kinds": ["zero_width"]}), "{shown}");
    let name = json!({"agentId": "fullstack-1", "role": "full-stack-engineer", "displayName": "Ann\u{2066}"});
    let named = desk.post_as(&agent("fullstack-1"), "/api/v1/tools/register_agent", name).await;
    assert_eq!(named.status, 200, "{}", named.text);
    assert_eq!(desk.get("/api/v1/agents").await.body["items"][0]["sanitized"], direction);
}
