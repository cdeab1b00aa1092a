//! What `rewritten` does, tried.

use rstest::rstest;

use super::*;

fn asked(method: &str, params: Value) -> Option<Value> {
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string();
    rewritten(message.as_bytes()).map(|message| serde_json::from_slice(&message).expect("JSON"))
}

#[test]
fn a_result_moves_to_where_the_library_keeps_it() {
    let modern = json!({VERSION: "2026-07-28"});
    let message = asked("tasks/cancel", json!({"taskId": "w_1", "result": [1], "_meta": modern})).expect("changed");
    assert_eq!(message["method"], "tasks/cancel");
    let meta = json!({VERSION: "2026-07-28", COMPLETE: {"result": [1]}});
    assert_eq!(message["params"], json!({"taskId": "w_1", "_meta": meta}));
    let both = json!({"taskId": "h_1", "result": 1, "_meta": {COMPLETE: {"result": 2}}});
    let message = asked("tasks/cancel", both).expect("changed");
    assert_eq!(message["params"]["_meta"][COMPLETE]["result"], 2, "what `_meta` says goes before");
    let escaped = br#"{"method":"tasks\/c\u0061ncel","params":{"taskId":"h_1","result":1}}"#;
    assert!(rewritten(escaped).is_some(), "however the method is written");
}

#[test]
fn what_an_elder_era_asks_about_a_run_gets_a_name_of_ours_and_nothing_else_does() {
    let run = || json!({"taskId": "w_00000001"});
    assert_eq!(asked("tasks/get", run()).expect("changed")["method"], GET);
    assert_eq!(asked("tasks/cancel", run()).expect("changed")["method"], CANCEL);
    let elder = json!({"taskId": "w_00000001", "_meta": {VERSION: "2025-11-25"}});
    assert_eq!(asked("tasks/get", elder).expect("changed")["method"], GET);
    let modern = json!({"taskId": "w_00000001", "_meta": {VERSION: "2026-07-28"}});
    for (method, params) in [
        ("tasks/get", modern.clone()),
        ("tasks/cancel", modern),
        ("tasks/get", json!({"taskId": "h_00000001"})),
        ("tasks/get", json!({})),
        ("tasks/get", json!([])),
        ("tasks/result", run()),
        ("tools/call", json!({"name": "tasks/get", "taskId": "w_00000001", "result": 1})),
    ] {
        assert_eq!(asked(method, params.clone()), None, "{method} {params}");
    }
    assert_eq!(rewritten(b"no JSON"), None);
}

#[rstest]
#[case::nothing(None, None)]
#[case::null(Some(json!(null)), None)]
#[case::null_in_it(Some(json!({"result": null})), None)]
#[case::wrapped(Some(json!({"result": {"a": 1}})), Some(json!({"a": 1})))]
#[case::as_it_is(Some(json!({"a": 1})), Some(json!({"a": 1})))]
#[case::false_is_one(Some(json!({"result": false})), Some(json!(false)))]
fn what_is_brought_is_read(#[case] brought: Option<Value>, #[case] wanted: Option<Value>) {
    assert_eq!(result_in(brought.as_ref()), wanted);
}
