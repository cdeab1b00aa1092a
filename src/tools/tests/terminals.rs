//! Terminals through the verbs: what waits, for what, how dangerously, and what one would answer.

use rstest::rstest;
use serde_json::{Value, json};

use super::fixture::{ToolFixture, operator};
use crate::tools::Caller;

pub(super) async fn session_of(desk: &ToolFixture, agent: &Caller) -> String {
    desk.call(agent, "get_session", json!({})).await.0["session"]["sessionId"].as_str().unwrap().to_owned()
}

/// What the detector says after this was printed.
async fn after(printed: &str) -> Value {
    let desk = ToolFixture::new().await;
    let dev = desk.agent("dev-1", "designer").await;
    desk.call(&dev, "append_output", json!({"text": printed})).await.done();
    let session = session_of(&desk, &dev).await;
    let said = desk.call(&dev, "detect_input_prompt", json!({"session_id": session})).await;
    desk.ends().await;
    said.done().0.clone()
}

#[rstest]
#[case("Password: ", "password", false)]
#[case("Continue? (yes/no): ", "yes_no", false)]
#[case("Delete 3 tables? (yes/no): ", "yes_no", true)]
#[case("Undo delete? [y/N] ", "yes_no", false)]
#[case("$ ssh host\nAre you sure you want to continue connecting (yes/no/[fingerprint])? ", "yes_no", false)]
#[tokio::test(start_paused = true)]
async fn a_prompt_is_found_for_what_it_is(#[case] printed: &str, #[case] kind: &str, #[case] dangerous: bool) {
    let said = after(printed).await;
    let prompt = &said["prompt"];
    assert_eq!((&said["detected"], &prompt["prompt_type"]), (&json!(true), &json!(kind)), "{said}");
    assert_eq!(prompt["is_dangerous"], dangerous, "{said}");
    assert_eq!(prompt["safe_to_type"], false, "nobody has looked into the kernel: {said}");
    assert!(prompt["confidence"].as_f64().unwrap() >= 0.7 && prompt["timestamp"].is_string(), "{said}");
    assert_eq!(prompt["file_position"], printed.len(), "{said}");
}

#[rstest]
#[case("Normal log output without prompt\n")]
#[case("Normal log output without prompt")]
#[case("wrote 12 files (y/n answers were given by the caller)\n")]
#[tokio::test(start_paused = true)]
async fn what_is_no_prompt_is_none(#[case] printed: &str) {
    let said = after(printed).await;
    assert_eq!((&said["detected"], &said["prompt"]), (&json!(false), &Value::Null), "{said}");
}

