//! What `arguments` does, tried.

use rstest::rstest;
use serde_json::json;

use super::*;

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "agentId": {"type": "string"},
            "session_id": {"type": "string"},
            "context": {},
            "workspace": {"anyOf": [
                {"type": "object", "properties": {"repoUrl": {"type": "string"}}, "additionalProperties": false},
                {"type": "null"},
            ]},
            "artifacts": {"type": "array", "items": {"anyOf": [
                {"type": "string"},
                {"type": "object", "properties": {"fileName": {"type": "string"}}, "additionalProperties": false},
            ]}},
            "role": {"type": "string"},
            "kind": {"oneOf": [{"const": "a", "type": "string"}, {"const": "b", "type": "string"}]},
            "timeout": {"type": "number"},
            "percent": {"type": "integer"},
            "dryRun": {"type": "boolean"},
            "diff": {"anyOf": [{"type": "array", "items": {"type": "integer"}}, {"type": "boolean"}]},
        },
        "required": ["role"],
        "additionalProperties": false,
    })
}

fn with_role(mut given: Value) -> Value {
    given["role"] = json!("pm");
    given
}

#[rstest]
#[case(json!({"agent_id": "a"}), json!({"agentId": "a"}))]
#[case(json!({"agentId": "a", "agent_id": "a"}), json!({"agentId": "a"}))]
#[case(json!({"sessionId": "s"}), json!({"session_id": "s"}))]
#[case(json!({"workspace": {"repo_url": "x"}}), json!({"workspace": {"repoUrl": "x"}}))]
#[case(json!({"artifacts": ["a", {"file_name": "x"}]}), json!({"artifacts": ["a", {"fileName": "x"}]}))]
fn the_other_case_is_as_good(#[case] given: Value, #[case] wanted: Value) {
    assert_eq!(normalise(&schema(), with_role(given)), Ok(with_role(wanted)));
}

#[rstest]
#[case(json!({"agentId": null, "workspace": {"repoUrl": null}}), json!({"workspace": {}}))]
#[case(json!({"agentId": "", "session_id": "", "kind": "", "timeout": "", "percent": "", "dryRun": "",
        "context": "", "workspace": "", "artifacts": ""}), json!({}))]
#[case(json!({"agent_id": "", "agentId": "a"}), json!({"agentId": "a"}))]
#[case(json!({"workspace": {"repo_url": ""}, "artifacts": [{"fileName": ""}]}),
        json!({"workspace": {}, "artifacts": [{}]}))]
fn null_and_an_empty_text_leave_an_optional_field_out(#[case] given: Value, #[case] wanted: Value) {
    assert_eq!(normalise(&schema(), with_role(given)), Ok(with_role(wanted)));
}

/// `{}` for an object that needs a field, as many models fill in: left out where the field may be.
#[rstest]
#[case(json!({"place": {}}), json!({}))]
#[case(json!({"place": "{}"}), json!({}))]
#[case(json!({"place": {"branch": ""}}), json!({}))]
#[case(json!({"place": {"repo": "x"}}), json!({"place": {"repo": "x"}}))]
#[case(json!({"progress": {}}), json!({"progress": {}}))]
fn an_empty_object_leaves_out_a_field_that_needs_more(#[case] given: Value, #[case] wanted: Value) {
    let texts = json!({"repo": {"type": "string"}, "branch": {"type": "string"}});
    let place = json!({"type": "object", "properties": texts, "required": ["repo"]});
    let schema = json!({"type": "object", "properties": {
        "place": {"anyOf": [place, {"type": "null"}]},
        "progress": {"type": "object", "properties": {}},
    }});
    assert_eq!(normalise(&schema, given), Ok(wanted));
}

#[test]
fn no_arguments_are_an_empty_object_and_a_required_field_is_never_left_out() {
    let misfit = normalise(&schema(), Value::Null).expect_err("`role` is required");
    assert_eq!(misfit.sentence(), "`role` is missing: it must be a string");
    assert_eq!(normalise(&schema(), json!({"role": ""})), Ok(json!({"role": ""})), "the tool itself judges it");
    let misfit = normalise(&schema(), json!({"role": null})).expect_err("null is no text");
    assert_eq!(misfit.sentence(), "`role` must be a string, not null");
}

#[rstest]
#[case("timeout", "45", json!(45))]
#[case("timeout", "1.5", json!(1.5))]
#[case("percent", "45", json!(45))]
#[case("dryRun", "true", json!(true))]
#[case("workspace", r#"{"repo_url": "x"}"#, json!({"repoUrl": "x"}))]
#[case("artifacts", r#"["a", "{\"fileName\": 1}", {"file_name": "x"}]"#,
        json!(["a", "{\"fileName\": 1}", {"fileName": "x"}]))]
#[case("diff", r#"["1", 2]"#, json!([1, 2]))]
#[case("diff", "false", json!(false))]
#[case("agentId", "45", json!("45"))]
#[case("agentId", "true", json!("true"))]
#[case("context", "[1]", json!("[1]"))]
fn a_text_that_spells_what_is_wanted_is_taken_for_it(#[case] field: &str, #[case] text: &str, #[case] wanted: Value) {
    let read = normalise(&schema(), with_role(json!({field: text}))).expect("it fits");
    assert_eq!(read[field], wanted);
}

#[rstest]
#[case("timeout", "45 s", "`timeout` must be a number, not a string")]
#[case("timeout", "[45]", "`timeout` must be a number, not a string")]
#[case("timeout", "null", "`timeout` must be a number, not a string")]
#[case("percent", "4.5", "`percent` must be a whole number, not a string")]
#[case("dryRun", "yes", "`dryRun` must be true or false, not a string")]
#[case("dryRun", "1", "`dryRun` must be true or false, not a string")]
#[case("artifacts", "a, b", "`artifacts` must be a list, not a string")]
#[case("artifacts", "[3]", "`artifacts[0]` must be a string or an object, not a number")]
#[case("workspace", r#"{"repo": "x"}"#, "`workspace.repo` is not a field of this tool; did you mean `repoUrl`?")]
#[case(
    "workspace",
    r#"{"repoUrl": "x", "repoUrl": "y"}"#,
    "`workspace` cannot be read in one way: the key `repoUrl` stands twice in one object at line 1 column 26"
)]
fn any_other_text_is_refused_by_name(#[case] field: &str, #[case] text: &str, #[case] sentence: &str) {
    let misfit = normalise(&schema(), with_role(json!({field: text}))).expect_err("it does not fit");
    assert_eq!(misfit.sentence(), sentence);
}

#[test]
fn what_an_asker_put_into_a_free_field_stays_as_it_came() {
    let given = with_role(json!({"context": {"agent_id": "a", "n": "1", "e": "", "workspace": {"repo_url": 1}}}));
    assert_eq!(normalise(&schema(), given.clone()), Ok(given));
}

#[test]
fn two_values_for_one_field_are_refused_rather_than_one_of_them_dropped() {
    let misfit = normalise(&schema(), with_role(json!({"agentId": "a", "agent_id": "b"}))).expect_err("ambiguous");
    assert_eq!(misfit.sentence(), "`agentId` is given twice, with different values");
}
