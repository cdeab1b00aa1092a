//! The tree of tasks around one: up to who began it, down to everything that was delegated.

use std::time::Duration;

use serde_json::{Value, json};

use super::desk;
use crate::domain::principal::Scope;
use crate::transport::web::tests::{RouteFixture, agent, person};

/// An agent takes a task, and hands these on in its course; their ids.
async fn takes_and_delegates(desk: &RouteFixture, who: &str, task: &str, to: &[&str]) -> Vec<String> {
    desk.waits(who).await;
    let taken = desk.post_as(&agent(who), "/api/v1/tools/ack_task", json!({"taskId": task})).await;
    assert_eq!(taken.status, 200, "{}", taken.text);
    let mut made = Vec::new();
    for target in to {
        // Siblings stand in the order in which they were created.
        tokio::time::sleep(Duration::from_secs(1)).await;
        let order = json!({"targetAgentId": target, "prompt": format!("A part for {target}.\nMore.")});
        let asked = desk.post_as(&agent(who), "/api/v1/tools/assign_task", order).await;
        assert_eq!(asked.status, 200, "{}", asked.text);
        made.push(asked.body["taskId"].as_str().unwrap().to_owned());
    }
    made
}

async fn tree(desk: &RouteFixture, id: &str) -> Value {
    let shown = desk.get_as(&person(Scope::View), &format!("/api/v1/tasks/{id}/tree")).await;
    assert_eq!(shown.status, 200, "{}", shown.text);
    shown.body
}

#[tokio::test(start_paused = true)]
async fn the_tree_is_the_same_from_whichever_task_of_it_it_is_asked() {
    let desk = desk().await;
    for (id, role) in [("pm-1", "product-manager"), ("fullstack-1", "full-stack-engineer"), ("test-1", "test-engineer")]
    {
        desk.registers(id, role).await;
    }
    let root = desk.task("pm-1", "Build a login.").await;
    let alone = desk.task("test-1", "Something else.").await;
    let parts = takes_and_delegates(&desk, "pm-1", &root, &["fullstack-1", "fullstack-1"]).await;
    let below = takes_and_delegates(&desk, "fullstack-1", &parts[0], &["test-1"]).await;
    let whole = tree(&desk, &root).await;
    let items = whole["items"].as_array().unwrap();
    let lines: Vec<_> = items.iter().map(|item| (item["taskId"].as_str().unwrap(), item["parent"].as_str())).collect();
    let expected = [
        (root.as_str(), None),
        (parts[0].as_str(), Some(root.as_str())),
        (parts[1].as_str(), Some(root.as_str())),
        (below[0].as_str(), Some(parts[0].as_str())),
    ];
    assert_eq!((whole["root"].as_str(), lines), (Some(root.as_str()), expected.to_vec()), "{whole}");
    assert_eq!((&items[1]["title"], &items[1]["agent"]), (&json!("A part for fullstack-1."), &json!("fullstack-1")));
    assert_eq!((&items[0]["state"], &items[3]["state"]), (&json!("IN_PROGRESS"), &json!("QUEUED")), "{whole}");
    assert_eq!(tree(&desk, &below[0]).await, whole);
    assert_eq!(tree(&desk, &alone).await["items"].as_array().unwrap().len(), 1);
    desk.get("/api/v1/tasks/abcdefgh12345678/tree").await.is_no(404, "TASK_NOT_FOUND");
}

#[tokio::test(start_paused = true)]
async fn of_a_tree_with_more_tasks_than_are_shown_the_oldest_are_and_it_says_so() {
    let desk = desk().await;
    desk.registers("pm-1", "product-manager").await;
    let root = desk.task("pm-1", "Build a login.").await;
    desk.waits("pm-1").await;
    let mut parts = Vec::new();
    for n in 1..=501 {
        let order = json!({"targetAgentId": "role:test-engineer", "prompt": format!("part {n}")});
        let asked = desk.post_as(&agent("pm-1"), "/api/v1/tools/assign_task", order).await;
        assert_eq!(asked.status, 200, "{}", asked.text);
        parts.push(asked.body["taskId"].as_str().unwrap().to_owned());
        tokio::time::sleep(Duration::from_millis(1)).await;
        if n == 499 {
            let whole = tree(&desk, &root).await;
            assert_eq!(whole["items"].as_array().unwrap().len(), 500);
            assert_eq!(whole["truncated"], Value::Null, "exactly as many as are shown");
        }
    }
    let cut = tree(&desk, &parts[500]).await;
    let shown: Vec<_> = cut["items"].as_array().unwrap().iter().map(|item| item["taskId"].as_str().unwrap()).collect();
    assert_eq!((shown.len(), &cut["truncated"]), (500, &json!(true)));
    assert_eq!((shown[0], shown[499]), (root.as_str(), parts[498].as_str()));
}
