//! What an account has left, and what a role may use.

use serde_json::{Value, json};
use tokio::time::sleep;

use super::super::client::Hall;
use super::{
    GuardedHub, Host, JournalReads, MINUTE, ROLE, RoleId, Scope, Timestamp, calls, looks, memory, on_call, starts_anew,
    task,
};

#[tokio::test(start_paused = true)]
async fn an_account_at_its_limit_takes_nothing_until_it_is_over() {
    let hall = Hall::new().await;
    let mut host = on_call(&hall, "h1", 2).await;
    let id = json!(hall.assigns(ROLE).await);
    let offer = host.hears("offer").await;
    looks(&hall, &offer).await;
    let until = hall.house.backstage.hub.clock.now() + 30 * MINUTE;
    let ended = json!({"type": "ended", "run": offer["run"], "process": 1, "reason": "limited", "exit": 0,
        "limited": {"until": until}});
    assert_eq!(host.says(ended).await["waits"], false);
    host.says(json!({"type": "parked", "slot": offer["slot"]})).await;
    let seen = task(&hall, &id).await;
    assert_eq!((&seen["state"], &seen["runs"][0]["reason"]), (&json!("QUEUED"), &json!("limited")), "{seen}");
    host.hears_nothing_of("offer", 29 * MINUTE).await;
    let again = host.hears("offer").await;
    assert_eq!(again["task"], id);
    assert!(hall.house.backstage.hub.clock.now() >= until);
    hall.ends().await;
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_says_it_is_limited_rests_until_then_and_its_task_comes_back() {
    let hall = Hall::new().await;
    let mut host = on_call(&hall, "h1", 2).await;
    let id = json!(hall.assigns(ROLE).await);
    let offer = host.hears("offer").await;
    looks(&hall, &offer).await;
    let now = hall.house.backstage.hub.clock.now();
    let over = Timestamp(now.0 - 1).to_string();
    for until in [over, (now + 400 * 24 * 60 * MINUTE).to_string(), "soon".to_owned()] {
        let said = calls(&hall, &offer, "mark_blocked", json!({"reason": "limited", "until": until})).await;
        assert!(said.text.contains("INVALID_ARGUMENTS") && said.text.contains("until"), "{until}: {}", said.text);
    }
    let until = now + 30 * MINUTE;
    let said = json!({"reason": "limited", "until": until.to_string()});
    // Its token ends with its run, and so does the answer: its process is stopped in any case.
    calls(&hall, &offer, "mark_blocked", said).await;
    assert_eq!(host.hears("stop").await["why"], "limited");
    let seen = task(&hall, &id).await;
    assert_eq!((&seen["state"], &seen["runs"][0]["reason"]), (&json!("QUEUED"), &json!("limited")), "{seen}");
    host.ends(&offer["run"], 1, "killed").await;
    host.says(json!({"type": "parked", "slot": offer["slot"]})).await;
    host.hears_nothing_of("offer", 29 * MINUTE).await;
    assert_eq!(host.hears("offer").await["task"], id);
    hall.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_limit_outlives_a_restart_when_its_task_is_closed() {
    let (store, reader) = memory::open();
    let house = GuardedHub::over(Box::new(store), JournalReads::new(reader.clone()), |_| {}).await;
    let hall = Hall::of(house);
    let mut host = on_call(&hall, "h1", 1).await;
    hall.assigns(ROLE).await;
    let offer = host.hears("offer").await;
    looks(&hall, &offer).await;
    let done = json!({"taskId": offer["task"], "status": "COMPLETED", "message": "Done."});
    assert!(calls(&hall, &offer, "send_response", done).await.status.is_success());
    let until = hall.house.backstage.hub.clock.now() + 60 * MINUTE;
    let ended = json!({"type": "ended", "run": offer["run"], "process": 1, "reason": "limited", "exit": 0,
        "limited": {"until": until}});
    host.says(ended).await;
    let (hall, _) = starts_anew(hall, &reader).await;
    let mut host = on_call(&hall, "h1", 1).await;
    hall.assigns(ROLE).await;
    host.hears_nothing_of("offer", 30 * MINUTE).await;
    host.hears("offer").await;
    assert!(hall.house.backstage.hub.clock.now() >= until);
    hall.ends().await;
}

/// A hub whose runs of the role may use so much.
async fn within(budget: Value) -> Hall {
    Hall::with(16_384, |settings| {
        let role = settings.roles.roles.get_mut(&RoleId::parse(ROLE).unwrap()).unwrap();
        role.budget = serde_json::from_value(budget).unwrap();
    })
    .await
}

/// A process ends without a last word, and says what it cost.
async fn costs(host: &mut Host, run: &Value, process: u32, dollars: f64) -> bool {
    let ended = json!({"type": "ended", "run": run, "process": process, "reason": "no_report", "exit": 0,
        "usage": {"costUsd": dollars, "source": "client"}});
    host.says(ended).await["waits"].as_bool().unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_task_that_used_up_its_budget_is_blocked_and_goes_on_only_when_a_person_says_so() {
    let hall = within(json!({"perTask": "5 USD"})).await;
    let mut host = on_call(&hall, "h1", 1).await;
    let id = json!(hall.assigns(ROLE).await);
    let offer = host.hears("offer").await;
    looks(&hall, &offer).await;
    host.says(json!({"type": "started", "run": offer["run"], "pid": 7})).await;
    costs(&mut host, &offer["run"], 1, 5.5).await;
    let seen = task(&hall, &id).await;
    assert_eq!((&seen["state"], &seen["runs"][0]["reason"]), (&json!("BLOCKED"), &json!("budget")), "{seen}");
    assert!(seen.to_string().contains("budget of the task (perTask of role full-stack-engineer)"), "{seen}");
    host.says(json!({"type": "parked", "slot": "fs-1"})).await;
    host.hears_nothing_of("offer", 60 * MINUTE).await;
    let operator = hall.house.token_of("olga", Scope::Operate);
    let path = format!("/api/v1/tasks/{}/answer", id.as_str().unwrap());
    let said = hall.house.orders("POST", &path, &operator, json!({"answer": "go on"})).await;
    assert!(said.status.is_success(), "{}", said.text);
    assert_eq!(host.hears("offer").await["task"], id);
    hall.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_role_that_used_up_its_day_starts_nothing_before_midnight() {
    let hall = within(json!({"perDay": "5 USD"})).await;
    let mut host = on_call(&hall, "h1", 1).await;
    hall.assigns(ROLE).await;
    let offer = host.hears("offer").await;
    looks(&hall, &offer).await;
    let done = json!({"taskId": offer["task"], "status": "COMPLETED", "message": "Done."});
    assert!(calls(&hall, &offer, "send_response", done).await.status.is_success());
    costs(&mut host, &offer["run"], 1, 5.0).await;
    host.says(json!({"type": "parked", "slot": "fs-1"})).await;
    let next = json!(hall.assigns(ROLE).await);
    // The hub began at 08:00 UTC.
    sleep(14 * 60 * MINUTE).await;
    host.hears_nothing_of("offer", 60 * MINUTE).await;
    let operator = hall.house.token_of("olga", Scope::Operate);
    let why = format!("/api/v1/tasks/{}/why", next.as_str().unwrap());
    let why = hall.house.orders("GET", &why, &operator, Value::Null).await;
    assert!(why.text.contains("budget of role full-stack-engineer used up until"), "{}", why.text);
    let inbox = hall.house.orders("GET", "/api/v1/inbox", &operator, Value::Null).await;
    assert!(inbox.text.contains("budget"), "{}", inbox.text);
    assert_eq!(host.hears("offer").await["task"], next);
    hall.ends().await;
}
