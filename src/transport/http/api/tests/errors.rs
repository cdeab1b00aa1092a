//! Every no has the one shape, the fitting status and the request's id.

use axum::body::Body;
use http::Request;
use serde_json::json;

use super::desk;
use crate::domain::principal::Scope;
use crate::transport::web::tests::{Answered, agent, person};

#[tokio::test(start_paused = true)]
async fn what_is_not_there_answers_in_json() {
    let desk = desk().await;
    desk.get("/api").await.is_no(404, "NOT_FOUND");
    desk.get("/api/v2/anything").await.is_no(404, "NOT_FOUND");
    desk.get("/api/v1/tasks/abcdefgh/nothing").await.is_no(404, "NOT_FOUND");
    desk.post("/api/v1/snapshot", json!({})).await.is_no(405, "METHOD_NOT_ALLOWED");
    desk.get("/api/v1/tasks/abcdefgh").await.is_no(404, "TASK_NOT_FOUND");
    desk.get("/api/v1/tasks/No%20Id%0a").await.is_no(404, "TASK_NOT_FOUND");
    desk.get("/api/v1/agents/nobody").await.is_no(404, "AGENT_NOT_FOUND");
    desk.get("/api/v1/sessions/s_00000000").await.is_no(404, "SESSION_NOT_FOUND");
    desk.post("/api/v1/tools/asign_task", json!({})).await.is_no(404, "UNKNOWN_TOOL");
}

#[tokio::test(start_paused = true)]
async fn a_body_that_cannot_be_read_says_why() {
    let desk = desk().await;
    let who = person(Scope::Operate);
    let json = [("content-type", "application/json; charset=utf-8")];
    let send = async |headers: &[(&str, &str)], body: String| desk.send(&who, "/api/v1/tasks", headers, body).await;
    send(&json, "{\"prompt\":".to_owned()).await.is_no(400, "INVALID_JSON");
    send(&[("content-type", "text/plain")], "{}".to_owned()).await.is_no(415, "UNSUPPORTED_MEDIA_TYPE");
    send(&[], "{}".to_owned()).await.is_no(415, "UNSUPPORTED_MEDIA_TYPE");
    let zipped = [("content-type", "application/json"), ("content-encoding", "gzip")];
    send(&zipped, "{}".to_owned()).await.is_no(415, "UNSUPPORTED_MEDIA_TYPE");
    send(&json, String::new()).await.is_no(400, "INVALID_ARGUMENTS");
    let cancel = desk.post("/api/v1/tasks/abcdefgh/cancel", json!({"why": "x"})).await;
    cancel.is_no(400, "INVALID_ARGUMENTS");
    let keyed = [("content-type", "application/json"), ("idempotency-key", "")];
    desk.send(&who, "/api/v1/tasks/abcdefgh/retry", &keyed, "{}").await.is_no(400, "INVALID_ARGUMENTS");
}

#[tokio::test(start_paused = true)]
async fn whatever_does_not_fit_is_named_by_its_field_and_in_no_parsers_words() {
    let desk = desk().await;
    let names = |answered: &Answered, field: &str| {
        answered.is_no(400, "INVALID_ARGUMENTS");
        assert_eq!(answered.body["details"]["field"], field, "{}", answered.text);
        assert!(answered.body["error"].as_str().unwrap().contains(&format!("`{field}`")), "{}", answered.text);
        assert!(!answered.text.contains(" at line "), "{}", answered.text);
    };
    let answer = "/api/v1/questions/q_00000000/answer";
    names(&desk.post(answer, json!({})).await, "value");
    names(&desk.post(answer, json!({"value": 3})).await, "value");
    names(&desk.post(answer, json!({"value": "x", "by": "me"})).await, "by");
    names(&desk.post("/api/v1/tasks", json!({"targetAgentId": "any", "prompt": ["x"]})).await, "prompt");
    names(&desk.post("/api/v1/agents/fullstack-1/evict", json!({"action": "FOO", "reason": "x"})).await, "action");
    names(&desk.get("/api/v1/tasks?limit=x").await, "limit");
    names(&desk.get("/api/v1/events?after=x").await, "after");
    let broken = desk
        .send(&person(Scope::Operate), answer, &[("content-type", "application/json")], "{\"value\": \"x\"} {}")
        .await;
    broken.is_no(400, "INVALID_JSON");
}

#[tokio::test(start_paused = true)]
async fn who_may_not_hears_which_scope_is_needed() {
    let desk = desk().await;
    let refused = desk.post_as(&person(Scope::View), "/api/v1/tasks", json!({})).await;
    refused.is_no(403, "INSUFFICIENT_SCOPE");
    assert_eq!(refused.body["details"]["needs"], "operate");
    let challenge = refused.headers["www-authenticate"].to_str().unwrap();
    assert!(challenge.contains("error=\"insufficient_scope\", scope=\"operate\""), "{challenge}");
    for path in ["/api/v1/tasks", "/api/v1/snapshot", "/api/v1/events", "/api/v1/openapi.json", "/api/v1/agents"] {
        let refused = desk.get_as(&agent("fullstack-1"), path).await;
        refused.is_no(403, "INSUFFICIENT_SCOPE");
        assert_eq!(refused.body["details"]["needs"], "view", "{path}");
    }
    let request = Request::get("/api/v1/tasks").body(Body::empty()).unwrap();
    Answered::of(desk.ask_nobody(request).await).await.is_no(401, "UNAUTHENTICATED");
}

#[tokio::test(start_paused = true)]
async fn a_verbs_no_keeps_its_code_and_its_advice() {
    let desk = desk().await;
    let refused = desk.post_as(&agent("fullstack-1"), "/api/v1/tools/wait_for_prompt", json!({})).await;
    refused.is_no(409, "NOT_REGISTERED");
    assert!(refused.body["details"]["prompt"].as_str().unwrap().contains("register_agent"), "{}", refused.text);
    desk.registers("fullstack-1", "full-stack-engineer").await;
    desk.registers("fullstack-2", "full-stack-engineer").await;
    let id = desk.task("fullstack-2", "Not yours.").await;
    let ask = async |id: &str| {
        let body = json!({"taskId": id});
        desk.post_as(&agent("fullstack-1"), "/api/v1/tools/get_task_context", body).await
    };
    let (others, missing) = (ask(&id).await, ask("0123456789").await);
    others.is_no(404, "TASK_NOT_FOUND");
    assert_eq!(others.text.replace(&id, "0123456789"), missing.text, "theirs and none at all must look alike");
}
