//! What `unique` does, tried.

use rstest::rstest;

use super::doubled_key;

#[rstest]
#[case::at_the_top(r#"{"value": "yes", "value": "no"}"#)]
#[case::written_otherwise(r#"{"value": 1, "\u0076alue": 2}"#)]
#[case::inside(r#"{"comments": [{"text": "a"}, {"text": "b", "line": {"from": 1, "from": 2}}]}"#)]
fn a_key_that_stands_twice_is_refused(#[case] body: &str) {
    let refused = doubled_key(body.as_bytes()).expect("it is refused");
    assert!(refused.contains("stands twice"), "{refused}");
}

#[rstest]
#[case::once_in_each_object(r#"{"a": [1, -2, 3.5, null, true, {"a": "é"}], "b": {"a": {}, "b": ""}}"#)]
#[case::nothing("")]
#[case::no_json(r#"{"a": 1,"#)]
fn any_other_text_is_not(#[case] body: &str) {
    assert_eq!(doubled_key(body.as_bytes()), None);
}
