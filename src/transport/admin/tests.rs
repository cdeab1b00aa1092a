//! The admin pages over a hub on the journal in memory.

use serde_json::json;

use crate::domain::principal::Scope;
use crate::transport::web::kit::{Desk, person};

async fn desk() -> Desk {
    Desk::with(super::routes()).await
}

#[tokio::test(start_paused = true)]
async fn the_tree_shows_everybody_and_one_actor_is_found_by_its_name() {
    let desk = desk().await;
    desk.registers("fullstack-1", "full-stack-engineer").await;
    let tree = desk.get_as(&person(Scope::View), "/admin/actors?limit=10").await.body;
    assert_eq!(tree["kind"], "supervisor");
    let ids: Vec<_> = tree["children"].as_array().unwrap().iter().map(|child| child["id"].clone()).collect();
    assert!(ids.contains(&json!("agent:fullstack-1")) && ids.contains(&json!("dispatcher")), "{ids:?}");
    for path in ["/admin/actors/agent:fullstack-1", "/admin/actors/agent%3Afullstack-1"] {
        let one = desk.get(path).await;
        assert_eq!((&one.body["kind"], &one.body["mailbox"]["depth"]), (&json!("agent"), &json!(0)), "{}", one.text);
    }
    desk.get("/admin/actors/agent:nobody").await.is_no(404, "ACTOR_NOT_FOUND");
    desk.get("/admin/nothing").await.is_no(404, "NOT_FOUND");
    desk.post("/admin/actors", json!({})).await.is_no(405, "METHOD_NOT_ALLOWED");
}

#[tokio::test(start_paused = true)]
async fn only_an_admin_restarts_an_actor() {
    let desk = desk().await;
    desk.registers("fullstack-1", "full-stack-engineer").await;
    let restart = "/admin/actors/agent:fullstack-1/restart";
    let refused = desk.post_as(&person(Scope::Operate), restart, json!({})).await;
    refused.is_no(403, "INSUFFICIENT_SCOPE");
    assert_eq!(refused.body["details"]["needs"], "admin");
    let done = desk.post(restart, json!({})).await;
    assert_eq!(done.body, json!({"id": "agent:fullstack-1", "restarted": true}), "{}", done.text);
    let journal = desk.post("/admin/actors/journal/restart", json!({})).await;
    journal.is_no(409, "ACTOR_NOT_RESTARTABLE");
    desk.post("/admin/actors/task:none/restart", json!({})).await.is_no(404, "ACTOR_NOT_FOUND");
}

#[tokio::test(start_paused = true)]
async fn the_journal_and_the_deadlines_are_shown() {
    let desk = desk().await;
    desk.registers("fullstack-1", "full-stack-engineer").await;
    let journal = desk.get("/admin/journal").await.body;
    assert!(journal["position"].as_u64().unwrap() > 0, "{journal}");
    assert_eq!(journal["failing"], false);
    assert!(desk.get("/admin/timers").await.body["items"].is_array());
    desk.get("/admin/timers?limit=501").await.is_no(400, "INVALID_ARGUMENTS");
}
