//! Events as they are streamed, and the snapshot they go on from.

use axum::body::Body;
use futures_util::StreamExt as _;
use http::Request;
use serde_json::{Value, json};

use super::desk;
use crate::domain::principal::Scope;
use crate::transport::web::tests::{RouteFixture, person};

/// A stream that is being read.
pub(super) struct Reading(axum::body::BodyDataStream);

impl Reading {
    pub(super) async fn of(desk: &RouteFixture, path: &str, headers: &[(&str, &str)]) -> Self {
        let mut request = Request::get(path);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let response = desk.ask(&person(Scope::View), request.body(Body::empty()).unwrap()).await;
        assert_eq!(response.status(), 200);
        Self(response.into_body().into_data_stream())
    }

    /// The next piece; none at the end.
    pub(super) async fn piece(&mut self) -> Option<String> {
        let bytes = self.0.next().await?.unwrap();
        Some(String::from_utf8(bytes.to_vec()).unwrap())
    }
}

#[tokio::test(start_paused = true)]
async fn events_after_the_snapshot_come_with_their_numbers_and_names() {
    let desk = desk().await;
    let before = desk.task("role:test-engineer", "Before.").await;
    let snapshot = desk.get("/api/v1/snapshot").await.body;
    assert_eq!(snapshot["tasks"][0]["taskId"], before);
    let seq = snapshot["seq"].as_u64().unwrap();
    assert_eq!(snapshot["questions"], json!([]));
    let mut reading = Reading::of(&desk, &format!("/api/v1/events?after={seq}"), &[]).await;
    assert_eq!(reading.piece().await.unwrap(), ":\n\n", "a sign of life goes out with the headers");
    let after = desk.task("role:test-engineer", "After.").await;
    let event = reading.piece().await.unwrap();
    assert!(event.starts_with(&format!("id: {}\nevent: task.created\ndata: ", seq + 1)), "{event}");
    let data: Value = serde_json::from_str(event.split("data: ").nth(1).unwrap()).unwrap();
    assert_eq!((&data["subject"]["task"], &data["requestId"]), (&json!(after), &json!("r-1")));
}

#[tokio::test(start_paused = true)]
async fn a_silent_stream_shows_that_it_lives_and_ends_when_the_hub_goes_down() {
    let desk = desk().await;
    let mut reading = Reading::of(&desk, "/api/v1/events", &[]).await;
    reading.piece().await.unwrap();
    let started = tokio::time::Instant::now();
    assert_eq!(reading.piece().await.unwrap(), ":\n\n");
    assert_eq!(started.elapsed().as_secs(), 10);
    desk.backstage.drain();
    assert_eq!(reading.piece().await, None);
}

#[tokio::test(start_paused = true)]
async fn the_last_event_id_goes_before_the_query_and_lines_are_lines() {
    let desk = desk().await;
    desk.registers("fullstack-1", "full-stack-engineer").await;
    let wanted = desk.task("role:test-engineer", "This one.").await;
    desk.task("role:test-engineer", "Another.").await;
    let headers = [("last-event-id", "0"), ("accept", "application/x-ndjson")];
    let path = format!("/api/v1/events?after=999&types=task&task={wanted}");
    let mut reading = Reading::of(&desk, &path, &headers).await;
    assert_eq!(reading.piece().await.unwrap(), "\n");
    let line = reading.piece().await.unwrap();
    assert!(line.ends_with('\n') && line.matches('\n').count() == 1, "{line}");
    let event: Value = serde_json::from_str(&line).unwrap();
    assert_eq!((&event["type"], &event["subject"]["task"]), (&json!("task.created"), &json!(wanted)));
    assert_eq!(reading.piece().await.unwrap(), "\n", "nothing but what was asked for");
    desk.get("/api/v1/events?types=task.eaten").await.is_no(400, "INVALID_ARGUMENTS");
    desk.get("/api/v1/events?after=x").await.is_no(400, "INVALID_ARGUMENTS");
}
