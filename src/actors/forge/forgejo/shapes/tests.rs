//! What `shapes` does, tried.

use rstest::rstest;
use serde_json::json;

use super::{CommentShape, on_forge, unresolved_threads};

#[rstest]
#[case("Add it", false, "Add it")]
#[case("Add it", true, "WIP: Add it")]
#[case("wip: [WIP] Add it", false, "Add it")]
#[case(" [wip]Add it", true, "WIP: Add it")]
#[case("Wiping it", false, "Wiping it")]
#[case("größer", true, "WIP: größer")]
#[case("WI", false, "WI")]
fn a_title_has_one_beginning_that_marks_a_draft_or_none(#[case] title: &str, #[case] draft: bool, #[case] there: &str) {
    assert_eq!(on_forge(title, draft), there);
}

#[test]
fn threads_are_counted_where_it_is_told_who_resolved_them() {
    let comment = |value: serde_json::Value| -> CommentShape { serde_json::from_value(value).unwrap() };
    let open = comment(json!({"path": "a", "position": 1, "original_position": 0, "resolver": null}));
    let done = comment(json!({"path": "b", "position": 1, "original_position": 0, "resolver": {"login": "ada"}}));
    let answer = comment(json!({"path": "b", "position": 1, "original_position": 0, "resolver": null}));
    let old = comment(json!({"path": "a", "position": 1}));
    assert_eq!(unresolved_threads(&[]), Some(0));
    assert_eq!(unresolved_threads(&[open.clone(), open.clone(), done, answer]), Some(1));
    assert_eq!(unresolved_threads(&[open, old]), None);
}
