//! What `inbox` does, tried.

use serde_json::json;

use super::*;
use crate::cli::output::table::{columns, table};

#[test]
fn who_could_not_act_is_told_what_to_type_and_of_no_tool() {
    let outcome = |code: &str| {
        json!({ "ok": false, "code": code, "error": "it is not there",
            "details": { "prompt": "Look with detect_input_prompt." } })
    };
    for (code, exit, next) in [
        ("NO_INPUT_PROMPT", Exit::Refused, "callboard inbox list"),
        ("TERMINAL_NOT_HOSTED", Exit::Refused, "callboard run --inject"),
        ("UNAVAILABLE", Exit::Failed, "look before you act again"),
        ("NEW_CODE", Exit::Refused, "callboard inbox list"),
        ("INVALID_ARGUMENTS", Exit::Configuration, "callboard inbox act input_prompt:s_0001@12 answer VALUE"),
    ] {
        let problem = undone("input_prompt:s_0001@12", "answer", &outcome(code));
        let words = problem.words();
        assert_eq!(problem.exit(), exit);
        assert!(words.contains("it is not there") && !words.contains("detect_input_prompt"), "{words}");
        assert!(words.split_once("next: ").is_some_and(|(_, said)| said.contains(next)), "{words}");
    }
}

#[test]
fn a_title_that_ends_a_sentence_gets_no_second_sign() {
    let why = &columns(INBOX, Timestamp(0))[8..];
    for (title, shown) in [
        ("Name:", "Name: its program waits"),
        ("Deploy now?", "Deploy now? its program waits"),
        ("Build the shop", "Build the shop: its program waits"),
        ("", "its program waits"),
    ] {
        let item = json!({ "title": title, "reason": "its program waits" });
        assert_eq!(table(why, &[item], false, None), format!("WHY\n{shown}\n"));
    }
}
