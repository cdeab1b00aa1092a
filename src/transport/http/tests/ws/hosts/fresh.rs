//! A host whose slots give each task an agent of its own.

use serde_json::{Value, json};
use tokio::time::sleep;

use super::super::client::Hall;
use super::{
    GuardedHub, Host, JournalReads, MINUTE, ROLE, Scope, answers, asked, calls, calls_with, hello, introduces, looks,
    memory, starts_anew, task,
};

async fn is_back(hall: &Hall, host: &str, max: u16, runs: &[&str]) -> (Host, Value) {
    let mut said = hello(host, max, runs);
    said["fresh"] = json!(true);
    let (host, welcome) = introduces(hall, said).await;
    assert_eq!(welcome["type"], "welcome", "{welcome}");
    (host, welcome)
}

/// A host whose slots are parked.
pub(super) async fn fresh(hall: &Hall, name: &str, max: u16) -> Host {
    let (mut host, welcome) = is_back(hall, name, max, &[]).await;
    for slot in welcome["slots"].as_array().unwrap() {
        host.says(json!({"type": "parked", "slot": slot})).await;
    }
    host
}

/// What an offer is about: its task, and the agent of that task alone.
fn is_fresh(offer: &Value, id: &Value) {
    assert_eq!((&offer["task"], &offer["agent"]), (id, &json!(format!("fs-{}", id.as_str().unwrap()))), "{offer}");
}

async fn reads(hall: &Hall, path: &str) -> Value {
    hall.house.orders("GET", path, &hall.house.token_of("olga", Scope::Operate), Value::Null).await.body
}

#[tokio::test(start_paused = true)]
async fn each_task_has_an_agent_of_its_own_and_a_slot_for_as_long_as_it_runs() {
    let hall = Hall::new().await;
    let mut host = fresh(&hall, "h1", 2).await;
    let (one, two) = (json!(hall.assigns(ROLE).await), json!(hall.assigns(ROLE).await));
    let (first, second) = (host.hears("offer").await, host.hears("offer").await);
    is_fresh(&first, &one);
    is_fresh(&second, &two);
    assert_ne!(first["slot"], second["slot"]);
    assert_ne!(first["session"], second["session"]);
    assert!(looks(&hall, &first).await.status.is_success(), "its token speaks for it");
    let seen = task(&hall, &one).await;
    assert_eq!((&seen["state"], &seen["runs"][0]["agentId"]), (&json!("IN_PROGRESS"), &first["agent"]), "{seen}");
    looks(&hall, &second).await;
    let third = json!(hall.assigns(ROLE).await);
    let why = reads(&hall, &format!("/api/v1/tasks/{}/why", third.as_str().unwrap())).await;
    assert!(why.to_string().contains("on call: 0 of 2 free"), "{why}");
    let agent = reads(&hall, &format!("/api/v1/agents/{}", first["agent"].as_str().unwrap())).await;
    assert_eq!(
        (&agent["onCall"]["agentId"], &agent["onCall"]["slot"]["run"]),
        (&first["slot"], &first["run"]),
        "{agent}"
    );
    let question = asked(&hall, &mut host, &first).await;
    host.hears_nothing_of("offer", MINUTE).await;
    answers(&hall, &question, "drop").await;
    let resume = host.hears("resume").await;
    assert_eq!((&resume["run"], &resume["slot"]), (&first["run"], &first["slot"]));
    let token = resume["token"].as_str().unwrap();
    let done = json!({"taskId": one, "status": "COMPLETED", "message": "Done."});
    assert!(calls_with(&hall, token, "send_response", done).await.status.is_success());
    assert!(!host.ends(&first["run"], 2, "no_report").await);
    host.says(json!({"type": "parked", "slot": first["slot"]})).await;
    let next = host.hears("offer").await;
    is_fresh(&next, &third);
    assert_eq!(next["slot"], first["slot"]);
    assert_eq!(hall.availability(first["agent"].as_str().unwrap()).await, "offline", "its task is done");
    hall.ends().await;
}

