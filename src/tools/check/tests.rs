//! What `check` does, tried.

use rstest::rstest;
use serde_json::json;

use super::*;

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "taskId": {"type": "string"},
            "timeout": {"type": ["number", "null"]},
            "percent": {"type": ["integer", "null"], "minimum": 0, "maximum": 100},
            "status": {"oneOf": [{"const": "COMPLETED", "type": "string"}, {"const": "FAILED", "type": "string"}]},
            "workspace": {"anyOf": [
                {"type": "object", "properties": {"repo": {"type": "string"}}, "required": ["repo"],
                 "additionalProperties": false},
                {"type": "null"}
            ]},
            "artifacts": {"type": "array", "items": {"anyOf": [{"type": "string"}, {"type": "object"}]}},
        },
        "required": ["taskId"],
        "additionalProperties": false,
    })
}

#[rstest]
#[case(json!({"taskId": "a", "timeout": null, "percent": 5, "workspace": {"repo": "x"}, "artifacts": ["a", {}]}))]
#[case(json!({"taskId": "a", "timeout": 1.5, "workspace": null, "status": "FAILED"}))]
fn what_fits_passes(#[case] value: Value) {
    assert_eq!(check(&schema(), &value), Ok(()));
}

#[rstest]
#[case(json!({}), "`taskId` is missing: it must be a string")]
#[case(json!({"taskId": 5}), "`taskId` must be a string, not a number")]
#[case(json!({"taskId": "a", "timeout": "45"}), "`timeout` must be a number, not a string")]
#[case(json!({"taskId": "a", "percent": 1.5}), "`percent` must be a whole number, not a number with a fraction")]
#[case(json!({"taskId": "a", "percent": 101}), "`percent` must be at most 100")]
#[case(json!({"taskId": "a", "status": "DONE"}), "`status` must be COMPLETED or FAILED, not `DONE`")]
#[case(json!({"taskId": "a", "workspace": {}}), "`workspace.repo` is missing: it must be a string")]
#[case(json!({"taskId": "a", "workspace": "x"}), "`workspace` must be an object, not `x`")]
#[case(json!({"taskId": "a", "artifacts": [1]}), "`artifacts[0]` must be a string or an object, not a number")]
#[case(json!({"taskId": "a", "tiemout": 1}), "`tiemout` is not a field of this tool; did you mean `timeout`?")]
#[case(json!([]), "must be an object, not a list")]
fn what_does_not_fit_is_said_in_words(#[case] value: Value, #[case] sentence: &str) {
    let misfit = check(&schema(), &value).expect_err("it must not fit");
    assert_eq!(misfit.sentence(), sentence);
}
