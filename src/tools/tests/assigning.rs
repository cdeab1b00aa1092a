//! `assign_task`, `wait_for_task`, `send_message`: agents among themselves, and people with agents.

use std::time::Duration;

use serde_json::json;
use tokio::time::Instant;

use super::fixture::{ToolFixture, operator, viewer};
use crate::domain::task::RightsSet;
use crate::tools::Caller;

#[tokio::test(start_paused = true)]
async fn an_agent_delegates_waits_for_the_result_and_gets_it() {
    let desk = ToolFixture::new().await;
    let (pm, dev) = (desk.agent("pm-1", "pm").await, desk.agent("dev-1", "coding").await);
    let work = json!({"targetAgentId": "@dev-1", "prompt": "Implement login."});
    let assigned = desk.call(&pm, "assign_task", work).await;
    assert_eq!(assigned.0["queued"], true);
    assert_eq!(assigned.0["position"], 1);
    assert_eq!(assigned.0["reachable"], true);
    let task = assigned.text("taskId");
    let waiting = desk.begins(&pm, "wait_for_task", json!({"taskId": task}));
    tokio::time::sleep(Duration::from_secs(1)).await;
    let offered = desk.call(&dev, "wait_for_prompt", json!({})).await;
    assert_eq!(offered.0["from"], json!({"kind": "agent", "id": "pm-1", "displayName": "pm-1"}));
    let response = json!({"taskId": task, "status": "COMPLETED", "message": "It works."});
    desk.call(&dev, "send_response", response).await.done();
    let said = waiting.await.expect("an answer");
    assert_eq!(said.0["state"], "COMPLETED");
    assert_eq!(said.0["ended"], true);
    assert_eq!(said.0["result"], "It works.");
    desk.ends().await;
}

#[tokio::test(start_paused = true)]
async fn waiting_for_a_task_ends_when_it_is_blocked_or_time_is_over() {
    let desk = ToolFixture::new().await;
    let dev = desk.agent("dev-1", "coding").await;
    let task = desk.given(&dev, json!({})).await;
    let begun = Instant::now();
    let said = desk.call(&operator(), "wait_for_task", json!({"taskId": task, "timeout": 4})).await;
    assert_eq!((said.0["ended"].clone(), begun.elapsed().as_secs()), (json!(false), 4));
    assert!(said.text("prompt").contains("again"));
    let blocked = json!({"taskId": task, "status": "BLOCKED", "message": "?", "blockedReason": "Which colour?"});
    desk.call(&dev, "send_response", blocked).await.done();
    let said = desk.call(&viewer(), "wait_for_task", json!({"taskId": task})).await;
    assert_eq!(said.0["state"], "BLOCKED");
    assert_eq!(said.0["blockedReason"], "Which colour?");
    desk.ends().await;
}

