//! What needs a person, over plain HTTP, and many answers at once.

use std::time::Duration;

use serde_json::{Value, json};

use super::desk;
use crate::domain::principal::Scope;
use crate::transport::web::tests::{Answered, RouteFixture, agent, person};

const DIFF: &str = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n";

/// An agent of its own takes a task, and says this of it.
async fn does(desk: &RouteFixture, worker: &str, tool: &str, mut arguments: Value) -> String {
    desk.registers(worker, "full-stack-engineer").await;
    let id = desk.task(worker, &format!("Work for {worker}.")).await;
    desk.waits(worker).await;
    arguments["taskId"] = json!(id);
    let done = desk.post_as(&agent(worker), &format!("/api/v1/tools/{tool}"), arguments).await;
    assert_eq!(done.status, 200, "{}", done.text);
    id
}

async fn blocked(desk: &RouteFixture, worker: &str) -> String {
    let report = json!({"status": "BLOCKED", "message": "stuck", "blockedReason": "which port?"});
    does(desk, worker, "send_response", report).await
}

async fn handed_in(desk: &RouteFixture, worker: &str) -> String {
    does(desk, worker, "submit_for_review", json!({"diff": DIFF})).await
}

fn ids(inbox: &Answered) -> Vec<&str> {
    let items = inbox.body["items"].as_array().unwrap_or_else(|| panic!("{}", inbox.text));
    items.iter().map(|item| item["id"].as_str().unwrap()).collect()
}

#[tokio::test(start_paused = true)]
async fn what_needs_a_person_is_in_one_list_with_its_reason_and_its_cost() {
    let desk = desk().await;
    assert_eq!(desk.get("/api/v1/inbox").await.body, json!({"items": [], "total": 0}));
    let review = handed_in(&desk, "fullstack-1").await;
    tokio::time::advance(Duration::from_secs(60)).await;
    let stuck = blocked(&desk, "fullstack-2").await;
    // Two stand still behind the one that is stuck: it costs more, and so it goes first.
    for _ in 0..2 {
        let waits = json!({"targetAgentId": "any", "prompt": "Then this.", "dependencies": [stuck]});
        assert_eq!(desk.post("/api/v1/tasks", waits).await.status, 201);
    }
    let inbox = desk.get("/api/v1/inbox").await;
    assert_eq!(ids(&inbox), [format!("blocked:{stuck}"), format!("review:{review}")]);
    let first = &inbox.body["items"][0];
    assert_eq!(first["cost"], json!({"waits": ["fullstack-2"], "standsStill": 2}), "{first}");
    assert_eq!(first["reason"], "`fullstack-2` needs an answer: which port?");
    assert_eq!(first["actions"], json!(["answer", "reassign", "cancel"]));
    assert_eq!(ids(&desk.get("/api/v1/inbox?kind=review").await), [format!("review:{review}")]);
    assert_eq!(ids(&desk.get("/api/v1/inbox?agent=fullstack-2").await), [format!("blocked:{stuck}")]);
    let short = desk.get("/api/v1/inbox?limit=1").await;
    assert_eq!((ids(&short).len(), &short.body["total"]), (1, &json!(2)));
    let cursor = short.body["nextCursor"].as_str().unwrap();
    tokio::time::advance(Duration::from_secs(60)).await;
    let rest = desk.get(&format!("/api/v1/inbox?limit=1&cursor={cursor}")).await;
    assert_eq!((ids(&rest), &rest.body["total"]), (vec![format!("review:{review}").as_str()], &json!(2)));
    assert_eq!(rest.body["nextCursor"], Value::Null, "{}", rest.text);
    desk.get("/api/v1/inbox?cursor=nonsense").await.is_no(400, "CURSOR_INVALID");
    // An approval that nobody can follow any more: its holder was sent away and comes back to no one.
    tokio::time::advance(Duration::from_secs(3_600)).await;
    desk.post(&format!("/api/v1/reviews/{review}/approve"), json!({})).await;
    let inbox = desk.get("/api/v1/inbox").await;
    let stranded = format!("stranded:{review}");
    assert!(ids(&inbox).contains(&stranded.as_str()), "{}", inbox.text);
    assert!(ids(&inbox).contains(&"undelivered:fullstack-1"), "the approval was not heard: {}", inbox.text);
    desk.get("/api/v1/inbox?kind=dreams").await.is_no(400, "INVALID_ARGUMENTS");
    desk.get("/api/v1/inbox?limit=0").await.is_no(400, "INVALID_ARGUMENTS");
    desk.get_as(&person(Scope::View), "/api/v1/inbox").await.is_no(403, "INSUFFICIENT_SCOPE");
    desk.get_as(&agent("fullstack-1"), "/api/v1/inbox").await.is_no(403, "INSUFFICIENT_SCOPE");
}

