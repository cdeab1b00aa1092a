//! What `evidence` does, tried.

use serde_json::json;

use super::*;

#[test]
fn a_proof_is_worth_what_others_can_look_at() {
    let command = json!({"kind": "command", "name": "cargo test", "outcome": "passed", "at": "2026-05-28T20:26:40Z"});
    let file = json!({"kind": "file", "name": "report.html", "outcome": "OK"});
    let review = json!({"kind": "review", "name": "ada", "outcome": "approved", "url": "https://x.example/1"});
    let ci = json!({"kind": "ci", "name": "build", "outcome": "success", "url": "https://x.example/2"});
    let with = |of: &Value, field: &str, value: Value| {
        let mut changed = of.clone();
        changed[field] = value;
        changed
    };
    for (given, grade) in [
        (None, EvidenceGrade::Said),
        (Some(json!("all green, I swear")), EvidenceGrade::Said),
        (Some(json!([])), EvidenceGrade::Said),
        (Some(command.clone()), EvidenceGrade::SelfChecked),
        (Some(json!([command])), EvidenceGrade::SelfChecked),
        (Some(with(&command, "outcome", json!("failed"))), EvidenceGrade::Said),
        (Some(with(&command, "name", json!(" "))), EvidenceGrade::Said),
        (Some(with(&command, "kind", json!("oath"))), EvidenceGrade::Said),
        (Some(file.clone()), EvidenceGrade::Observed),
        (Some(review.clone()), EvidenceGrade::Observed),
        (Some(with(&review, "url", Value::Null)), EvidenceGrade::Said),
        (Some(ci.clone()), EvidenceGrade::Ci),
        (Some(with(&ci, "url", json!(" "))), EvidenceGrade::Said),
        (Some(with(&ci, "url", json!("see the logs"))), EvidenceGrade::Said),
        (Some(with(&ci, "url", json!("http://x.example/2"))), EvidenceGrade::Said),
        (Some(with(&ci, "url", json!("https://"))), EvidenceGrade::Said),
        (Some(with(&ci, "url", json!("javascript:alert(1)"))), EvidenceGrade::Said),
        (Some(json!([command, with(&ci, "outcome", json!("failure")), 7, file])), EvidenceGrade::Observed),
        (Some(json!([command, ci, file])), EvidenceGrade::Ci),
    ] {
        assert_eq!(EvidenceGrade::of(given.as_ref()), grade, "{given:?}");
    }
}

#[test]
fn grades_are_named_as_in_settings_and_say_what_proves_them() {
    use EvidenceGrade::{Ci, Observed, Said, SelfChecked};
    assert!(Said < SelfChecked && SelfChecked < Observed && Observed < Ci);
    for grade in [Said, SelfChecked, Observed, Ci] {
        assert_eq!(json!(grade), json!(grade.to_string()));
        assert_eq!(grade == Said, !grade.proof().contains("kind"), "{}", grade.proof());
    }
}
