//! The overview: what it counts, what it warns of, who may see it; and the commands that connect clients.

use std::time::Duration;

use serde_json::{Value, json};

use super::desk;
use crate::domain::principal::Scope;
use crate::transport::web::tests::{RouteFixture, agent, person};

async fn overview(desk: &RouteFixture) -> Value {
    let shown = desk.get_as(&person(Scope::View), "/api/v1/overview").await;
    assert_eq!(shown.status, 200, "{}", shown.text);
    shown.body
}

fn codes(overview: &Value) -> Vec<(&str, &str)> {
    let warnings = overview["warnings"].as_array().unwrap();
    let full =
        |warning: &&Value| ["message", "advice"].iter().all(|field| !warning[field].as_str().unwrap().is_empty());
    assert!(warnings.iter().all(|warning| full(&warning)), "{overview}");
    warnings.iter().map(|one| (one["code"].as_str().unwrap(), one["subject"].as_str().unwrap())).collect()
}

#[tokio::test(start_paused = true)]
async fn the_overview_counts_tasks_agents_and_the_last_hour() {
    let desk = desk().await;
    desk.registers("fullstack-1", "full-stack-engineer").await;
    desk.registers("designer-1", "designer").await;
    let first = overview(&desk).await;
    assert_eq!(first["agents"], json!({"waiting": 0, "busy": 2, "offline": 0, "total": 2}), "{first}");
    assert_eq!((&first["tasks"]["QUEUED"], &first["tasks"]["DEAD_LETTER"]), (&json!(0), &json!(0)));
    assert_eq!(first["questions"], json!({"open": 0}));
    let id = desk.task("fullstack-1", "Add a login.").await;
    desk.waits("fullstack-1").await;
    let done = json!({"taskId": id, "status": "COMPLETED", "message": "It is in."});
    let sent = desk.post_as(&agent("fullstack-1"), "/api/v1/tools/send_response", done).await;
    assert_eq!(sent.status, 200, "{}", sent.text);
    desk.task("designer-1", "Draw a login.").await;
    let then = overview(&desk).await;
    assert_eq!((&then["tasks"]["COMPLETED"], &then["tasks"]["QUEUED"]), (&json!(1), &json!(1)), "{then}");
    let history = &then["history"];
    let (lists, last) = (["done", "failed"].map(|list| history[list].as_array().unwrap()), &history["done"][59]);
    assert_eq!((lists.map(Vec::len), last), ([60, 60], &json!(1)), "{history}");
    assert!(then["seq"].as_u64() > first["seq"].as_u64() && then["time"].is_string(), "{then}");
    assert_eq!(codes(&then), [], "{then}");
    tokio::time::sleep(Duration::from_secs(61 * 60)).await;
    let later = overview(&desk).await;
    assert_eq!(later["agents"], json!({"waiting": 0, "busy": 0, "offline": 2, "total": 2}), "{later}");
    assert!(later["history"]["done"].as_array().unwrap().iter().all(|count| *count == 0), "{later}");
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_waits_beside_work_of_its_role_is_a_warning_after_a_minute() {
    let desk = desk().await;
    desk.registers("designer-1", "designer").await;
    let order = json!({"targetAgentId": "role:designer", "prompt": "Draw it.", "capabilities": ["figma"]});
    let made = desk.post("/api/v1/tasks", order).await;
    assert_eq!(made.status, 201, "{}", made.text);
    let waiting = desk.waits("designer-1");
    let looks = async {
        tokio::time::sleep(Duration::from_secs(30)).await;
        let early = overview(&desk).await;
        tokio::time::sleep(Duration::from_secs(29)).await;
        (early, overview(&desk).await)
    };
    let (_, (early, late)) = tokio::join!(waiting, looks);
    assert_eq!((codes(&early), &early["agents"]["waiting"]), (vec![], &json!(1)), "{early}");
    assert_eq!(codes(&late), [], "it is not a minute yet: {late}");
    let (_, late) = tokio::join!(desk.waits("designer-1"), async {
        tokio::time::sleep(Duration::from_secs(30)).await;
        overview(&desk).await
    });
    assert_eq!(codes(&late), [("WAITING_WHILE_QUEUED", "role:designer")], "{late}");
}

#[tokio::test(start_paused = true)]
async fn a_journal_that_cannot_write_and_settings_that_cannot_be_read_are_warnings_until_they_are_mended() {
    let desk = desk().await;
    desk.faults.fail_next("the disk is gone");
    assert!(!desk.tries_to_register("fullstack-1", "full-stack-engineer").await);
    desk.backstage.keeps_settings("hub.yaml:3:1: unknown key `lisen`".to_owned());
    let broken = overview(&desk).await;
    assert_eq!(codes(&broken), [("STORAGE_FAILING", "journal"), ("CONFIG_BROKEN", "settings")], "{broken}");
    assert!(broken.to_string().contains("the disk is gone") && broken.to_string().contains("lisen"), "{broken}");
    desk.registers("fullstack-1", "full-stack-engineer").await;
    desk.backstage.reload(crate::settings::Settings::defaults());
    assert_eq!(codes(&overview(&desk).await), []);
}

#[tokio::test(start_paused = true)]
async fn each_client_is_connected_by_a_command_for_the_agent_that_is_named() {
    let desk = desk().await;
    let shown = desk.get_as(&person(Scope::View), "/api/v1/connect").await;
    assert_eq!(shown.body["items"][0], json!({"client": "claude", "command": "callboard connect claude --agent NAME"}));
    let named = desk.get_as(&person(Scope::View), "/api/v1/connect?agent=fullstack-1").await;
    let command = named.body["items"][1]["command"].as_str().unwrap();
    assert!(command.starts_with("callboard connect codex --agent fullstack-1"), "{command}");
    desk.get("/api/v1/connect?agent=%24%28rm%20x%29").await.is_no(400, "INVALID_ARGUMENTS");
}

#[tokio::test(start_paused = true)]
async fn no_agent_sees_what_is_everybodys() {
    let desk = desk().await;
    for path in ["/api/v1/overview", "/api/v1/connect", "/api/v1/tasks/abcdefgh12345678/tree"] {
        desk.get_as(&agent("fullstack-1"), path).await.is_no(403, "INSUFFICIENT_SCOPE");
    }
}
