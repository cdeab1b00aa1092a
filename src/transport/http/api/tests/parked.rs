//! A dangerous question whose deadline passed, told from outside: its agent takes other work, people answer late.

use std::time::Duration;

use serde_json::{Value, json};

use super::desk;
use crate::transport::web::tests::{Answered, RouteFixture, agent};

/// The agent of these stories calls a tool.
async fn calls(desk: &RouteFixture, tool: &str, arguments: Value) -> Answered {
    let answered = desk.post_as(&agent("fullstack-1"), &format!("/api/v1/tools/{tool}"), arguments).await;
    assert_eq!(answered.status, 200, "{tool}: {}", answered.text);
    answered
}

/// A task that the agent works on.
async fn at_work(desk: &RouteFixture, prompt: &str) -> String {
    let task = desk.task("fullstack-1", prompt).await;
    takes(desk, &task).await;
    task
}

/// The agent waits until it is handed this task, and acknowledges it. Gives the offer.
async fn takes(desk: &RouteFixture, task: &str) -> Value {
    for _ in 0..5 {
        let offered = calls(desk, "wait_for_prompt", json!({"timeout": 1})).await.body;
        if offered["taskId"] == task {
            calls(desk, "ack_task", json!({"taskId": task})).await;
            return offered;
        }
    }
    panic!("task {task} did not come");
}

fn drop_it(options: &Value) -> Value {
    json!({"question": "May I drop the old table?", "options": options, "default_action": "yes", "timeout_minutes": 10,
        "dangerous": true, "wait_seconds": 0})
}

async fn asks(desk: &RouteFixture) -> String {
    let asked = calls(desk, "request_input", drop_it(&json!(["yes", "no"]))).await;
    asked.body["question_id"].as_str().unwrap().to_owned()
}

async fn minutes(many: u64) {
    tokio::time::sleep(Duration::from_secs(many * 60)).await;
}

async fn state(desk: &RouteFixture, task: &str) -> Value {
    desk.get(&format!("/api/v1/tasks/{task}")).await.body["state"].clone()
}

async fn question(desk: &RouteFixture, id: &str) -> Value {
    desk.get(&format!("/api/v1/questions/{id}")).await.body
}

async fn inbox(desk: &RouteFixture) -> Vec<String> {
    let items = desk.get("/api/v1/inbox").await.body["items"].clone();
    items.as_array().unwrap().iter().map(|item| item["id"].as_str().unwrap().to_owned()).collect()
}

/// The question is overdue, its task BLOCKED, and the agent at work on something else.
async fn elsewhere(desk: &RouteFixture) -> (String, String, String) {
    desk.registers("fullstack-1", "full-stack-engineer").await;
    let first = at_work(desk, "Clean up.").await;
    let id = asks(desk).await;
    minutes(11).await;
    assert_eq!(state(desk, &first).await, "BLOCKED");
    let second = at_work(desk, "Write the changelog.").await;
    (first, second, id)
}

#[tokio::test(start_paused = true)]
async fn a_late_answer_counts_frees_the_task_and_reaches_the_agent_at_its_other_work() {
    let desk = desk().await;
    let (first, second, id) = elsewhere(&desk).await;
    minutes(5).await;
    let open = question(&desk, &id).await;
    assert_eq!((&open["state"], &open["resolution"]), (&json!("open"), &Value::Null), "{open}");
    assert_eq!(inbox(&desk).await, [format!("question:{id}")], "and nothing beside it for the same reason");
    let answered = desk.post(&format!("/api/v1/questions/{id}/answer"), json!({"value": "no"})).await;
    assert_eq!(answered.body["resolution"]["type"], "human", "{}", answered.text);
    assert_eq!((state(&desk, &first).await, state(&desk, &second).await), (json!("QUEUED"), json!("IN_PROGRESS")));
    assert!(!inbox(&desk).await.contains(&format!("question:{id}")));
    let told = calls(&desk, "update_progress", json!({"taskId": second, "message": "half"})).await;
    let notices = told.body["notices"].to_string();
    assert!(notices.contains("answered your question") && notices.contains("no"), "{}", told.text);
    calls(&desk, "send_response", json!({"taskId": second, "status": "COMPLETED", "message": "done"})).await;
    let offered = takes(&desk, &first).await;
    assert_eq!(offered["comments"][0]["text"], "no (the answer to `May I drop the old table?`)", "{offered}");
    assert_eq!(question(&desk, &id).await["delivery"], "acknowledged");
}

