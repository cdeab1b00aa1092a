//! Questions over plain HTTP: lists, answers, and every no.

use serde_json::json;

use super::desk;
use crate::domain::principal::Scope;
use crate::transport::web::tests::{RouteFixture, agent, person, service};

async fn asked(desk: &RouteFixture) -> String {
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
    assert_eq!(desk.get("/api/v1/questions").await.body, json!({"items": [], "total": 0}));
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
    let first = &late.body["details"]["resolution"];
    assert_eq!((&first["value"], &first["isOption"]), (&json!("old"), &json!(true)), "{}", late.text);
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
async fn what_could_be_no_answer_comes_too_late_as_well_and_is_not_kept() {
    let desk = desk().await;
    let id = asked(&desk).await;
    desk.post(&answer_to(&id), json!({"value": "old"})).await;
    let late = desk.post(&answer_to(&id), json!({"value": "both"})).await;
    late.is_no(409, "ALREADY_RESOLVED");
    assert_eq!(late.body["details"]["resolution"]["value"], "old", "{}", late.text);
    assert_eq!(desk.get(&format!("/api/v1/questions/{id}")).await.body["lateAnswers"], json!([]));
}

/// A proxy gives each call a key, and repeats it for what is left of its wait; its first may come on an offer
/// that nobody acknowledged.
#[tokio::test(start_paused = true)]
async fn an_agents_own_words_are_said_once_under_a_key_also_right_after_an_offer() {
    let desk = desk().await;
    desk.registers("fullstack-1", "full-stack-engineer").await;
    desk.task("fullstack-1", "Build it.").await;
    let me = agent("fullstack-1");
    desk.post_as(&me, "/api/v1/tools/wait_for_prompt", json!({})).await;
    let says = async |tool: &str, body: serde_json::Value| {
        let said = desk.post_as(&me, &format!("/api/v1/tools/{tool}"), body).await;
        assert_eq!(said.status, 200, "{tool}: {}", said.text);
        said.body
    };
    let status = json!({"status": "working", "message": "On it.", "idempotencyKey": "k-1"});
    assert_eq!(says("update_status", status).await["workflow_status"], "working");
    let ask = |seconds: u32| {
        json!({"question": "Old or new?", "default_action": "new", "wait_seconds": seconds, "idempotencyKey": "k-2",
            "timeout_minutes": 1})
    };
    let id = says("request_input", ask(0)).await["question_id"].clone();
    tokio::time::sleep(std::time::Duration::from_secs(15 * 60)).await;
    let again = says("request_input", ask(7)).await;
    assert_eq!((&again["question_id"], &again["resolution"]["type"]), (&id, &json!("timeout")));
    let withdrawn = desk
        .post_as(
            &me,
            "/api/v1/tools/request_input",
            json!({"question": "Old or new?",
        "default_action": "old", "idempotencyKey": "k-2"}),
        )
        .await;
    withdrawn.is_no(409, "IDEMPOTENCY_KEY_REUSED");
}

/// The key of an order that changed nothing is kept as well: its repeat changes nothing whatever moved meanwhile.
#[tokio::test(start_paused = true)]
async fn a_repeat_of_what_changed_nothing_changes_nothing() {
    let desk = desk().await;
    let id = asked(&desk).await;
    let me = agent("fullstack-1");
    let ask = json!({"question": "Old or new?", "options": ["old", "new"], "default_action": "new", "wait_seconds": 0,
        "idempotencyKey": "k-1"});
    let again = desk.post_as(&me, "/api/v1/tools/request_input", ask.clone()).await;
    assert_eq!(again.body["question_id"], json!(id), "{}", again.text);
    desk.post(&answer_to(&id), json!({"value": "old"})).await;
    tokio::time::sleep(std::time::Duration::from_secs(11 * 60)).await;
    let repeat = desk.post_as(&me, "/api/v1/tools/request_input", ask).await;
    assert_eq!((&repeat.body["question_id"], &repeat.body["resolution"]["value"]), (&json!(id), &json!("old")));
}

#[tokio::test(start_paused = true)]
async fn a_person_speaks_in_the_session_that_they_name_and_an_agent_in_its_own_alone() {
    let desk = desk().await;
    desk.registers("fullstack-1", "full-stack-engineer").await;
    desk.registers("pm-1", "project-manager").await;
    let task = desk.task("fullstack-1", "Build it.").await;
    desk.waits("fullstack-1").await;
    let me = agent("fullstack-1");
    let mine = desk.post_as(&me, "/api/v1/tools/get_session", json!({})).await.body["session"]["sessionId"].clone();
    let operator = person(Scope::Operate);
    let says = async |tool: &str, mut body: serde_json::Value| {
        body["session_id"] = mine.clone();
        let path = format!("/api/v1/tools/{tool}");
        let no = desk.post_as(&agent("pm-1"), &path, body.clone()).await;
        no.is_no(404, "SESSION_NOT_FOUND");
        let said = desk.post_as(&operator, &path, body).await;
        assert_eq!(said.status, 200, "{tool}: {}", said.text);
        said.body
    };
    desk.post_as(&me, "/api/v1/tools/ack_task", json!({ "taskId": task })).await;
    assert_eq!(says("update_status", json!({"status": "working", "message": "x"})).await["workflow_status"], "working");
    let ask = json!({"question": "Old or new?", "default_action": "new", "wait_seconds": 0});
    let id = says("request_input", ask).await["question_id"].as_str().unwrap().to_owned();
    let asked = desk.get(&format!("/api/v1/questions/{id}")).await.body;
    assert_eq!((&asked["agentId"], &asked["taskId"]), (&json!("fullstack-1"), &json!(task)), "{asked}");
    assert_eq!(asked["allowFreeText"], true, "without options any text is an answer: {asked}");
    let withdrawn = says("withdraw_question", json!({"question_id": id, "reason": "settled by phone"})).await;
    let resolution = &withdrawn["resolution"];
    assert_eq!((&resolution["type"], &resolution["by"]["principal"]), (&json!("cancelled"), &json!("person:ada")));
    let heard = desk.post_as(&me, "/api/v1/tools/get_session", json!({})).await;
    let said = "Ada took your question back";
    let notices = heard.body["notices"].to_string().replace(&format!(" {id}"), "");
    assert!(notices.contains(said) && notices.contains("settled by phone"), "{}", heard.text);
    says("submit_for_review", json!({"pr_url": "https://forge.example/1"})).await;
    assert_eq!(says("list_prs", json!({})).await["prs"][0]["task_id"], json!(task));
    let review = desk.get(&format!("/api/v1/reviews/{task}")).await.body;
    assert_eq!((&review["agentId"], &review["rounds"][0]["sessionId"]), (&json!("fullstack-1"), &mine), "{review}");
    says("update_status", json!({"status": "working", "message": "taken back"})).await;
    assert_eq!(says("mark_blocked", json!({"reason": "no key"})).await["workflow_status"], "blocked");
    assert_eq!(says("complete_task", json!({"summary": "found the key"})).await["state"], "COMPLETED");
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
    let bot = service("bot");
    desk.post_as(&bot, &answer_to(&id), json!({"value": "old"})).await.is_no(403, "NOT_A_HUMAN");
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

#[tokio::test(start_paused = true)]
async fn a_persons_own_words_have_a_way_that_the_refusal_names_and_the_agent_hears_that_they_are_no_option() {
    let desk = desk().await;
    let id = asked(&desk).await;
    let refused = desk.post(&answer_to(&id), json!({"value": "neither"})).await;
    refused.is_no(400, "ANSWER_NOT_AN_OPTION");
    assert!(refused.text.contains("ownWords"), "{}", refused.text);
    let taken = desk.post(&answer_to(&id), json!({"value": "neither", "ownWords": true})).await;
    assert_eq!(taken.body["resolution"]["isOption"], false, "{}", taken.text);
    let told = desk.post_as(&agent("fullstack-1"), "/api/v1/tools/wait_for_answer", json!({"question_id": id})).await;
    assert_eq!(told.body["message"], "Ada answered in own words, with none of your options: neither", "{}", told.text);
}

#[tokio::test(start_paused = true)]
async fn an_option_is_taken_in_any_case() {
    let desk = desk().await;
    let id = asked(&desk).await;
    let taken = desk.post(&answer_to(&id), json!({"value": " OLD "})).await;
    let resolution = &taken.body["resolution"];
    assert_eq!((&resolution["value"], &resolution["isOption"]), (&json!("old"), &json!(true)), "{}", taken.text);
}
