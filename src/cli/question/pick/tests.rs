//! What `pick` does, tried.

use serde_json::json;

use super::*;

#[test]
fn a_line_is_an_option_its_number_or_words() {
    let question = json!({"options": ["red", "2", "green"], "defaultAction": "red"});
    let choice = Choice::of(&question);
    let read = |line: &str| choice.read(line).map_err(|problem| problem.exit());
    assert_eq!(read("red").as_deref(), Ok("red"));
    assert_eq!(read("2").as_deref(), Ok("2"), "a word that is an option goes before a number");
    assert_eq!(read("3").as_deref(), Ok("green"));
    assert_eq!(read("9").as_deref(), Ok("9"), "the hub says what it does not take");
    assert_eq!(read("0").as_deref(), Ok("0"));
    assert!(read("").is_err());
    assert_eq!(choice.line("red"), "red (default)");
    assert_eq!(choice.line("a\u{1b}[2J\nb"), "a\\u{1b}[2J b");
}

#[test]
fn free_words_are_offered_where_they_are_taken() {
    let free = |question: Value| Choice::of(&question).free;
    assert!(free(json!({"options": []})));
    assert!(!free(json!({"options": ["a"]})));
    assert!(free(json!({"options": ["a"], "allowFreeText": true})));
}

#[test]
fn where_an_answer_may_destroy_something_return_alone_gives_none() {
    let first = |question: Value| Choice::of(&question).first();
    let options = json!(["drop it", "keep it"]);
    assert_eq!(first(json!({"options": options, "defaultAction": "keep it"})), 1);
    assert_eq!(first(json!({"options": options})), 0);
    assert_eq!(first(json!({"options": options, "defaultAction": "drop it", "dangerous": true})), usize::MAX);
    assert_eq!(first(json!({"options": options, "permission": {"risk": "rm -rf"}})), usize::MAX);
}