#[tokio::test(start_paused = true)]
async fn many_are_settled_at_once_and_each_comes_to_something_of_its_own() {
    let desk = desk().await;
    let (one, two) = (handed_in(&desk, "fullstack-1").await, handed_in(&desk, "fullstack-2").await);
    let stuck = blocked(&desk, "fullstack-3").await;
    let actions = json!({"actions": [
        {"item": format!("review:{one}"), "action": "approve", "value": "good"},
        {"item": format!("review:{two}"), "action": "request-changes", "value": "rename it"},
        {"item": format!("blocked:{stuck}"), "action": "answer", "value": "7420"},
        {"item": format!("blocked:{stuck}"), "action": "requeue"},
        {"item": "review:nosuchtask1", "action": "approve"},
        {"item": "what?", "action": "approve"},
        {"item": format!("blocked:{stuck}"), "action": "answer"},
    ]});
    let headers = [("content-type", "application/json"), ("idempotency-key", "k1")];
    let operator = person(Scope::Operate);
    let act = async || desk.send(&operator, "/api/v1/inbox/actions", &headers, actions.to_string()).await;
    let first = act().await;
    let came_to = |answered: &Answered| -> Vec<Value> {
        let results = answered.body["results"].as_array().unwrap_or_else(|| panic!("{}", answered.text));
        let short = |result: &Value| if result["ok"] == true { &result["state"] } else { &result["code"] }.clone();
        results.iter().map(short).collect()
    };
    let expected = json!([
        "IN_REVIEW", "QUEUED", "QUEUED", "TASK_WRONG_STATE", "TASK_NOT_FOUND", "INVALID_ARGUMENTS", "INVALID_ARGUMENTS"
    ]);
    assert_eq!(json!(came_to(&first)), expected, "{}", first.text);
    assert_eq!(first.body["failed"], 4);
    // A lost answer makes a client ask again: what was done is not done twice.
    let again = act().await;
    assert_eq!(json!(came_to(&again)), expected, "{}", again.text);
    let comments = desk.get(&format!("/api/v1/reviews/{two}")).await.body["comments"].clone();
    assert_eq!(comments.as_array().map(Vec::len), Some(1), "{comments}");
    desk.post("/api/v1/inbox/actions", json!({"actions": []})).await.is_no(400, "INVALID_ARGUMENTS");
    let many: Vec<Value> = (0..101).map(|_| json!({"item": "a:b", "action": "retry"})).collect();
    desk.post("/api/v1/inbox/actions", json!({"actions": many})).await.is_no(400, "INVALID_ARGUMENTS");
    let unknown = json!({"actions": [{"item": "a:b", "action": "dance"}]});
    desk.post("/api/v1/inbox/actions", unknown).await.is_no(400, "INVALID_ARGUMENTS");
    let viewer = person(Scope::View);
    desk.post_as(&viewer, "/api/v1/inbox/actions", json!({})).await.is_no(403, "INSUFFICIENT_SCOPE");
}

#[tokio::test(start_paused = true)]
async fn only_what_a_person_may_act_on_is_theirs() {
    let desk = desk().await;
    let review = handed_in(&desk, "fullstack-1").await;
    let stuck = blocked(&desk, "fullstack-2").await;
    let mut settings = crate::settings::Settings::defaults();
    let ada = crate::settings::Person {
        principal: Some(person(Scope::Operate).id),
        can_approve: Some(crate::domain::task::RightsSet::none()),
        can_answer: Some(crate::domain::task::RightsSet::Only(["fullstack-2".to_owned()].into())),
        ..crate::settings::Person::default()
    };
    settings.people.people.insert("ada".to_owned(), ada);
    desk.backstage.reload(settings);
    assert_eq!(ids(&desk.get("/api/v1/inbox").await), [format!("blocked:{stuck}")]);
    let actions = json!({"actions": [{"item": format!("review:{review}"), "action": "approve"}]});
    let done = desk.post("/api/v1/inbox/actions", actions).await;
    assert_eq!(done.body["results"][0]["code"], "NOT_PERMITTED", "{}", done.text);
    let answered = desk.post(&format!("/api/v1/tasks/{stuck}/cancel"), json!({})).await;
    assert_eq!(answered.status, 200, "what is not listed is not narrowed: {}", answered.text);
}

#[tokio::test(start_paused = true)]
async fn a_question_stands_among_them_by_its_deadline_and_is_answered_with_the_rest() {
    let desk = desk().await;
    let review = handed_in(&desk, "fullstack-1").await;
    desk.registers("fullstack-2", "full-stack-engineer").await;
    let task = desk.task("fullstack-2", "Choose.").await;
    desk.waits("fullstack-2").await;
    let worker = agent("fullstack-2");
    desk.post_as(&worker, "/api/v1/tools/ack_task", json!({"taskId": task})).await;
    let question = json!({
        "question": "Which colour?", "options": ["red", "blue"], "default_action": "red", "timeout_minutes": 30,
        "wait_seconds": 0,
    });
    let asked = desk.post_as(&worker, "/api/v1/tools/request_input", question).await;
    let id = asked.body["question_id"].as_str().unwrap_or_else(|| panic!("{}", asked.text)).to_owned();
    let named = format!("question:{id}");
    // Its deadline is far, and it decides between what is equal otherwise.
    let inbox = desk.get("/api/v1/inbox").await;
    assert_eq!(ids(&inbox), [named.as_str(), &format!("review:{review}")], "{}", inbox.text);
    let item = &inbox.body["items"][0];
    assert_eq!((&item["then"], &item["options"]), (&json!("the agent goes on with: red"), &json!(["red", "blue"])));
    assert_eq!((&item["taskId"], &item["dangerous"]), (&json!(task), &json!(false)), "{item}");
    let answer = |value: &str| json!({"actions": [{"item": named, "action": "answer", "value": value}]});
    let act = async |value: &str| {
        let done = desk.post("/api/v1/inbox/actions", answer(value)).await;
        done.body["results"][0].clone()
    };
    assert_eq!(act("green").await["code"], "ANSWER_NOT_AN_OPTION");
    assert_eq!(act("blue").await["ok"], true);
    let late = act("red").await;
    assert_eq!((&late["code"], &late["details"]["resolution"]["value"]), (&json!("ALREADY_RESOLVED"), &json!("blue")));
    assert_eq!(desk.get("/api/v1/inbox?kind=question").await.body["total"], 0);
}
