//! Answers that nobody gets, in a session and around its end: what they carry goes to whoever waits.

use super::*;
use crate::actors::agent::AnswerGuard;
use crate::tools;
use crate::transport::web::{Slot, Watched};

/// Two agents of one role; the first has been handed a task by an answer that was not given to any door yet.
async fn handed_out(house: &McpFixture) -> (Arc<AnswerGuard>, Caller) {
    let (first, second) = (house.desk.agent("a1", "coding").await, house.desk.agent("a2", "coding").await);
    house.desk.call(&operator(), "assign_task", work()).await.done();
    let reply = tools::call(&house.desk.hub, &first, "wait_for_prompt", json!({})).await.expect("a task");
    (reply.guard.expect("it carries an offer"), second)
}

fn work() -> Value {
    json!({"targetAgentId": "role:coding", "prompt": "Go."})
}

async fn goes_on_to(house: McpFixture, second: &Caller) {
    let said = house.desk.call(second, "wait_for_prompt", json!({})).await;
    assert_eq!(said.0["leaseEpoch"], 2, "{said:?}");
    house.desk.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_task_that_a_call_comes_to_when_its_answer_is_lost_already_goes_to_who_waits() {
    let house = McpFixture::new().await;
    let (guard, second) = handed_out(&house).await;
    let slot = Slot::default();
    drop(Watched::new(Body::from("words"), slot.clone()));
    slot.put(guard);
    goes_on_to(house, &second).await;
}

#[tokio::test(start_paused = true)]
async fn a_task_whose_stream_ends_without_the_answer_goes_to_who_waits() {
    let house = McpFixture::new().await;
    let (guard, second) = handed_out(&house).await;
    let slot = Slot::default();
    let comment = futures_util::stream::iter([Ok::<_, std::io::Error>(": waiting\n\n")]);
    let mut body = Watched::new(Body::from_stream(comment), slot.clone());
    assert!(body.frame().await.is_some());
    slot.put(guard);
    assert!(body.frame().await.is_none());
    drop(body);
    goes_on_to(house, &second).await;
}

#[tokio::test(start_paused = true)]
async fn a_task_in_an_event_of_a_session_that_nobody_read_goes_to_who_waits() {
    let house = McpFixture::new().await;
    let (first, second) = (house.desk.agent("a1", "coding").await, house.desk.agent("a2", "coding").await);
    let session = house.session(&first).await;
    let unread = house.in_session(&first, &session, "tools/call", tool("wait_for_prompt", json!({}))).await;
    house.until_somebody_waits().await;
    house.desk.call(&operator(), "assign_task", work()).await.done();
    drop(unread);
    goes_on_to(house, &second).await;
}

fn deletes(caller: &Caller, session: &str) -> Request<Body> {
    let request = Request::delete("/").header("host", "127.0.0.1").header("mcp-session-id", session);
    request.extension(caller.principal.clone()).body(Body::empty()).expect("a request")
}

#[tokio::test(start_paused = true)]
async fn a_task_that_was_read_and_not_acknowledged_in_a_session_that_is_deleted_goes_to_who_waits() {
    let house = McpFixture::new().await;
    let (first, second) = (house.desk.agent("a1", "coding").await, house.desk.agent("a2", "coding").await);
    house.desk.call(&operator(), "assign_task", work()).await.done();
    let session = house.session(&first).await;
    let read = answer(house.in_session(&first, &session, "tools/call", tool("wait_for_prompt", json!({}))).await).await;
    assert_eq!(read["result"]["structuredContent"]["status"], "TASK");
    let listed = answer(house.in_session(&first, &session, "tools/list", json!({})).await).await;
    assert!(listed["result"]["tools"].is_array(), "another request acknowledges nothing");
    let waits = house.desk.begins(&second, "wait_for_prompt", json!({"timeout": 40}));
    sleep(Duration::from_millis(100)).await;
    let began = Instant::now();
    assert!(house.asked(deletes(&first, &session)).await.status().is_success());
    let said = waits.await.expect("an answer");
    assert_eq!(said.0["leaseEpoch"], 2, "{said:?}");
    assert!(began.elapsed() < Duration::from_secs(1), "{:?}", began.elapsed());
    house.desk.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_task_that_was_acknowledged_outlives_the_session_that_is_deleted() {
    let house = McpFixture::new().await;
    let first = house.desk.agent("a1", "coding").await;
    house.desk.call(&operator(), "assign_task", work()).await.done();
    let session = house.session(&first).await;
    let read = answer(house.in_session(&first, &session, "tools/call", tool("wait_for_prompt", json!({}))).await).await;
    let task = read["result"]["structuredContent"]["taskId"].clone();
    answer(house.in_session(&first, &session, "tools/call", tool("ack_task", json!({"taskId": task}))).await).await;
    assert!(house.asked(deletes(&first, &session)).await.status().is_success());
    sleep(Duration::from_secs(2)).await;
    let seen = house.desk.call(&operator(), "get_agent_status", json!({"agentId": "a1"})).await;
    assert_eq!((seen.text("availability").as_str(), &seen.0["currentTasks"]), ("offline", &json!([task])));
    assert!(seen.text("note").starts_with("its client ended 2 s ago; lease until "), "{seen:?}");
    house.desk.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_proxy_over_http_says_in_the_era_without_sessions_that_its_client_ended() {
    let house = McpFixture::new().await;
    let first = house.desk.agent("a1", "coding").await;
    let request = Request::delete("/").header("host", "127.0.0.1").header("callboard-instance", "proxy-1");
    let request = request.extension(first.principal.clone()).body(Body::empty()).expect("a request");
    assert_eq!(house.asked(request).await.status(), StatusCode::NO_CONTENT);
    assert_eq!(house.availability().await, "offline");
    house.desk.ends().await;
}
