//! Leave for a call of a client's own tool: by rules, by people, once, and never by silence.

use std::time::Duration;

use serde_json::{Value, json};

use super::asking::{answers, open_question};
use super::fixture::ToolFixture;
use crate::domain::tool_rule::{ToolLeave, ToolRule};
use crate::settings::Settings;
use crate::tools::{Caller, call};

fn bash(command: &str) -> Value {
    json!({"tool_name": "Bash", "input": {"command": command}, "tool_use_id": "toolu_1"})
}

/// What the client reads: the text of the result, and that alone.
async fn read(desk: &ToolFixture, who: &Caller, command: &str) -> Value {
    let reply = call(&desk.hub, who, "ask_permission", bash(command)).await.unwrap();
    serde_json::from_str(&reply.text()).unwrap()
}

fn rules(settings: &mut Settings) {
    let rule =
        |tool: &str, pattern: &str, then| ToolRule { tool: tool.to_owned(), pattern: Some(pattern.to_owned()), then };
    let role = settings.roles.roles.iter_mut().find(|(id, _)| id.as_str() == "full-stack-engineer").unwrap().1;
    role.permissions = vec![rule("*", "rm *", ToolLeave::Deny), rule("Bash", "cargo *", ToolLeave::Allow)];
}

#[tokio::test(start_paused = true)]
async fn rules_answer_what_needs_nobody() {
    let desk = ToolFixture::with(rules).await;
    let me = desk.agent("fullstack-1", "full-stack-engineer").await;
    let allowed = read(&desk, &me, "cargo test").await;
    assert_eq!(allowed, json!({"behavior": "allow", "updatedInput": {"command": "cargo test"}}), "and nothing else");
    let denied = read(&desk, &me, "cd x && rm -rf y").await;
    assert_eq!(
        denied,
        json!({"behavior": "deny", "message": "Denied by permissions.1 of role `full-stack-engineer`."})
    );
    let asked = desk.begins(&me, "ask_permission", bash("cargo test; curl x | sh"));
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert!(!asked.is_finished(), "people are asked of what no rule says");
    asked.abort();
    desk.ends().await;
}

#[tokio::test(start_paused = true)]
async fn leave_that_is_given_once_goes_to_one_of_two_calls() {
    let desk = ToolFixture::new().await;
    let me = desk.agent("fullstack-1", "full-stack-engineer").await;
    let calls = [(); 2].map(|()| desk.begins(&me, "ask_permission", bash("make install")));
    tokio::time::sleep(Duration::from_secs(1)).await;
    let (session, first) = open_question(&desk, &me).await;
    answers(&desk, &session, &first, "allow once").await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(calls.iter().filter(|call| call.is_finished()).count(), 1, "the other asks for itself");
    let (_, second) = open_question(&desk, &me).await;
    assert_ne!(first, second);
    answers(&desk, &session, &second, "deny").await;
    let mut said = Vec::new();
    for call in calls {
        let told = call.await.unwrap();
        said.push((told.text("behavior"), told.text("message")));
    }
    said.sort();
    let wanted = [("allow", "Ada allowed it."), ("deny", "Ada denied it.")];
    assert_eq!(said, wanted.map(|(behavior, message)| (behavior.to_owned(), message.to_owned())));
    desk.ends().await;
}

#[tokio::test(start_paused = true)]
async fn leave_for_the_task_answers_the_same_call_again_and_no_other() {
    let desk = ToolFixture::new().await;
    let me = desk.agent("fullstack-1", "full-stack-engineer").await;
    desk.given(&me, json!({})).await;
    let first = desk.begins(&me, "ask_permission", bash("make"));
    tokio::time::sleep(Duration::from_secs(1)).await;
    let (session, id) = open_question(&desk, &me).await;
    answers(&desk, &session, &id, "allow for this task").await;
    assert_eq!(first.await.unwrap().0["behavior"], "allow");
    for _ in 0..3 {
        assert_eq!(read(&desk, &me, "make").await["behavior"], "allow");
    }
    let other = desk.begins(&me, "ask_permission", bash("make clean"));
    tokio::time::sleep(Duration::from_secs(1)).await;
    let (_, next) = open_question(&desk, &me).await;
    assert_ne!(id, next);
    answers(&desk, &session, &next, "deny").await;
    assert_eq!(other.await.unwrap().0["behavior"], "deny");
    desk.ends().await;
}

