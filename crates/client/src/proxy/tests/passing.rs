//! While the hub is there: what passes, what is added, and what the proxy does by itself.

use std::time::Duration;

use rstest::rstest;
use serde_json::json;

use super::{Stage, answers, asked, call, to_client, to_hub, told};

#[rstest]
#[case::a_field_nobody_knows(
    r#"{"jsonrpc":"2.0","id":"x","method":"tools/list","params":{"task":{"ttl":1}},"more":[1, 2.50]}"#
)]
#[case::a_wait(r#"{"id":3,"jsonrpc":"2.0","method":"tools/call","params":{"name":"wait_for_prompt"}}"#)]
#[case::an_old_way_to_complete(
    r#"{"jsonrpc":"2.0","id":1,"method":"tasks/cancel","params":{"taskId":"t","result":{}}}"#
)]
#[case::a_notification(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}"#)]
#[case::no_message("{ this is no JSON")]
#[case::several(r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#)]
#[case::a_tool_nobody_knows(
    r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"forge","arguments":{"a":1}}}"#
)]
fn what_a_client_says_passes_as_it_is(#[case] line: &str) {
    assert_eq!(Stage::up().client(line), to_hub(line));
}

#[rstest]
#[case::an_answer_to_nobody(r#"{"jsonrpc":"2.0","id":99,"result":{"odd":true}}"#)]
#[case::a_notification(
    r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p","progress":1.0}}"#
)]
#[case::a_request_of_the_hubs(r#"{"jsonrpc":"2.0","id":1,"method":"roots/list"}"#)]
fn what_the_hub_says_passes_as_it_is(#[case] text: &str) {
    assert_eq!(Stage::up().hub(text), to_client(text));
}

#[test]
fn a_message_of_several_lines_becomes_one() {
    assert_eq!(Stage::up().hub("{\n  \"a\": 1\n}"), to_client("{   \"a\": 1 }"));
}

