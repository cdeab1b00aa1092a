//! What an account has left, and what a role may use.

use serde_json::{Value, json};
use tokio::time::sleep;

use super::super::client::Hall;
use super::{
    GuardedHub, Host, JournalReads, MINUTE, ROLE, RoleId, Scope, Timestamp, answers, calls, hello, introduces, looks,
    memory, on_call, starts_anew, task,
};
use crate::journal::Seq;
use crate::settings::Settings;

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
    let inbox = reads(&hall, "/api/v1/inbox").await;
    assert!(inbox.text.contains(&format!("role {ROLE} on call is at its limit")), "{}", inbox.text);
    host.hears_nothing_of("offer", 29 * MINUTE).await;
    let again = host.hears("offer").await;
    assert_eq!(again["task"], id);
    assert!(hall.house.backstage.hub.clock.now() >= until);
    let inbox = reads(&hall, "/api/v1/inbox").await;
    assert!(!inbox.text.contains("at its limit"), "{}", inbox.text);
    hall.ends().await;
}

#[tokio::test(start_paused = true)]
async fn another_account_takes_what_one_at_its_limit_left_and_nobody_is_asked() {
    let hall = Hall::new().await;
    let mut host = on_call(&hall, "h1", 1).await;
    let id = json!(hall.assigns(ROLE).await);
    let offer = host.hears("offer").await;
    looks(&hall, &offer).await;
    let mut hello = hello("h2", 1, &[]);
    (hello["prefix"], hello["account"]) = (json!("other"), json!("second"));
    let (mut other, welcome) = introduces(&hall, hello).await;
    other.says(json!({"type": "parked", "slot": welcome["slots"][0]})).await;
    let until = hall.house.backstage.hub.clock.now() + 30 * MINUTE;
    let ended = json!({"type": "ended", "run": offer["run"], "process": 1, "reason": "limited", "exit": 0,
        "limited": {"until": until}});
    host.says(ended).await;
    assert_eq!(other.hears("offer").await["task"], id);
    host.says(json!({"type": "parked", "slot": offer["slot"]})).await;
    // More work: the one account has no slot left, and the other one is only busy.
    hall.assigns(ROLE).await;
    let inbox = reads(&hall, "/api/v1/inbox").await;
    assert!(!inbox.text.contains("at its limit"), "{}", inbox.text);
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
pub(super) async fn within(budget: Value) -> Hall {
    Hall::with(16_384, |settings| allows(settings, budget)).await
}

pub(super) fn allows(settings: &mut Settings, budget: Value) {
    let role = settings.roles.roles.get_mut(&RoleId::parse(ROLE).unwrap()).unwrap();
    role.budget = serde_json::from_value(budget).unwrap();
}

fn uses_five(settings: &mut Settings) {
    allows(settings, json!({"perTask": "5 USD"}));
}

/// A process ends without a last word, and says what it cost.
pub(super) async fn costs(host: &mut Host, run: &Value, process: u32, dollars: f64) -> bool {
    let ended = json!({"type": "ended", "run": run, "process": process, "reason": "no_report", "exit": 0,
        "usage": {"costUsd": dollars, "source": "client"}});
    host.says(ended).await["waits"].as_bool().unwrap()
}

/// The open questions for the sake of a task, and what a person reads of the hub at this address.
pub(super) async fn questions(hall: &Hall, id: &Value) -> Vec<Value> {
    let found = reads(hall, &format!("/api/v1/questions?task={}", id.as_str().unwrap())).await.body;
    found["items"].as_array().unwrap_or_else(|| panic!("{found}")).clone()
}

pub(super) async fn reads(hall: &Hall, path: &str) -> super::Answer {
    hall.house.orders("GET", path, &hall.house.token_of("olga", Scope::Operate), Value::Null).await
}

/// A task whose one process used more than the task may.
pub(super) async fn spends_all(hall: &Hall, host: &mut Host) -> (Value, Value) {
    let id = json!(hall.assigns(ROLE).await);
    let offer = host.hears("offer").await;
    assert_eq!(offer["task"], id);
    looks(hall, &offer).await;
    host.says(json!({"type": "started", "run": offer["run"], "pid": 7})).await;
    assert!(!costs(host, &offer["run"], 1, 5.5).await);
    host.says(json!({"type": "parked", "slot": offer["slot"]})).await;
    (id, offer)
}

#[tokio::test(start_paused = true)]
async fn people_are_asked_whether_a_task_goes_on_that_used_up_its_budget() {
    let hall = within(json!({"perTask": "5 USD"})).await;
    let mut host = on_call(&hall, "h1", 1).await;
    let (id, offer) = spends_all(&hall, &mut host).await;
    let seen = task(&hall, &id).await;
    assert_eq!((&seen["state"], &seen["runs"][0]["reason"]), (&json!("BLOCKED"), &json!("budget")), "{seen}");
    assert_eq!(seen["comments"].as_array().map(Vec::len), Some(1), "{seen}");
    assert!(
        seen["comments"][0].to_string().contains("budget of the task (perTask of role full-stack-engineer)"),
        "{seen}"
    );
    let asked = questions(&hall, &id).await;
    let [question] = &asked[..] else { panic!("{asked:?}") };
    assert_eq!((&question["kind"], &question["defaultAction"]), (&json!("budget"), &json!("stop")), "{question}");
    assert_eq!(question["options"], json!(["go on", "stop"]));
    assert!(question["question"].as_str().unwrap().contains("5.50 USD of 5.00 USD are used"), "{question}");
    let inbox = reads(&hall, "/api/v1/inbox").await;
    assert!(inbox.text.contains("the budget of the task of `fs-1` is used up"), "{}", inbox.text);
    host.hears_nothing_of("offer", 20 * MINUTE).await;
    answers(&hall, question["id"].as_str().unwrap(), "go on").await;
    let again = host.hears("offer").await;
    assert_eq!((&again["task"], again["run"] == offer["run"]), (&id, false));
    looks(&hall, &again).await;
    costs(&mut host, &again["run"], 1, 5.0).await;
    assert_eq!(questions(&hall, &id).await.len(), 1, "the same amount once more is used up");
    let usage = reads(&hall, "/api/v1/usage").await.body;
    assert_eq!(usage["items"][0]["budget"], json!({"perTask": "5.00 USD", "perDay": null}), "{usage}");
    let metrics = reads(&hall, "/metrics").await.text;
    assert!(metrics.contains("callboard_usage_cost_usd_total{role=\"full-stack-engineer\"} 10.5\n"), "{metrics}");
    assert!(metrics.contains("callboard_usage_unknown_processes_total{role=\"designer\"} 0\n"), "{metrics}");
    let told = hall.house.backstage.hub.journal.read(|reader| reader.records(Seq(0), 1_000)).await.unwrap();
    assert_eq!(format!("{told:?}").matches("RunBudget").count(), 2, "an event of its own, each time");
    // Nobody answers: it stops.
    sleep(31 * MINUTE).await;
    let seen = task(&hall, &id).await;
    assert_eq!(seen["state"], "FAILED", "{seen}");
    assert!(seen.to_string().contains("its default `stop` applied"), "{seen}");
    hall.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_person_who_says_stop_ends_the_task_and_the_slot_takes_the_next() {
    let hall = within(json!({"perTask": "5 USD"})).await;
    let mut host = on_call(&hall, "h1", 1).await;
    let (id, _) = spends_all(&hall, &mut host).await;
    let question = questions(&hall, &id).await[0]["id"].clone();
    answers(&hall, question.as_str().unwrap(), "stop").await;
    let seen = task(&hall, &id).await;
    assert_eq!(seen["state"], "FAILED", "{seen}");
    let answered = reads(&hall, &format!("/api/v1/questions/{}", question.as_str().unwrap())).await.body;
    assert_eq!(answered["resolution"]["value"], "stop", "one answer, which nothing supersedes: {answered}");
    let (next, _) = spends_all(&hall, &mut host).await;
    assert_eq!(questions(&hall, &next).await.len(), 1, "each task has its question");
    hall.ends().await;
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_asks_something_itself_keeps_its_question_and_its_task_waits_for_a_word() {
    let hall = within(json!({"perTask": "5 USD"})).await;
    let mut host = on_call(&hall, "h1", 1).await;
    let id = json!(hall.assigns(ROLE).await);
    let offer = host.hears("offer").await;
    let asks =
        json!({"question": "Keep it?", "options": ["keep", "drop"], "default_action": "keep", "wait_seconds": 0});
    assert!(calls(&hall, &offer, "request_input", asks).await.status.is_success());
    assert!(!costs(&mut host, &offer["run"], 1, 5.5).await);
    host.says(json!({"type": "parked", "slot": "fs-1"})).await;
    let asked = questions(&hall, &id).await;
    assert_eq!((asked.len(), &asked[0]["question"]), (1, &json!("Keep it?")));
    answers(&hall, asked[0]["id"].as_str().unwrap(), "drop").await;
    host.hears_nothing_of("offer", 20 * MINUTE).await;
    let operator = hall.house.token_of("olga", Scope::Operate);
    let path = format!("/api/v1/tasks/{}/answer", id.as_str().unwrap());
    let said = hall.house.orders("POST", &path, &operator, json!({"answer": "go on"})).await;
    assert!(said.status.is_success(), "{}", said.text);
    assert_eq!(host.hears("offer").await["task"], id);
    hall.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_word_that_lets_a_task_go_on_outlives_a_restart() {
    let (store, reader) = memory::open();
    let house = GuardedHub::over(Box::new(store), JournalReads::new(reader.clone()), uses_five).await;
    let hall = Hall::of(house);
    let mut host = on_call(&hall, "h1", 1).await;
    let (id, offer) = spends_all(&hall, &mut host).await;
    let records = hall.house.backstage.hub.journal.read(|reader| reader.records(Seq(0), 1_000)).await.unwrap();
    let append_of = |part: &str| {
        let found = records.iter().find(|kept| format!("{:?}", kept.record).contains(part));
        found.map(|kept| kept.cause.unwrap_or(kept.seq)).unwrap_or_else(|| panic!("{part}"))
    };
    assert_eq!(append_of("kind: Budget"), append_of("reason: Budget"), "asked in the append of the end");
    drop(host);
    answers(&hall, questions(&hall, &id).await[0]["id"].as_str().unwrap(), "go on").await;
    hall.ends().await;
    let (store, reader) = reader.reopened();
    let house = GuardedHub::over(Box::new(store), JournalReads::new(reader.clone()), uses_five).await;
    let hall = Hall::of(house);
    let mut host = on_call(&hall, "h1", 1).await;
    let again = host.hears("offer").await;
    assert_eq!((&again["task"], again["run"] == offer["run"]), (&id, false));
    looks(&hall, &again).await;
    assert!(!costs(&mut host, &again["run"], 1, 1.0).await);
    let asked = questions(&hall, &id).await;
    assert!(asked.iter().all(|question| !question["resolution"].is_null()), "there is some left: {asked:?}");
    hall.ends().await;
}

#[tokio::test(start_paused = true)]
async fn what_a_host_says_of_no_process_of_its_own_changes_nothing() {
    let hall = within(json!({"perTask": "5 USD"})).await;
    let mut host = on_call(&hall, "h1", 1).await;
    let id = json!(hall.assigns(ROLE).await);
    let offer = host.hears("offer").await;
    looks(&hall, &offer).await;
    for process in [7, 0, 2] {
        costs(&mut host, &offer["run"], process, 9.0).await;
    }
    let mut other = hello("h2", 1, &[]);
    other["prefix"] = json!("other");
    let (mut stranger, _) = introduces(&hall, other).await;
    costs(&mut stranger, &offer["run"], 1, 9.0).await;
    stranger.says(json!({"type": "conversation", "run": offer["run"], "id": "stolen"})).await;
    let seen = task(&hall, &id).await;
    assert_eq!((&seen["state"], &seen["runs"][0]["state"]), (&json!("IN_PROGRESS"), &json!("working")), "{seen}");
    assert!(!seen.to_string().contains("perTask") && !seen.to_string().contains("stolen"), "{seen}");
    hall.ends().await;
}

#[tokio::test(start_paused = true)]
async fn of_a_process_that_is_lost_with_its_host_people_hear_that_it_said_nothing() {
    let hall = within(json!({"perTask": "5 USD"})).await;
    let mut host = on_call(&hall, "h1", 1).await;
    let id = json!(hall.assigns(ROLE).await);
    looks(&hall, &host.hears("offer").await).await;
    drop(host);
    sleep(MINUTE).await;
    on_call(&hall, "h2", 1).await;
    let seen = task(&hall, &id).await;
    assert_eq!(seen["runs"][0]["reason"], "killed", "{seen}");
    assert!(seen.to_string().contains("1 process did not say what it used"), "{seen}");
    hall.ends().await;
}

#[tokio::test(start_paused = true)]
async fn what_was_used_counts_for_the_role_of_then() {
    let hall = within(json!({"perDay": "5 USD"})).await;
    let mut host = on_call(&hall, "h1", 1).await;
    hall.assigns(ROLE).await;
    let offer = host.hears("offer").await;
    looks(&hall, &offer).await;
    costs(&mut host, &offer["run"], 1, 5.0).await;
    host.says(json!({"type": "bye"})).await;
    drop(host);
    sleep(MINUTE).await;
    let token = super::host_token(&hall.house, "designs", "designer");
    let mut host = super::dials(&hall, &token).await.expect("a socket");
    let mut said = hello("h2", 1, &[]);
    said["role"] = json!("designer");
    let welcome = host.introduces_itself(said).await;
    assert_eq!(welcome["type"], "welcome", "{welcome}");
    let inbox = reads(&hall, "/api/v1/inbox").await;
    assert!(inbox.text.contains("5.00 USD of 5.00 USD are used"), "{}", inbox.text);
    let usage = reads(&hall, "/api/v1/usage").await.body;
    assert_eq!(usage["items"][0]["key"], ROLE, "{usage}");
    hall.ends().await;
}

/// A run whose only process said that it is BLOCKED, after so many dollars; it waits.
async fn blocked_after(hall: &Hall, host: &mut Host, dollars: f64) -> (Value, Value) {
    let id = json!(hall.assigns(ROLE).await);
    let offer = host.hears("offer").await;
    host.says(json!({"type": "conversation", "run": offer["run"], "id": "c-1"})).await;
    let blocked = json!({"taskId": id, "status": "BLOCKED", "message": "m", "blockedReason": "which port?"});
    assert!(calls(hall, &offer, "send_response", blocked).await.status.is_success());
    assert_eq!(host.hears("stop").await["why"], "reported");
    assert!(costs(host, &offer["run"], 1, dollars).await, "it waits");
    (id, offer)
}

pub(super) async fn says(hall: &Hall, id: &Value, verb: &str, words: Value) {
    let operator = hall.house.token_of("olga", Scope::Operate);
    let path = format!("/api/v1/tasks/{}/{verb}", id.as_str().unwrap());
    let said = hall.house.orders("POST", &path, &operator, words).await;
    assert!(said.status.is_success(), "{}", said.text);
}

#[tokio::test(start_paused = true)]
async fn a_run_that_waits_over_its_budget_has_no_next_process_before_a_person_lets_it_go_on() {
    let hall = within(json!({"perTask": "5 USD"})).await;
    let mut host = on_call(&hall, "h1", 1).await;
    let (id, offer) = blocked_after(&hall, &mut host, 5.5).await;
    let seen = task(&hall, &id).await;
    assert!(seen["comments"].to_string().contains("5.50 USD of 5.00 USD are used"), "{seen}");
    // Its own note, and whatever else its agent could hear.
    host.hears_nothing_of("resume", MINUTE).await;
    says(&hall, &id, "comments", json!({"text": "take care"})).await;
    host.hears_nothing_of("resume", MINUTE).await;
    says(&hall, &id, "answer", json!({"answer": "port 7420"})).await;
    let stop = host.hears("stop").await;
    assert_eq!((&stop["run"], &stop["why"]), (&offer["run"], &json!("budget")), "no process: {stop}");
    host.says(json!({"type": "parked", "slot": offer["slot"]})).await;
    let seen = task(&hall, &id).await;
    assert_eq!((&seen["state"], &seen["runs"][0]["reason"]), (&json!("BLOCKED"), &json!("budget")), "{seen}");
    let asked = questions(&hall, &id).await;
    let [question] = &asked[..] else { panic!("{asked:?}") };
    assert!(question["question"].as_str().unwrap().contains("5.50 USD of 5.00 USD are used"), "{question}");
    host.hears_nothing_of("offer", 20 * MINUTE).await;
    answers(&hall, question["id"].as_str().unwrap(), "go on").await;
    let again = host.hears("offer").await;
    assert_eq!((&again["task"], &again["conversation"]), (&id, &json!("c-1")), "{again}");
    assert!(again["prompt"].as_str().unwrap().contains("port 7420"), "what it waited for is not lost: {again}");
    looks(&hall, &again).await;
    assert!(!costs(&mut host, &again["run"], 1, 1.0).await);
    let asked = questions(&hall, &id).await;
    assert!(asked.iter().all(|question| !question["resolution"].is_null()), "there is some left: {asked:?}");
    hall.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_run_that_is_near_its_budget_is_not_resumed_by_the_note_and_is_by_its_answer() {
    let hall = within(json!({"perTask": "5 USD"})).await;
    let mut host = on_call(&hall, "h1", 1).await;
    let (id, offer) = blocked_after(&hall, &mut host, 4.5).await;
    let seen = task(&hall, &id).await;
    assert!(seen["comments"].to_string().contains("4.50 USD of 5.00 USD are used"), "{seen}");
    host.hears_nothing_of("resume", MINUTE).await;
    says(&hall, &id, "answer", json!({"answer": "port 7420"})).await;
    assert_eq!(host.hears("resume").await["run"], offer["run"]);
    looks(&hall, &offer).await;
    hall.ends().await;
}

#[tokio::test(start_paused = true)]
async fn nobody_who_lets_a_waiting_run_go_on_over_its_budget_ends_its_task() {
    let hall = within(json!({"perTask": "5 USD"})).await;
    let mut host = on_call(&hall, "h1", 1).await;
    let (id, offer) = blocked_after(&hall, &mut host, 9.0).await;
    says(&hall, &id, "answer", json!({"answer": "port 7420"})).await;
    assert_eq!(host.hears("stop").await["run"], offer["run"]);
    host.says(json!({"type": "parked", "slot": offer["slot"]})).await;
    host.hears_nothing_of("offer", 29 * MINUTE).await;
    sleep(2 * MINUTE).await;
    let seen = task(&hall, &id).await;
    assert_eq!(seen["state"], "FAILED", "{seen}");
    // The slot is free for other work.
    let next = json!(hall.assigns(ROLE).await);
    assert_eq!(host.hears("offer").await["task"], next);
    hall.ends().await;
}
