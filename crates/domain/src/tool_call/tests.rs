//! What `tool_call` does, tried.

use rstest::rstest;
use serde_json::json;

use super::*;

#[rstest]
#[case(json!({"timeout": 30}), Some(30.0))]
#[case(json!({"waitSeconds": "45"}), Some(45.0))]
#[case(json!({"wait_seconds": 1.5, "title": "t"}), Some(1.5))]
#[case(json!({"timeout": "soon"}), None)]
#[case(json!({"timeout": null}), None)]
#[case(json!(null), None)]
fn a_call_says_how_long_it_waits(#[case] arguments: Value, #[case] expected: Option<f64>) {
    assert_eq!(seconds(&arguments), expected);
}

#[test]
fn nothing_and_an_empty_text_are_left_out() {
    assert_eq!(
        [json!(null), json!(""), json!(0), json!([])].map(|given| is_left_out(&given)),
        [true, true, false, false]
    );
}

#[test]
fn the_verbs_stand_once_and_by_name() {
    assert!(NATURES.is_sorted_by(|one, next| one.name < next.name));
    assert_eq!(nature("wait_for_prompt"), Some(waits("wait_for_prompt")));
    assert_eq!(nature("wait_for_rain"), None);
}