async fn item(desk: &RouteFixture, id: &str) -> Value {
    let items = desk.get("/api/v1/inbox").await.body["items"].clone();
    let found = items.as_array().unwrap().iter().find(|item| item["id"] == format!("question:{id}"));
    found.unwrap_or_else(|| panic!("{items}")).clone()
}

#[tokio::test(start_paused = true)]
async fn whoever_looks_for_what_needs_them_reads_who_really_stands_still() {
    let desk = desk().await;
    desk.registers("fullstack-1", "full-stack-engineer").await;
    let first = at_work(&desk, "Clean up.").await;
    let id = asks(&desk).await;
    let asked = item(&desk, &id).await;
    assert_eq!((&asked["reason"], &asked["cost"]["waits"]), (&json!("`fullstack-1` asks"), &json!(["fullstack-1"])));
    assert_eq!(asked["then"], "nothing: it stays open until somebody answers");
    minutes(11).await;
    let still = item(&desk, &id).await;
    let reason = "`fullstack-1` stands still: nobody answered, and its default could do harm";
    assert_eq!((&still["reason"], &still["cost"]["standsStill"]), (&json!(reason), &json!(1)), "{still}");
    at_work(&desk, "Write the changelog.").await;
    let parked = item(&desk, &id).await;
    let reason = "its task stands still, and `fullstack-1` does not wait for it: nobody answered, and its default \
                  could do harm";
    assert_eq!((&parked["reason"], &parked["cost"]["waits"]), (&json!(reason), &json!([])), "{parked}");
    assert_eq!((&parked["taskId"], &parked["cost"]["standsStill"]), (&json!(first), &json!(1)), "{parked}");
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_works_on_beside_its_question_is_not_said_to_stand_still() {
    let desk = desk().await;
    desk.registers("fullstack-1", "full-stack-engineer").await;
    let id = asks(&desk).await;
    calls(&desk, "update_status", json!({"status": "working", "message": "other things"})).await;
    let asked = item(&desk, &id).await;
    assert_eq!(asked["reason"], "`fullstack-1` asks, and does not wait for it", "{asked}");
    minutes(11).await;
    calls(&desk, "update_status", json!({"status": "working", "message": "other things"})).await;
    let overdue = item(&desk, &id).await;
    let reason = "nobody answered, and its default could do harm; `fullstack-1` does not wait for it";
    assert_eq!((&overdue["reason"], &overdue["cost"]["waits"]), (&json!(reason), &json!([])), "{overdue}");
    assert_eq!(overdue["cost"]["standsStill"], 0, "{overdue}");
}

#[tokio::test(start_paused = true)]
async fn the_word_that_a_question_is_overdue_names_it_and_is_not_its_answer() {
    let desk = desk().await;
    desk.registers("fullstack-1", "full-stack-engineer").await;
    at_work(&desk, "Clean up.").await;
    let id = asks(&desk).await;
    minutes(11).await;
    let told = calls(&desk, "get_session", json!({})).await;
    let notice = &told.body["notices"][0];
    assert_eq!((&notice["questionId"], &notice["kind"]), (&json!(id), &json!("message")), "{}", told.text);
    desk.post(&format!("/api/v1/questions/{id}/answer"), json!({"value": "no"})).await;
    // What left before the answer says nothing of how far the answer is.
    assert_eq!(question(&desk, &id).await["delivery"], "undelivered");
    calls(&desk, "get_session", json!({})).await;
    assert_eq!(question(&desk, &id).await["delivery"], "delivered");
}

/// The default of a question that could do harm is not dropped by whoever asks it, at no door.
#[tokio::test(start_paused = true)]
async fn nobody_completes_a_task_past_their_own_dangerous_question() {
    let desk = desk().await;
    desk.registers("fullstack-1", "full-stack-engineer").await;
    let task = at_work(&desk, "Clean up.").await;
    let id = asks(&desk).await;
    let me = agent("fullstack-1");
    let done = json!({"taskId": task, "status": "COMPLETED", "message": "done"});
    let summary = json!({"summary": "done"});
    let report = json!({"status": "completed", "message": "done"});
    let tries =
        async |tool: &str, body: &Value| desk.post_as(&me, &format!("/api/v1/tools/{tool}"), body.clone()).await;
    for round in ["open", "overdue"] {
        for (tool, body) in [("send_response", &done), ("complete_task", &json!({"summary": "done", "task_id": task}))]
        {
            let no = tries(tool, body).await;
            no.is_no(409, "QUESTION_OPEN");
            assert_eq!(no.body["details"]["questionId"], json!(id), "{round}: {}", no.text);
        }
        tries("update_status", &report).await.is_no(409, "INVALID_TRANSITION");
        assert_eq!(question(&desk, &id).await["state"], "open", "{round}");
        minutes(11).await;
    }
    calls(&desk, "update_status", json!({"status": "working", "message": "x"})).await;
    tries("update_status", &report).await.is_no(409, "QUESTION_OPEN");
    tries("complete_task", &summary).await.is_no(409, "QUESTION_OPEN");
    desk.post(&format!("/api/v1/questions/{id}/answer"), json!({"value": "no"})).await;
    calls(&desk, "send_response", done).await;
    assert_eq!(state(&desk, &task).await, "COMPLETED");
}

#[tokio::test(start_paused = true)]
async fn of_a_task_that_is_called_off_its_agent_hears_so_and_nobody_is_said_to_have_answered() {
    let desk = desk().await;
    desk.registers("fullstack-1", "full-stack-engineer").await;
    let task = at_work(&desk, "Clean up.").await;
    let id = asks(&desk).await;
    desk.post(&format!("/api/v1/tasks/{task}/cancel"), json!({"reason": "not needed"})).await;
    let ended = question(&desk, &id).await;
    assert_eq!((&ended["resolution"]["type"], &ended["resolution"]["value"]), (&json!("superseded"), &json!("")));
    let heard = calls(&desk, "get_session", json!({})).await;
    let said = format!("Your question {id} needs no answer any more: task {task} was called off.");
    assert!(heard.body["notices"].to_string().contains(&said), "{}", heard.text);
    assert_eq!(heard.body["session"]["workflowStatus"], "started", "{}", heard.text);
}

#[tokio::test(start_paused = true)]
async fn asked_again_it_is_the_same_question_until_its_answer_which_holds_for_its_own_task() {
    let desk = desk().await;
    let (_, _, id) = elsewhere(&desk).await;
    assert_eq!(asks(&desk).await, id);
    let otherwise = drop_it(&json!(["yes", "no", "later"]));
    let refused = desk.post_as(&agent("fullstack-1"), "/api/v1/tools/request_input", otherwise).await;
    refused.is_no(409, "QUESTION_OPEN");
    assert_eq!(refused.body["details"]["questionId"], json!(id), "{}", refused.text);
    desk.post(&format!("/api/v1/questions/{id}/answer"), json!({"value": "no"})).await;
    let again = calls(&desk, "request_input", drop_it(&json!(["yes", "no"]))).await;
    assert_eq!((&again.body["state"], again.body.get("resolution")), (&json!("pending"), None), "{}", again.text);
    assert_ne!(again.body["question_id"], json!(id), "it is other work that would be dropped");
    assert!(again.body["notices"].to_string().contains("answered your question"), "and the answer: {}", again.text);
}

#[tokio::test(start_paused = true)]
async fn other_work_may_be_asked_about_and_a_wait_for_the_overdue_one_ends_with_its_state() {
    let desk = desk().await;
    let (_, _, id) = elsewhere(&desk).await;
    let other = json!({"question": "Which heading?", "default_action": "Added", "wait_seconds": 0});
    let asked = calls(&desk, "request_input", other).await;
    assert_eq!(asked.body["state"], "pending", "{}", asked.text);
    let began = desk.backstage.hub.clock.now();
    let waited = calls(&desk, "wait_for_answer", json!({"question_id": id, "timeout": 20})).await;
    let span = desk.backstage.hub.clock.now().since(began);
    assert!(span >= Duration::from_secs(20) && span < Duration::from_secs(21), "{span:?}");
    assert_eq!(waited.body["state"], "pending", "{}", waited.text);
    assert!(waited.body["prompt"].as_str().unwrap().contains("Do not act on the default"), "{}", waited.text);
}

#[tokio::test(start_paused = true)]
async fn no_agent_frees_a_task_that_waits_for_a_persons_word() {
    let desk = desk().await;
    desk.registers("fullstack-1", "full-stack-engineer").await;
    desk.registers("pm-1", "project-manager").await;
    let order = json!({"targetAgentId": "fullstack-1", "prompt": "Clean up."});
    let assigned = desk.post_as(&agent("pm-1"), "/api/v1/tools/assign_task", order).await;
    let task = assigned.body["taskId"].as_str().unwrap_or_else(|| panic!("{}", assigned.text)).to_owned();
    takes(&desk, &task).await;
    let id = asks(&desk).await;
    minutes(11).await;
    let answer = json!({"taskId": task, "answer": "yes, go on"});
    desk.post_as(&agent("pm-1"), "/api/v1/tools/answer_task", answer).await.is_no(409, "TASK_WRONG_STATE");
    assert_eq!((state(&desk, &task).await, &question(&desk, &id).await["state"]), (json!("BLOCKED"), &json!("open")));
}

#[tokio::test(start_paused = true)]
async fn every_later_answer_is_kept_and_a_long_one_is_refused() {
    let desk = desk().await;
    let (_, _, id) = elsewhere(&desk).await;
    let answer = format!("/api/v1/questions/{id}/answer");
    desk.post(&answer, json!({"value": "no"})).await;
    for value in ["yes", "yes", "no"] {
        desk.post(&answer, json!({"value": value})).await.is_no(409, "ALREADY_RESOLVED");
    }
    let kept = question(&desk, &id).await["lateAnswers"].clone();
    let values: Vec<&str> = kept.as_array().unwrap().iter().map(|late| late["value"].as_str().unwrap()).collect();
    assert_eq!(values, ["yes", "yes", "no"]);
    desk.post(&answer, json!({"value": "x".repeat(60 * 1024 + 1)})).await.is_no(413, "TEXT_TOO_LONG");
}

#[tokio::test(start_paused = true)]
async fn a_withdrawn_question_is_asked_anew() {
    let desk = desk().await;
    desk.registers("fullstack-1", "full-stack-engineer").await;
    at_work(&desk, "Clean up.").await;
    let first = asks(&desk).await;
    calls(&desk, "withdraw_question", json!({"question_id": first, "reason": "found it"})).await;
    let second = asks(&desk).await;
    assert_ne!(first, second);
    assert_eq!(question(&desk, &second).await["state"], "open");
}

#[tokio::test(start_paused = true)]
async fn an_error_that_has_no_room_for_notices_is_no_sign_that_they_were_heard() {
    let desk = desk().await;
    let (_, second, id) = elsewhere(&desk).await;
    minutes(5).await;
    desk.post(&format!("/api/v1/questions/{id}/answer"), json!({"value": "no"})).await;
    let nonsense = json!({"taskId": "00000000000000000000000000"});
    let refused = desk.post_as(&agent("fullstack-1"), "/api/v1/tools/ack_task", nonsense).await;
    assert_eq!(refused.body["code"], "TASK_NOT_FOUND", "{}", refused.text);
    let told = calls(&desk, "update_progress", json!({"taskId": second, "message": "half"})).await;
    assert!(told.body["notices"].to_string().contains("answered your question"), "{}", told.text);
}
