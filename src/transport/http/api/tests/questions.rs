//! Questions over plain HTTP: lists, answers, and every no.

use serde_json::json;

use super::desk;
use crate::domain::principal::Scope;
use crate::transport::web::kit::{Desk, agent, person};

async fn asked(desk: &Desk) -> String {
    desk.registers("fullstack-1", "full-stack-engineer").await;
    let ask = json!({"question": "Old or new?", "options": ["old", "new"], "default_action": "new", "wait_seconds": 0});
    let asked = desk.post_as(&agent("fullstack-1"), "/api/v1/tools/request_input", ask).await;
    assert_eq!(asked.status, 200, "{}", asked.text);
    asked.body["question_id"].as_str().unwrap().to_owned()
}

fn answer_to(id: &str) -> String {
    format!("/api/v1/questions/{id}/answer")
}

#[tokio::test(start_paused = true)]
async fn open_questions_are_listed_and_an_answer_resolves_them() {
    let desk = desk().await;
    let id = asked(&desk).await;
    let list = desk.get("/api/v1/questions?agent=fullstack-1").await;
    assert_eq!((&list.body["items"][0]["id"], &list.body["items"][0]["state"]), (&json!(id), &json!("open")));
    assert_eq!(desk.get("/api/v1/snapshot").await.body["questions"][0]["id"], json!(id));
    let answered = desk.post(&answer_to(&id), json!({"value": "old"})).await;
    let resolution = &answered.body["resolution"];
    assert_eq!((&resolution["type"], &resolution["value"]), (&json!("human"), &json!("old")), "{}", answered.text);
    assert_eq!((&resolution["by"]["displayName"], &resolution["surface"]), (&json!("Ada"), &json!("api")));
    assert_eq!(desk.get("/api/v1/questions").await.body, json!({"items": []}));
    for state in ["resolved", "all"] {
        assert_eq!(desk.get(&format!("/api/v1/questions?state={state}")).await.body["items"][0]["id"], json!(id));
    }
    assert_eq!(desk.get(&format!("/api/v1/questions/{id}")).await.body["delivery"], "undelivered");
}

#[tokio::test(start_paused = true)]
async fn the_loser_is_told_who_won_with_what_and_when() {
    let desk = desk().await;
    let id = asked(&desk).await;
    desk.post(&answer_to(&id), json!({"value": "old"})).await;
    let late = desk.post(&answer_to(&id), json!({"value": "new"})).await;
    late.is_no(409, "ALREADY_RESOLVED");
    assert_eq!(late.body["details"]["resolution"]["value"], "old", "{}", late.text);
    let shown = desk.get(&format!("/api/v1/questions/{id}")).await;
    assert_eq!(shown.body["lateAnswers"][0]["value"], "new");
}

#[tokio::test(start_paused = true)]
async fn a_repeat_under_the_same_key_is_answered_as_the_first_time() {
    let desk = desk().await;
    let id = asked(&desk).await;
    let headers = [("content-type", "application/json"), ("idempotency-key", "k-1")];
    for _ in 0..2 {
        let body = json!({"value": "old"}).to_string();
        let answered = desk.send(&person(Scope::Operate), &answer_to(&id), &headers, body).await;
        assert_eq!((answered.status.as_u16(), &answered.body["state"]), (200, &json!("resolved")), "{}", answered.text);
    }
    let other = json!({"value": "new"}).to_string();
    desk.send(&person(Scope::Operate), &answer_to(&id), &headers, other).await.is_no(409, "IDEMPOTENCY_KEY_REUSED");
    assert_eq!(desk.get(&format!("/api/v1/questions/{id}")).await.body["lateAnswers"], json!([]));
}

#[tokio::test(start_paused = true)]
async fn bad_answers_are_refused_and_the_question_stays_open() {
    let desk = desk().await;
    let id = asked(&desk).await;
    desk.post(&answer_to(&id), json!({"value": "both"})).await.is_no(400, "ANSWER_NOT_AN_OPTION");
    desk.post(&answer_to(&id), json!({"value": " "})).await.is_no(400, "INVALID_ARGUMENTS");
    desk.post(&answer_to(&id), json!({})).await.is_no(400, "INVALID_ARGUMENTS");
    desk.post(&answer_to(&id), json!({"value": "old", "by": "me"})).await.is_no(400, "INVALID_ARGUMENTS");
    desk.post_as(&person(Scope::View), &answer_to(&id), json!({"value": "old"})).await.is_no(403, "INSUFFICIENT_SCOPE");
    let me = agent("fullstack-1");
    desk.post_as(&me, &answer_to(&id), json!({"value": "old"})).await.is_no(403, "INSUFFICIENT_SCOPE");
    let mighty = crate::domain::principal::Principal { scopes: [Scope::Agent, Scope::Admin].into(), ..me };
    desk.post_as(&mighty, &answer_to(&id), json!({"value": "old"})).await.is_no(403, "NOT_A_HUMAN");
    for unknown in ["q_00000000", "nonsense", "task0001"] {
        desk.post(&answer_to(unknown), json!({"value": "old"})).await.is_no(404, "QUESTION_NOT_FOUND");
        desk.get(&format!("/api/v1/questions/{unknown}")).await.is_no(404, "QUESTION_NOT_FOUND");
    }
    assert_eq!(desk.get(&format!("/api/v1/questions/{id}")).await.body["state"], "open");
}

#[tokio::test(start_paused = true)]
async fn a_sessions_history_is_read_back_page_by_page() {
    let desk = desk().await;
    let id = asked(&desk).await;
    let session = desk.get(&format!("/api/v1/questions/{id}")).await.body["sessionId"].as_str().unwrap().to_owned();
    let shown = desk.get(&format!("/api/v1/sessions/{session}")).await;
    assert_eq!(
        (&shown.body["workflowStatus"], &shown.body["openQuestion"]["id"]),
        (&json!("awaiting_input"), &json!(id))
    );
    let newest = desk.get(&format!("/api/v1/sessions/{session}/history?limit=1")).await;
    assert_eq!(newest.body["items"][0]["data"]["awaitingInput"]["question"], "Old or new?", "{}", newest.text);
    let before = newest.body["nextBeforeSeq"].as_u64().unwrap();
    let older = desk.get(&format!("/api/v1/sessions/{session}/history?beforeSeq={before}&types=question")).await;
    assert_eq!(older.body["items"][0]["type"], "question.asked", "{}", older.text);
    desk.get("/api/v1/sessions/s_00000000/history").await.is_no(404, "SESSION_NOT_FOUND");
}
