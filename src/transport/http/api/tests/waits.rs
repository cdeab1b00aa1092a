//! A wait over plain HTTP: what its answer carries goes back unless it was written out.

use axum::body::Body;
use http::Request;
use serde_json::Value;

use super::desk;
use crate::transport::web::tests::{Answered, RouteFixture, agent};

async fn waits(desk: &RouteFixture) -> axum::response::Response {
    let request = Request::post("/api/v1/tools/wait_for_prompt").body(Body::empty()).unwrap();
    desk.ask(&agent("fullstack-1"), request).await
}

async fn state(desk: &RouteFixture, id: &str) -> Value {
    desk.get(&format!("/api/v1/tasks/{id}")).await.body["state"].clone()
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_nobody_reads_gives_its_task_back() {
    let desk = desk().await;
    desk.registers("fullstack-1", "full-stack-engineer").await;
    let id = desk.task("fullstack-1", "Add a login.").await;
    let response = waits(&desk).await;
    assert_eq!(state(&desk, &id).await, "ASSIGNED");
    drop(response);
    // Asking the agent what it is comes behind what it was told.
    desk.get("/api/v1/agents/fullstack-1").await;
    assert_eq!(state(&desk, &id).await, "QUEUED");
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_is_read_keeps_its_task() {
    let desk = desk().await;
    desk.registers("fullstack-1", "full-stack-engineer").await;
    let id = desk.task("fullstack-1", "Add a login.").await;
    let answer = Answered::of(waits(&desk).await).await;
    assert_eq!((answer.body["status"].as_str(), answer.body["taskId"].as_str()), (Some("TASK"), Some(id.as_str())));
    desk.get("/api/v1/agents/fullstack-1").await;
    assert_eq!(state(&desk, &id).await, "ASSIGNED");
}

#[tokio::test(start_paused = true)]
async fn a_caller_that_hangs_up_waits_no_more() {
    let desk = desk().await;
    desk.registers("fullstack-1", "full-stack-engineer").await;
    let availability = async || desk.get("/api/v1/agents/fullstack-1").await.body["availability"].clone();
    {
        let mut waiting = std::pin::pin!(waits(&desk));
        let soon = std::time::Duration::from_secs(1);
        assert!(tokio::time::timeout(soon, waiting.as_mut()).await.is_err(), "it waits");
        assert_eq!(availability().await, "waiting");
    }
    assert_eq!(availability().await, "working");
}
