//! Terminals over plain HTTP: raw bytes in, a text and a screen out, and every no in the words of the contract.

use std::time::Duration;

use http::Request;
use serde_json::{Value, json};

use super::desk;
use crate::actors::terminal::{PretendHost, TerminalRef};
use crate::domain::ids::{PrincipalId, SessionId};
use crate::domain::principal::Scope;
use crate::domain::terminal::{OrderEnd, TerminalKind};
use crate::transport::web::tests::{Answered, RouteFixture, agent, person};

/// A session in whose terminal this was printed by a program that waits for a line, and its terminal.
async fn asked(desk: &RouteFixture, text: &str) -> (String, TerminalRef) {
    let id = session(desk).await;
    let owner = PrincipalId::parse("agent:fullstack-1").unwrap();
    let parsed = SessionId::parse(&id).unwrap();
    let terminal = desk.hub.session_terminal(&parsed, &owner, TerminalKind::Hosted).await.unwrap().unwrap();
    PretendHost::asks(&terminal, text).await;
    (format!("/api/v1/sessions/{id}/input"), terminal)
}

fn answer(text: &str, prompt: &str) -> Value {
    json!({"text": text, "promptText": prompt, "reason": "it was asked"})
}

async fn session(desk: &RouteFixture) -> String {
    desk.registers("fullstack-1", "full-stack-engineer").await;
    desk.get("/api/v1/sessions").await.body["items"][0]["sessionId"].as_str().unwrap().to_owned()
}

async fn prints(desk: &RouteFixture, path: &str, bytes: &'static [u8]) -> Answered {
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
    let rows = json!([[{"text": "red", "fg": {"index": 1}}], [{"text": "Delete it? [y/N]"}]]);
    assert_eq!(shown["picture"], json!({"linesAbove": 0, "rows": rows}), "{shown}");
    assert_eq!(shown["sanitized"], Value::Null);
    let read = desk.get(&output).await.body;
    assert_eq!((&read["filePosition"], &read["hasMore"]), (&json!(32), &json!(false)), "{read}");
    assert!(read["newContent"].as_str().unwrap().starts_with("red\nDelete it?"), "without sequences: {read}");
    prints(&desk, &format!("{output}?reset=true"), b"anew").await;
    let shown = desk.get(&format!("/api/v1/sessions/{id}/transcript")).await.body;
    assert!(shown["text"].as_str().unwrap().trim_end().ends_with("anew"), "{shown}");
    assert!(!shown["screen"].as_str().unwrap().contains("Delete"), "a clean screen: {shown}");
    prints(&desk, &output, "\r\nuser\u{202e}gnp.exe".as_bytes()).await;
    let shown = desk.get(&format!("/api/v1/sessions/{id}/transcript")).await.body;
    assert!(shown["text"].as_str().unwrap().trim_end().ends_with("usergnp.exe"), "{shown}");
    assert_eq!(shown["sanitized"], json!({"removed": 1, "kinds": ["direction"]}), "{shown}");
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
    for size in ["rows=0&cols=80", "rows=201", "cols=501", "cols=1"] {
        let none = Request::post(format!("{output}?{size}")).body("x".into()).unwrap();
        Answered::of(desk.ask(&agent("fullstack-1"), none).await).await.is_no(400, "INVALID_ARGUMENTS");
    }
}

#[tokio::test(start_paused = true)]
async fn the_choices_of_a_list_are_suggested_to_who_names_its_terminal() {
    let desk = desk().await;
    let (input, _) = asked(&desk, "1) red\r\n2) green\r\nYour choice: ").await;
    let session = input.split('/').nth(4).unwrap();
    let infer = async |session: &str| {
        let asks = json!({
            "prompt_text": "Your choice:", "prompt_type": "choice", "session_context": { "session_id": session },
        });
        desk.post("/api/v1/tools/infer_expected_input", asks).await
    };
    let found = infer(session).await;
    let inputs: Vec<&Value> =
        found.body["suggestions"].as_array().unwrap().iter().map(|found| &found["input_text"]).collect();
    assert_eq!(inputs, ["1", "2"], "{}", found.text);
    infer("s_none").await.is_no(404, "SESSION_NOT_FOUND");
}