#[test]
fn a_call_that_changes_something_gets_a_key_and_keeps_everything_else() {
    let mut stage = Stage::up();
    let before = r#"{"jsonrpc":"2.0", "id":1, "method":"tools/call", "params":{"arguments": {"#;
    let behind = r#" "prompt":"Go", "n":1.0}, "name":"assign_task", "task":{}}}"#;
    let keyed = format!(r#"{before}"idempotencyKey":"p-1",{behind}"#);
    assert_eq!(stage.client(&format!("{before}{behind}")), to_hub(&keyed));
    let twice = r#" "prompt":"Go", "prompt":"Stop"}, "name":"assign_task", "task":{}}}"#;
    let keyed = format!(r#"{before}"idempotencyKey":"p-2",{twice}"#);
    assert_eq!(stage.client(&format!("{before}{twice}")), to_hub(&keyed), "what stands twice is the hub's to refuse");
    let own = call(2, "assign_task", &json!({"prompt": "Go", "idempotencyKey": "mine"}));
    assert_eq!(stage.client(&own), to_hub(&own));
    let looks = call(3, "list_agents", &json!({"role": "coding"}));
    assert_eq!(stage.client(&looks), to_hub(&looks));
}

#[test]
fn a_task_that_was_read_is_acknowledged_a_moment_later_and_its_answer_stays_here() {
    let mut stage = Stage::up();
    stage.client(&call(1, "wait_for_prompt", &json!({})));
    let task = answers(1, &json!({"status": "TASK", "taskId": "t1", "leaseEpoch": 4}));
    assert_eq!(stage.hub(&task), to_client(&task));
    assert_eq!(stage.relay.next_deadline(), Some(stage.now + super::super::reads::READ_AFTER));
    let ack = asked(&stage.after(1));
    assert_eq!(ack[0]["params"]["name"], "ack_task");
    assert_eq!(ack[0]["params"]["arguments"], json!({"taskId": "t1", "leaseEpoch": 4}));
    let own = json!({"jsonrpc": "2.0", "id": ack[0]["id"], "result": {}}).to_string();
    assert_eq!(stage.hub(&own), []);
    assert_eq!(stage.after(100), []);
}

#[test]
fn a_task_whose_wait_was_called_off_is_not_acknowledged_and_that_of_another_is() {
    let mut stage = Stage::up();
    for (id, task) in [(1, "t1"), (2, "t2")] {
        stage.client(&call(id, "wait_for_prompt", &json!({})));
        stage.hub(&answers(id, &json!({"status": "TASK", "taskId": task, "leaseEpoch": 4})));
    }
    let cancel = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#;
    assert_eq!(stage.client(cancel), to_hub(cancel));
    let acknowledged = asked(&stage.after(1));
    assert_eq!(acknowledged.len(), 1, "{acknowledged:?}");
    assert_eq!(acknowledged[0]["params"]["arguments"]["taskId"], "t2");
}

#[test]
fn what_a_hook_was_given_is_not_acknowledged() {
    let mut stage = Stage::up();
    stage.client(&call(1, "wait_for_prompt", &json!({"form": "hook"})));
    let fields = json!({"status": "TASK", "taskId": "t1", "leaseEpoch": 4, "form": "hook", "decision": "block"});
    let task = answers(1, &fields);
    assert_eq!(stage.hub(&task), to_client(&task));
    assert_eq!(stage.after(100), []);
}

#[test]
fn a_task_that_lies_in_the_pipe_is_acknowledged_when_the_client_takes_it_and_not_before() {
    let mut stage = Stage::up();
    stage.client(&call(1, "wait_for_prompt", &json!({})));
    stage.taken = 99;
    stage.hub(&answers(1, &json!({"status": "TASK", "taskId": "t1", "leaseEpoch": 4})));
    for _ in 0..600 {
        assert_eq!(stage.after(1), []);
    }
    assert!(stage.relay.next_deadline().is_some_and(|at| at <= stage.now + Duration::from_secs(1)), "it looks again");
    stage.taken = 100;
    assert_eq!(asked(&stage.after(1))[0]["params"]["name"], "ack_task");
    assert_eq!(stage.after(1), []);
}

#[test]
fn who_names_its_task_needs_nobody_to_acknowledge_it() {
    let mut stage = Stage::up();
    stage.client(&call(1, "wait_for_prompt", &json!({})));
    stage.hub(&answers(1, &json!({"status": "TASK", "taskId": "t1", "leaseEpoch": 4})));
    stage.client(&call(2, "ack_task", &json!({"taskId": "t1"})));
    assert_eq!(stage.after(5), []);
}

#[test]
fn who_waits_without_having_registered_is_registered_and_waits() {
    let mut stage = Stage::up();
    let wait = call(1, "wait_for_prompt", &json!({}));
    stage.client(&wait);
    let refused = answers(1, &json!({"success": false, "code": "NOT_REGISTERED"}));
    let own = asked(&stage.hub(&refused));
    assert_eq!(own[0]["params"]["arguments"], json!({"agentId": "a1", "role": "coding"}));
    let known = json!({"jsonrpc": "2.0", "id": own[0]["id"], "result": {}}).to_string();
    assert_eq!(stage.hub(&known), to_hub(&wait));
    assert_eq!(stage.hub(&refused), to_client(&refused), "once is enough");
}

#[test]
fn progress_and_other_answers_pass_a_wait_by() {
    let mut stage = Stage::up();
    stage.client(&call(1, "wait_for_prompt", &json!({})));
    stage.client(&call(2, "list_agents", &json!({})));
    let second = answers(2, &json!({"success": true}));
    assert_eq!(stage.hub(&second), to_client(&second));
    assert!(!stage.relay.is_busy(), "only the wait is left");
    assert!(told(&stage.after(1_000)).is_empty(), "while the hub is there it knows best how long to wait");
}
