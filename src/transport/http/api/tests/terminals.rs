//! Terminals over plain HTTP: raw bytes in, a text and a screen out, and every no in the words of the contract.

use std::time::Duration;

use http::Request;
use serde_json::{Value, json};

use super::desk;
use crate::domain::principal::Scope;
use crate::transport::web::kit::{Answered, Desk, agent, person};

async fn session(desk: &Desk) -> String {
    desk.registers("fullstack-1", "full-stack-engineer").await;
    desk.get("/api/v1/sessions").await.body["items"][0]["sessionId"].as_str().unwrap().to_owned()
}

async fn prints(desk: &Desk, path: &str, bytes: &'static [u8]) -> Answered {
    let octets = [("content-type", "application/octet-stream")];
    desk.send(&person(Scope::Operate), path, &octets, bytes).await
}

#[tokio::test(start_paused = true)]
async fn raw_bytes_are_drawn_for_their_size_and_shown_as_text_and_as_a_screen() {
    let desk = desk().await;
    let id = session(&desk).await;
    let output = format!("/api/v1/sessions/{id}/output");
    let drawn =
        prints(&desk, &format!("{output}?rows=5&cols=20"), b"\x1b[31mred\x1b[0m\r\nDelete it? [y/N] \xff").await;
    assert_eq!((drawn.status.as_u16(), &drawn.body["filePosition"]), (200, &json!(32)), "{}", drawn.text);
    let shown = desk.get(&format!("/api/v1/sessions/{id}/transcript")).await.body;
    assert_eq!((&shown["rows"], &shown["cols"], &shown["firstLine"]), (&json!(5), &json!(20), &json!(1)), "{shown}");
    assert!(shown["text"].as_str().unwrap().starts_with("red\nDelete it? [y/N]"), "{shown}");
    assert!(shown["screen"].as_str().unwrap().contains("\u{1b}["), "colours are in it: {shown}");
    let read = desk.get(&output).await.body;
    assert_eq!((&read["filePosition"], &read["hasMore"]), (&json!(32), &json!(false)), "{read}");
    assert!(read["newContent"].as_str().unwrap().starts_with("red\nDelete it?"), "without sequences: {read}");
    prints(&desk, &format!("{output}?reset=true"), b"anew").await;
    let shown = desk.get(&format!("/api/v1/sessions/{id}/transcript")).await.body;
    assert!(shown["text"].as_str().unwrap().trim_end().ends_with("anew"), "{shown}");
    assert!(!shown["screen"].as_str().unwrap().contains("Delete"), "a clean screen: {shown}");
}

#[tokio::test(start_paused = true)]
async fn whoever_reads_on_may_wait_for_more() {
    let desk = desk().await;
    let id = session(&desk).await;
    let output = format!("/api/v1/sessions/{id}/output");
    prints(&desk, &output, b"one\n").await;
    let path = format!("{output}?since=4&wait=30");
    let (waited, _) = tokio::join!(desk.get(&path), async {
        tokio::time::sleep(Duration::from_secs(5)).await;
        prints(&desk, &output, b"two\n").await
    });
    assert_eq!((&waited.body["newContent"], &waited.body["filePosition"]), (&json!("two\n"), &json!(8)));
    let began = tokio::time::Instant::now();
    let nothing = desk.get(&format!("{output}?since=8&wait=3")).await.body;
    assert_eq!((&nothing["newContent"], began.elapsed()), (&json!(""), Duration::from_secs(3)));
}

#[tokio::test(start_paused = true)]
async fn every_no_is_in_the_words_of_the_contract() {
    let desk = desk().await;
    let id = session(&desk).await;
    let detect = "/api/v1/tools/detect_input_prompt";
    let said = desk.post(detect, json!({"session_id": "nowhere"})).await;
    said.is_no(404, "SESSION_NOT_FOUND");
    assert_eq!(said.body["error"], "Session nowhere not found");
    let said = desk.post(detect, json!({"session_id": id, "min_confidence": 2})).await;
    said.is_no(400, "INVALID_CONFIDENCE");
    assert_eq!(said.body["error"], "Confidence must be 0.0-1.0");
    assert_eq!(desk.post(detect, json!({"session_id": id})).await.body["prompt"], Value::Null);
    for (tool, body, status, code) in [
        (
            "start_session_monitor",
            json!({"session_id": "a/b", "session_type": "file", "log_file": "/x"}),
            400,
            "INVALID_SESSION_ID",
        ),
        (
            "start_session_monitor",
            json!({"session_id": "a", "session_type": "file", "log_file": "/x"}),
            403,
            "FILE_NOT_READABLE",
        ),
        ("stop_session_monitor", json!({"session_id": id}), 404, "SESSION_NOT_FOUND"),
        ("search_session_history", json!({"query": "("}), 400, "INVALID_REGEX"),
        ("forget_pattern", json!({"pattern_id": "p_00000000"}), 404, "PATTERN_NOT_FOUND"),
    ] {
        desk.post(&format!("/api/v1/tools/{tool}"), body).await.is_no(status, code);
    }
    desk.get("/api/v1/sessions/nowhere/transcript").await.is_no(404, "SESSION_NOT_FOUND");
    desk.get(&format!("/api/v1/sessions/{id}/transcript")).await.is_no(404, "SESSION_NOT_FOUND");
    prints(&desk, "/api/v1/sessions/nowhere/output", b"x").await.is_no(404, "SESSION_NOT_FOUND");
    desk.post("/api/v1/patterns/p_00000000/promote", json!({})).await.is_no(404, "PATTERN_NOT_FOUND");
}

#[tokio::test(start_paused = true)]
async fn an_agent_prints_into_its_own_session_and_a_viewer_into_none() {
    let desk = desk().await;
    let id = session(&desk).await;
    desk.registers("other-1", "full-stack-engineer").await;
    let output = format!("/api/v1/sessions/{id}/output");
    let send = async |who| Answered::of(desk.ask(&who, Request::post(&output).body("x".into()).unwrap()).await).await;
    assert_eq!(send(agent("fullstack-1")).await.status, 200);
    send(agent("other-1")).await.is_no(404, "SESSION_NOT_FOUND");
    send(person(Scope::View)).await.is_no(403, "INSUFFICIENT_SCOPE");
    assert_eq!(desk.get_as(&person(Scope::View), &output).await.status, 200, "who may view, reads");
}
