//! The admin pages over a hub on the journal in memory.

use serde_json::json;

use crate::audit::{Decision, Note};
use crate::domain::principal::Scope;
use crate::settings::{LoadRequest, load};
use crate::transport::web::tests::{RouteFixture, person};

async fn desk() -> RouteFixture {
    RouteFixture::with(super::routes()).await
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

#[tokio::test(start_paused = true)]
async fn the_audit_is_read_newest_first_by_an_admin_alone() {
    let desk = desk().await;
    for path in ["/admin/audit", "/admin/settings"] {
        for scope in [Scope::View, Scope::Operate] {
            desk.get_as(&person(scope), path).await.is_no(403, "INSUFFICIENT_SCOPE");
        }
    }
    assert_eq!(desk.get("/admin/audit").await.body, json!({"items": []}), "a hub in memory keeps none");
    let folder = tempfile::tempdir().unwrap();
    desk.hub.audit.begin(folder.path(), desk.hub.clock.now()).unwrap();
    for action in ["token.create", "token.revoke", "config.reload"] {
        desk.hub.audit.noted(Note::of_hub(desk.hub.clock.now(), action, Decision::Allowed));
    }
    desk.hub.audit.settle().await;
    let first = desk.get("/admin/audit?limit=2").await.body;
    let actions = |page: &serde_json::Value| {
        let items = page["items"].as_array().unwrap().iter();
        items.map(|item| item["action"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(actions(&first), ["config.reload", "token.revoke"], "{first}");
    let item = &first["items"][0];
    assert_eq!((&item["seq"], &item["who"], &item["decision"]), (&json!(3), &json!("hub"), &json!("allowed")));
    let cursor = first["nextCursor"].as_str().unwrap();
    let second = desk.get(&format!("/admin/audit?limit=2&cursor={cursor}")).await.body;
    assert_eq!((actions(&second), &second["nextCursor"]), (vec!["token.create".to_owned()], &json!(null)), "{second}");
    assert_eq!(actions(&desk.get("/admin/audit?action=token").await.body).len(), 2);
    assert_eq!(actions(&desk.get("/admin/audit?who=nobody").await.body).len(), 0);
    desk.get("/admin/audit?cursor=x").await.is_no(400, "CURSOR_INVALID");
}

#[tokio::test(start_paused = true)]
async fn the_settings_in_force_are_shown_with_their_origins_and_without_secrets() {
    let desk = desk().await;
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("hub.yaml"), "leases:\n  ttl: 47m\n").unwrap();
    let planted = "cb_a_0123456789ab_cdefghijklmnopqrstuvwxyz";
    let variables = [("CALLBOARD_DATA_DIR", format!("/tmp/{planted}")), ("CALLBOARD_TOKEN", planted.to_owned())];
    let request = LoadRequest {
        config_dir: Some(folder.path().to_owned()),
        environment: variables.map(|(name, value)| (name.to_owned(), value)).into(),
        ..LoadRequest::default()
    };
    desk.backstage.reload(load(&request).unwrap().settings);
    let shown = desk.get("/admin/settings").await;
    let setting = |key: &str| {
        let items = shown.body["items"].as_array().unwrap();
        items.iter().find(|item| item["key"] == key).cloned().unwrap_or_default()
    };
    assert_eq!(setting("leases.ttl"), json!({"key": "leases.ttl", "value": "47m", "origin": "hub.yaml:2:8"}));
    assert_eq!(setting("leases.maxAttempts")["origin"], "defaults");
    assert_eq!(setting("dataDir")["origin"], "CALLBOARD_DATA_DIR", "{}", shown.text);
    assert!(!shown.text.contains("cdefghijklmnopqrstuvwxyz"), "{}", setting("dataDir"));
}