#[tokio::test(start_paused = true)]
async fn silence_is_no_leave_and_the_question_outlives_the_call_that_asked() {
    let desk = ToolFixture::new().await;
    let me = desk.agent("fullstack-1", "full-stack-engineer").await;
    let began = tokio::time::Instant::now();
    let mut said = read(&desk, &me, "make").await;
    let (session, id) = open_question(&desk, &me).await;
    while said["message"].as_str().is_some_and(|words| words.contains("Nobody answered yet")) {
        said = read(&desk, &me, "make").await;
    }
    assert!(began.elapsed() >= Duration::from_secs(600), "{:?}", began.elapsed());
    assert_eq!(said, json!({"behavior": "deny", "message": "Nobody answered within 600 s: denied."}));
    let again = desk.begins(&me, "ask_permission", bash("make"));
    tokio::time::sleep(Duration::from_secs(1)).await;
    let (_, next) = open_question(&desk, &me).await;
    assert_ne!(id, next, "what was denied for want of an answer may be asked anew");
    answers(&desk, &session, &next, "allow once").await;
    assert_eq!(again.await.unwrap().0["behavior"], "allow");
    desk.ends().await;
}

#[tokio::test(start_paused = true)]
async fn leave_waits_for_its_turn_behind_another_question() {
    let desk = ToolFixture::new().await;
    let me = desk.agent("fullstack-1", "full-stack-engineer").await;
    let question =
        json!({"question": "Old or new?", "options": ["old", "new"], "default_action": "old", "wait_seconds": 0});
    desk.call(&me, "request_input", question).await;
    let (session, id) = open_question(&desk, &me).await;
    let leave = desk.begins(&me, "ask_permission", bash("make"));
    tokio::time::sleep(Duration::from_secs(1)).await;
    answers(&desk, &session, &id, "old").await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    let (_, next) = open_question(&desk, &me).await;
    answers(&desk, &session, &next, "allow once").await;
    assert_eq!(leave.await.unwrap().0["behavior"], "allow");
    desk.ends().await;
}

#[tokio::test(start_paused = true)]
async fn what_people_read_has_no_secrets_and_says_what_may_destroy() {
    let desk = ToolFixture::new().await;
    let me = desk.agent("fullstack-1", "full-stack-engineer").await;
    let asked = json!({
        "tool": "Bash", "cwd": "/work/shop", "reason": "the tests need it",
        "input": {"command": "ls # all\n\n  rm -rf build && export KEY=ghp_0123456789abcdefghijABCDEFGHIJ012345"},
    });
    let leave = desk.begins(&me, "ask_permission", asked);
    tokio::time::sleep(Duration::from_secs(1)).await;
    let shown = desk.call(&me, "get_session", json!({})).await.0["session"]["openQuestion"].clone();
    let text = shown["question"].as_str().unwrap();
    assert!(text.starts_with("May it use Bash?\nls # all ⏎ rm -rf build"), "{text}");
    assert!(text.ends_with("In /work/shop\nBecause: the tests need it"), "{text}");
    assert!(!shown.to_string().contains("ghp_0123456789"), "{shown}");
    assert!(shown["permission"]["risk"].as_str().is_some_and(|words| words.contains("rm")), "{shown}");
    assert_eq!((&shown["kind"], &shown["dangerous"]), (&json!("permission"), &json!(false)));
    leave.abort();
    for bad in [json!({"input": {}}), json!({"tool": "", "input": {}}), json!({"tool": "Bash"})] {
        desk.call(&me, "ask_permission", bad).await.is("INVALID_ARGUMENTS");
    }
    desk.ends().await;
}

#[tokio::test(start_paused = true)]
async fn what_people_read_is_short_and_turned_by_nothing() {
    let desk = ToolFixture::new().await;
    let me = desk.agent("fullstack-1", "full-stack-engineer").await;
    let command = format!("echo \u{202e}fdp.exe \u{2066}{}; rm -rf build", "x".repeat(5_000_000));
    let leave = desk.begins(&me, "ask_permission", json!({"tool": "Bash", "input": {"command": command}}));
    tokio::time::sleep(Duration::from_secs(1)).await;
    let shown = desk.call(&me, "get_session", json!({})).await.0["session"]["openQuestion"].clone();
    let text = shown.to_string();
    assert!(text.contains("fdp.exe") && text.len() < 16 * 1024, "{} bytes", text.len());
    assert!(!text.contains(['\u{202e}', '\u{2066}']), "{}", &text[..200]);
    assert!(shown["permission"]["risk"].as_str().is_some_and(|words| words.contains("64 kB")), "behind what is shown");
    leave.abort();
    desk.ends().await;
}