#[tokio::test(start_paused = true)]
async fn rights_and_names_are_looked_at_before_anything_is_made() {
    let desk = ToolFixture::new().await;
    let dev = desk.agent("dev-1", "coding").await;
    desk.agent("pm-1", "pm").await;
    let to = |target: &str| json!({"targetAgentId": target, "prompt": "Do it."});
    desk.call(&dev, "assign_task", to("pm-1")).await.is("DELEGATION_DENIED");
    let said = desk.call(&dev, "assign_task", to("dev-2")).await;
    assert!(said.is("TARGET_UNKNOWN").text("message").contains("dev-1"));
    desk.call(&dev, "assign_task", to("dev-1")).await.is("DELEGATION_CYCLE");
    let said = desk.call(&dev, "assign_task", to("role:testing")).await;
    assert_eq!(said.done().0["reachable"], false);
    let dependent = json!({"targetAgentId": "role:testing", "prompt": "x", "dependencies": ["nonsense"]});
    desk.call(&dev, "assign_task", dependent).await.is("DEPENDENCY_UNKNOWN");
    desk.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_chain_goes_three_deep_and_never_back_to_who_stands_in_it() {
    let desk = ToolFixture::with(|settings| {
        settings.roles.roles.values_mut().for_each(|role| role.can_delegate_to = RightsSet::All);
    })
    .await;
    let mut chain = Vec::new();
    for n in 1..=5 {
        chain.push(desk.agent(&format!("a{n}"), "coding").await);
    }
    let takes = async |who: &Caller| {
        let offer = desk.call(who, "wait_for_prompt", json!({})).await;
        assert_eq!(offer.0["status"], "TASK", "{offer:?}");
        let lease = json!({"taskId": offer.0["taskId"], "leaseEpoch": offer.0["leaseEpoch"]});
        desk.call(who, "ack_task", lease).await.done();
    };
    let to = |n: usize| json!({"targetAgentId": format!("a{n}"), "prompt": "Do it."});
    desk.call(&operator(), "assign_task", to(1)).await.done();
    takes(&chain[0]).await;
    for n in 2..=4 {
        let asker = &chain[n - 2];
        for before in 1..n {
            desk.call(asker, "assign_task", to(before)).await.is("DELEGATION_CYCLE");
        }
        desk.call(asker, "assign_task", to(n)).await.done();
        takes(&chain[n - 1]).await;
    }
    desk.call(&chain[3], "assign_task", to(5)).await.is("DELEGATION_TOO_DEEP");
    let idle = desk.call(&chain[4], "wait_for_prompt", json!({"timeout": 1})).await;
    assert_eq!(idle.0["status"], "IDLE", "what was refused was not made");
    desk.ends().await;
}

#[tokio::test(start_paused = true)]
async fn anybody_means_anybody_whom_the_asker_may_delegate_to() {
    let desk = ToolFixture::new().await;
    let (dev, tester) = (desk.agent("dev-1", "coding").await, desk.agent("test-1", "testing").await);
    let (other, ops) = (desk.agent("dev-2", "coding").await, desk.agent("ops-1", "ops").await);
    let anybody = json!({"targetAgentId": "any", "prompt": "Look at it."});
    desk.call(&ops, "assign_task", anybody.clone()).await.is("DELEGATION_DENIED");
    let assigned = desk.call(&dev, "assign_task", anybody).await;
    assert_eq!(assigned.done().0["reachable"], true);
    let idle = desk.call(&other, "wait_for_prompt", json!({"timeout": 1})).await;
    assert_eq!(idle.0["status"], "IDLE", "a developer may delegate to testers alone");
    let id = crate::domain::ids::TaskId::parse(&assigned.text("taskId")).expect("an id");
    let why = desk.hub.dispatcher.why(&id).await.expect("an answer").expect("an open task");
    let about = |agent: &str| why.agents.iter().find(|line| line.agent_id == agent).expect(agent).reasons.join("; ");
    assert!(about("dev-2").contains("dev-1 may not delegate to it, only to `test-engineer`"), "{}", about("dev-2"));
    assert!(!about("test-1").contains("delegate"), "{}", about("test-1"));
    let got = desk.call(&tester, "wait_for_prompt", json!({})).await;
    assert_eq!(got.0["taskId"], assigned.0["taskId"]);
    desk.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_repeat_with_the_same_key_returns_the_first_result() {
    let desk = ToolFixture::new().await;
    desk.agent("dev-1", "coding").await;
    let work = json!({"targetAgentId": "dev-1", "prompt": "Do it.", "idempotencyKey": "k1"});
    let first = desk.call(&operator(), "assign_task", work.clone()).await;
    let second = desk.call(&operator(), "assign_task", work).await;
    assert_eq!(first.done().0, second.0);
    let other = json!({"targetAgentId": "dev-1", "prompt": "Do something else.", "idempotencyKey": "k1"});
    desk.call(&operator(), "assign_task", other).await.is("IDEMPOTENCY_KEY_REUSED");
    let long = json!({"targetAgentId": "dev-1", "prompt": "Do it.", "idempotencyKey": "k".repeat(257)});
    desk.call(&operator(), "assign_task", long).await.is("INVALID_ARGUMENTS");
    desk.ends().await;
}

#[tokio::test(start_paused = true)]
async fn what_a_task_depends_on_comes_with_it() {
    let desk = ToolFixture::new().await;
    let dev = desk.agent("dev-1", "coding").await;
    let first = desk.given(&dev, json!({})).await;
    let second = json!({"targetAgentId": "dev-1", "prompt": "Then this.", "dependencies": [first]});
    desk.call(&operator(), "assign_task", second).await.done();
    let response = json!({"taskId": first, "status": "COMPLETED", "message": "The key is 7.", "artifacts": ["a"]});
    desk.call(&dev, "send_response", response).await.done();
    let said = desk.call(&dev, "wait_for_prompt", json!({})).await;
    assert_eq!(said.0["dependencyResults"][0]["taskId"], json!(first));
    assert_eq!(said.0["dependencyResults"][0]["message"], "The key is 7.");
    desk.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_message_reaches_only_those_one_delegates_to_or_reports_to() {
    let desk = ToolFixture::new().await;
    let (pm, dev) = (desk.agent("pm-1", "pm").await, desk.agent("dev-1", "coding").await);
    desk.agent("ops-1", "ops").await;
    desk.call(&dev, "send_message", json!({"to": "ops-1", "text": "Hi."})).await.is("MESSAGE_DENIED");
    desk.call(&dev, "send_message", json!({"to": "nobody", "text": "Hi."})).await.is("TARGET_UNKNOWN");
    desk.call(&dev, "send_message", json!({"to": "role:pm", "text": "Hi."})).await.is("INVALID_ARGUMENTS");
    desk.call(&dev, "send_message", json!({"to": "pm-1", "text": " "})).await.is("INVALID_ARGUMENTS");
    let waiting = desk.begins(&pm, "wait_for_prompt", json!({}));
    tokio::time::sleep(Duration::from_secs(1)).await;
    let message = json!({"to": "pm-1", "text": "Login is done.", "idempotencyKey": "m1"});
    let first = desk.call(&dev, "send_message", message.clone()).await;
    let second = desk.call(&dev, "send_message", message).await;
    assert_eq!(first.done().0, second.0);
    let other = json!({"to": "pm-1", "text": "It is not.", "idempotencyKey": "m1"});
    desk.call(&dev, "send_message", other).await.is("IDEMPOTENCY_KEY_REUSED");
    let said = waiting.await.expect("an answer");
    assert_eq!(said.0["status"], "NOTICE");
    assert_eq!(said.notices().len(), 1);
    assert_eq!(said.notices()[0]["text"], "Login is done.");
    assert_eq!(said.notices()[0]["from"]["id"], "dev-1");
    desk.ends().await;
}