#[tokio::test(start_paused = true)]
async fn an_answer_is_typed_by_the_host_and_a_repeat_hears_of_the_first() {
    let desk = desk().await;
    let (input, terminal) = asked(&desk, "Go on? (yes/no) ").await;
    desk.post(&input, answer("yes", "Go on? (yes/no)")).await.is_no(409, "TERMINAL_NOT_HOSTED");
    PretendHost::types(&terminal).await;
    let keyed = [("content-type", "application/json"), ("idempotency-key", "k-1")];
    let body = answer("yes", "Go on? (yes/no)").to_string();
    let first = desk.send(&person(Scope::Operate), &input, &keyed, body.clone()).await;
    assert_eq!((first.status.as_u16(), &first.body["inputText"]), (200, &json!("yes")), "{}", first.text);
    assert_eq!(first.body["promptText"], "Go on? (yes/no)");
    PretendHost::asks(&terminal, "yes\r\nName: ").await;
    let again = desk.send(&person(Scope::Operate), &input, &keyed, body).await;
    assert_eq!((again.status, &again.body), (first.status, &first.body), "although another prompt stands there");
    let other = answer("no", "Go on? (yes/no)").to_string();
    desk.send(&person(Scope::Operate), &input, &keyed, other).await.is_no(409, "IDEMPOTENCY_KEY_REUSED");
    desk.post(&input, answer("yes", "Go on? (yes/no)")).await.is_no(409, "PROMPT_CHANGED");
}

#[tokio::test(start_paused = true)]
async fn a_repeat_hears_that_the_first_was_declined_or_that_nobody_knows() {
    let desk = desk().await;
    let (input, terminal) = asked(&desk, "Go on? (yes/no) ").await;
    let mut orders = PretendHost::hosts(&terminal).await;
    let body = answer("yes", "Go on? (yes/no)").to_string();
    let send = async |key: &str| {
        let keyed = [("content-type", "application/json"), ("idempotency-key", key)];
        desk.send(&person(Scope::Operate), &input, &keyed, body.clone()).await
    };
    let (first, ()) = tokio::join!(send("k-1"), async {
        terminal.was_ordered(orders.recv().await.unwrap(), OrderEnd::Declined("the user is typing".to_owned()));
    });
    for no in [first, send("k-1").await] {
        no.is_no(409, "NOT_SAFE_TO_TYPE");
        assert!(no.body["error"].as_str().unwrap().ends_with("the user is typing"), "{}", no.text);
    }
    let began = tokio::time::Instant::now();
    send("k-2").await.is_no(503, "UNAVAILABLE");
    assert_eq!(began.elapsed(), Duration::from_secs(10), "a host that says nothing");
    send("k-2").await.is_no(503, "UNAVAILABLE");
    assert!(orders.recv().await.is_some() && orders.try_recv().is_err(), "one order each");
}

#[tokio::test(start_paused = true)]
async fn what_may_not_be_typed_is_refused_and_says_why() {
    let desk = desk().await;
    let (input, terminal) = asked(&desk, "Delete 3 tables? (yes/no): ").await;
    PretendHost::types(&terminal).await;
    let asked = "Delete 3 tables? (yes/no):";
    let mut program = person(Scope::Operate);
    program.kind = crate::domain::principal::PrincipalKind::Service;
    desk.post_as(&program, &input, answer("yes", asked)).await.is_no(403, "NOT_A_PERSONS_ANSWER");
    desk.post_as(&person(Scope::View), &input, answer("yes", asked)).await.is_no(403, "INSUFFICIENT_SCOPE");
    desk.post_as(&agent("fullstack-1"), &input, answer("yes", asked)).await.is_no(403, "INSUFFICIENT_SCOPE");
    desk.post(&input, answer("ye\rs", asked)).await.is_no(400, "INVALID_ARGUMENTS");
    desk.post(&input, answer(&"y".repeat(1_025), asked)).await.is_no(413, "TEXT_TOO_LONG");
    desk.post(&input, json!({"text": "yes", "promptText": asked, "reason": " "})).await.is_no(400, "INVALID_ARGUMENTS");
    desk.post("/api/v1/sessions/nowhere/input", answer("yes", asked)).await.is_no(404, "SESSION_NOT_FOUND");
    let mut elsewhere = answer("yes", asked);
    elsewhere["filePosition"] = json!(7);
    desk.post(&input, elsewhere).await.is_no(409, "PROMPT_CHANGED");
    assert_eq!(desk.post(&input, answer(&"n".repeat(1_024), asked)).await.status, 200, "a person may");
    PretendHost::asks(&terminal, "no\r\nPassword: ").await;
    desk.post(&input, answer("hunter2", "Password:")).await.is_no(403, "PROMPT_SECRET");
    terminal.print(crate::actors::terminal::Output::of("\r\nCompiling a crate\r\n")).await.unwrap();
    desk.post(&input, answer("yes", asked)).await.is_no(409, "NO_INPUT_PROMPT");
    terminal.print(crate::actors::terminal::Output::of("Go on? (yes/no): ")).await.unwrap();
    desk.post(&input, answer("yes", "Go on? (yes/no):")).await.is_no(409, "NOT_SAFE_TO_TYPE");
}