#[tokio::test(start_paused = true)]
async fn an_offer_goes_back_with_the_connection_and_the_next_host_has_the_task() {
    let hall = Hall::new().await;
    let mut host = fresh(&hall, "h1", 1).await;
    let id = json!(hall.assigns(ROLE).await);
    is_fresh(&host.hears("offer").await, &id);
    drop(host);
    sleep(MINUTE / 60).await;
    assert_eq!(task(&hall, &id).await["state"], "QUEUED", "nobody had taken it up");
    let mut host = fresh(&hall, "h2", 1).await;
    let offer = host.hears("offer").await;
    is_fresh(&offer, &id);
    looks(&hall, &offer).await;
    drop(host);
    sleep(MINUTE).await;
    assert_eq!(task(&hall, &id).await["state"], "IN_PROGRESS", "its lease goes on");
    let mut host = fresh(&hall, "h3", 1).await;
    let again = host.hears("offer").await;
    is_fresh(&again, &id);
    let seen = task(&hall, &id).await;
    assert_eq!(seen["runs"][1]["reason"], "killed", "{seen}");
    hall.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_hub_that_starts_anew_finds_each_run_in_its_slot() {
    let (store, reader) = memory::open();
    let house = GuardedHub::over(Box::new(store), JournalReads::new(reader.clone()), |_| {}).await;
    let hall = Hall::of(house);
    let mut host = fresh(&hall, "h1", 3).await;
    let (working, waiting) = (json!(hall.assigns(ROLE).await), json!(hall.assigns(ROLE).await));
    let (one, two) = (host.hears("offer").await, host.hears("offer").await);
    is_fresh(&one, &working);
    looks(&hall, &one).await;
    let question = asked(&hall, &mut host, &two).await;
    let (hall, _) = starts_anew(hall, &reader).await;
    let (mut host, welcome) = is_back(&hall, "h1", 3, &[one["run"].as_str().unwrap()]).await;
    assert_eq!(welcome["runs"].as_array().unwrap().len(), 2, "{welcome}");
    host.number = 100;
    answers(&hall, &question, "drop").await;
    let resume = host.hears("resume").await;
    assert_eq!((&resume["run"], &resume["slot"]), (&two["run"], &two["slot"]));
    let progress = json!({"taskId": waiting, "status": "PROGRESS", "message": "I drop it."});
    let said = calls_with(&hall, resume["token"].as_str().unwrap(), "send_response", progress).await;
    assert!(said.status.is_success(), "{}", said.text);
    assert!(!host.ends(&one["run"], 1, "crashed").await);
    assert_eq!(task(&hall, &working).await["runs"][0]["reason"], "crashed");
    host.says(json!({"type": "parked", "slot": one["slot"]})).await;
    let again = host.hears("offer").await;
    is_fresh(&again, &working);
    assert_eq!(calls(&hall, &again, "get_task_context", json!({"taskId": working})).await.status, 200);
    hall.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_task_that_is_called_off_while_its_offer_is_passed_on_leaves_the_slot_free() {
    let hall = Hall::new().await;
    let mut host = fresh(&hall, "h1", 1).await;
    let id = hall.assigns(ROLE).await;
    let operator = hall.house.token_of("olga", Scope::Operate);
    let path = format!("/api/v1/tasks/{id}/cancel");
    assert!(hall.house.orders("POST", &path, &operator, json!({})).await.status.is_success());
    sleep(MINUTE).await;
    host.heard.clear();
    host.says(json!({"type": "parked", "slot": "fs-1"})).await;
    let next = json!(hall.assigns(ROLE).await);
    loop {
        let offer = host.hears("offer").await;
        if offer["task"] == next {
            break is_fresh(&offer, &next);
        }
    }
    hall.ends().await;
}