#[tokio::test(start_paused = true)]
async fn a_threshold_is_the_callers_and_lies_between_nothing_and_one() {
    let desk = ToolFixture::new().await;
    let dev = desk.agent("dev-1", "designer").await;
    desk.call(&dev, "append_output", json!({"text": "Maybe a prompt?"})).await.done();
    let session = session_of(&desk, &dev).await;
    let sure = json!({"session_id": session, "min_confidence": 0.85});
    assert_eq!(desk.call(&dev, "detect_input_prompt", sure).await.done().0["detected"], false);
    for wrong in [-0.1, 1.1] {
        let said =
            desk.call(&dev, "detect_input_prompt", json!({"session_id": session, "min_confidence": wrong})).await;
        assert_eq!(said.is("INVALID_CONFIDENCE").0["message"], "Confidence must be 0.0-1.0");
    }
    desk.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_prompt_is_found_after_ten_thousand_lines_and_the_rest_is_kept_within_its_bounds() {
    let mut printed: String = (0..10_000).map(|line| format!("line {line} of the build\n")).collect();
    printed.push_str("Password: ");
    assert_eq!(after(&printed).await["prompt"]["prompt_type"], "password");
}

#[tokio::test(start_paused = true)]
async fn a_session_that_is_not_there_or_of_another_is_answered_alike() {
    let desk = ToolFixture::new().await;
    let (dev, other) = (desk.agent("dev-1", "designer").await, desk.agent("dev-2", "designer").await);
    let session = session_of(&desk, &dev).await;
    for (caller, id) in [(&other, session.as_str()), (&dev, "s_00000000"), (&operator(), "nowhere"), (&dev, "../etc")] {
        let said = desk.call(caller, "detect_input_prompt", json!({"session_id": id})).await;
        assert_eq!(said.is("SESSION_NOT_FOUND").0["message"], format!("Session {id} not found"));
        desk.call(caller, "append_output", json!({"session_id": id, "text": "x"})).await.is("SESSION_NOT_FOUND");
    }
    desk.call(&operator(), "append_output", json!({"text": "x"})).await.is("SESSION_REQUIRED");
    let own = desk.call(&operator(), "append_output", json!({"session_id": session, "text": "Name: "})).await;
    assert_eq!(own.done().0["file_position"], 6, "who may operate prints into any");
    assert_eq!(desk.call(&dev, "detect_input_prompt", json!({"session_id": session})).await.0["detected"], true);
    desk.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_session_in_which_nothing_was_printed_waits_for_nothing() {
    let desk = ToolFixture::new().await;
    let dev = desk.agent("dev-1", "designer").await;
    let session = session_of(&desk, &dev).await;
    let said = desk.call(&dev, "detect_input_prompt", json!({"sessionId": session})).await;
    assert_eq!(said.done().0["detected"], false, "and the other spelling of a field is as good");
    desk.ends().await;
}

#[rstest]
#[case::nul(&"\0".repeat(4_000))]
#[case::a_line_of_a_megabyte(&"x".repeat(1024 * 1024))]
#[case::sequences_without_end(
    "\u{1b}[99999999999999b\u{1b}]0;title\u{1b}]52;c;AAAA\u{1b}P+q544e\u{1b}\\\u{1b}[6n\u{1b}[c"
)]
#[case::another_size_and_a_wrong_alternate_screen(
    "\u{1b}[8;9999;9999t\u{1b}[?1049h\u{1b}[?1049h\u{1b}[?1049l\u{9b}31m"
)]
#[tokio::test(start_paused = true)]
async fn what_is_hostile_is_drawn_and_the_next_prompt_is_found(#[case] hostile: &str) {
    let said = after(&format!("{hostile}\u{1b}\\\r\n\r\nPassword: ")).await;
    assert_eq!(said["prompt"]["prompt_type"], "password", "{said}");
}

async fn inferred(arguments: Value) -> Value {
    let desk = ToolFixture::new().await;
    let dev = desk.agent("dev-1", "designer").await;
    let said = desk.call(&dev, "infer_expected_input", arguments).await;
    desk.ends().await;
    said.done().0.clone()
}

fn texts(inferred: &Value) -> Vec<&str> {
    let suggestions = inferred["suggestions"].as_array().unwrap();
    suggestions.iter().map(|suggestion| suggestion["input_text"].as_str().unwrap()).collect()
}

#[tokio::test(start_paused = true)]
async fn yes_or_no_has_exactly_two_answers_in_the_prompts_own_words() {
    let said = inferred(json!({"prompt_text": "Continue? (yes/no): ", "prompt_type": "yes_no"})).await;
    assert_eq!(texts(&said), ["yes", "no"], "{said}");
    let said = inferred(json!({"prompt_text": "Restart now? [y/N] ", "prompt_type": "yes_no"})).await;
    assert_eq!(texts(&said), ["n", "y"], "its default first: {said}");
}

#[tokio::test(start_paused = true)]
async fn a_path_may_be_here_or_in_the_folder_for_what_may_go_or_in_the_context() {
    let asked =
        json!({"prompt_text": "Path: ", "prompt_type": "path", "session_context": {"cwd": "/srv/shop", "n": 1}});
    let said = inferred(asked).await;
    assert!(["./", "/tmp/", "/srv/shop"].iter().all(|path| texts(&said).contains(path)), "{said}");
}

#[tokio::test(start_paused = true)]
async fn a_dangerous_prompt_is_called_so_and_its_safe_answer_goes_first() {
    let said = inferred(json!({"prompt_text": "Delete all files? (yes/no)", "prompt_type": "yes_no"})).await;
    assert!(said["warnings"][0].as_str().unwrap().contains("dangerous"), "{said}");
    assert_eq!(texts(&said), ["no", "yes"]);
}

#[tokio::test(start_paused = true)]
async fn a_secret_is_left_to_a_person() {
    let said = inferred(json!({"prompt_text": "Password: ", "prompt_type": "password"})).await;
    assert_eq!(texts(&said), [""], "{said}");
    let desk = ToolFixture::new().await;
    let wrong = json!({"prompt_text": "x", "prompt_type": "guess"});
    desk.call(&operator(), "infer_expected_input", wrong).await.is("INVALID_ARGUMENTS");
    desk.ends().await;
}
