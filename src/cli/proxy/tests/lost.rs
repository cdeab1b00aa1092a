//! While the hub is away, and when it is back.

use serde_json::json;

use super::{HELLO, READY, Stage, answers, asked, call, introduced, to_client, to_hub, told};

#[test]
fn what_is_said_before_the_hub_is_there_waits_for_it_in_its_order() {
    let mut stage = Stage::down();
    let lines = [HELLO, READY, r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#, "{ no JSON"];
    assert!(lines.iter().all(|line| stage.client(line).is_empty()));
    let sent: Vec<_> = lines.iter().flat_map(|line| to_hub(line)).collect();
    assert_eq!(stage.relay.is_up(stage.now), sent);
}

#[test]
fn a_wait_goes_on_when_the_hub_is_back_for_what_is_left_of_its_time() {
    let mut stage = Stage::up();
    stage.client(&call(7, "wait_for_prompt", &json!({"timeout": 40})));
    stage.after(30);
    let again = asked(&stage.comes_back());
    assert_eq!((&again[0]["id"], &again[0]["params"]["arguments"]), (&json!(7), &json!({"timeout": 10})));
    let task = answers(7, &json!({"status": "TASK", "taskId": "t1", "leaseEpoch": 1}));
    assert_eq!(stage.hub(&task), to_client(&task));
    assert_eq!(stage.comes_back(), [], "what was answered is not asked again");
}

#[test]
fn what_a_client_is_shown_of_a_wait_only_grows() {
    let mut stage = Stage::up();
    let wait = |id: u32, token: &str| {
        let meta = json!({"progressToken": token});
        let params = json!({"name": "wait_for_prompt", "arguments": {"timeout": 40}, "_meta": meta});
        json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}).to_string()
    };
    let note = |token: &str, progress: u32| {
        let params = json!({"progressToken": token, "progress": progress, "message": "Waiting."});
        json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": params}).to_string()
    };
    stage.client(&wait(1, "a"));
    stage.client(&wait(2, "b"));
    for progress in 1..4 {
        assert_eq!(stage.hub(&note("a", progress)), to_client(&note("a", progress)), "as it came");
    }
    let mut shown = Vec::new();
    for _ in 0..2 {
        assert_eq!(asked(&stage.comes_back()).len(), 2);
        for progress in 1..3 {
            shown.push(told(&stage.hub(&note("a", progress)))[0]["params"]["progress"].as_f64());
        }
    }
    assert_eq!(shown, [4.0, 5.0, 6.0, 7.0].map(Some));
    assert_eq!(told(&stage.hub(&note("b", 1)))[0]["params"]["progress"], 1.0, "each by itself");
    assert_eq!(stage.hub(&note("c", 9)), to_client(&note("c", 9)), "of what nobody asked for, nothing is known");
}

#[test]
fn a_question_to_a_person_goes_on_too_by_its_own_name_of_time() {
    let mut stage = Stage::up();
    stage.client(&call(7, "request_input", &json!({"question": "Ship?", "wait_seconds": 40})));
    stage.after(30);
    assert_eq!(asked(&stage.comes_back())[0]["params"]["arguments"]["wait_seconds"], 10);
}

#[test]
fn a_hub_that_goes_down_gently_is_not_the_clients_to_know() {
    let mut stage = introduced();
    stage.client(&call(7, "wait_for_prompt", &json!({})));
    let down = answers(7, &json!({"status": "IDLE", "message": crate::domain::reminder::GOING_DOWN}));
    assert_eq!(stage.hub(&down), []);
    let again = asked(&stage.comes_back());
    let methods: Vec<_> = again.iter().map(|message| message["method"].as_str().unwrap_or_default()).collect();
    assert_eq!(methods, ["initialize", "notifications/initialized", "tools/call"]);
    assert_eq!(again[0]["params"]["clientInfo"]["name"], "claude-code");
    let welcome = json!({"jsonrpc": "2.0", "id": again[0]["id"], "result": {}}).to_string();
    assert_eq!(stage.hub(&welcome), [], "its own handshake is the proxy's");
}

#[test]
fn a_change_is_repeated_under_its_key() {
    let mut stage = Stage::up();
    let sent = stage.client(&call(1, "assign_task", &json!({"targetAgentId": "a2", "prompt": "Go"})));
    assert_eq!(stage.comes_back(), sent);
    assert_eq!(asked(&sent)[0]["params"]["arguments"]["idempotencyKey"], "p-1");
}

#[test]
fn a_call_that_nobody_knows_is_not_repeated() {
    let mut stage = Stage::up();
    stage.client(&call(1, "forge", &json!({})));
    let said = told(&stage.comes_back());
    assert_eq!(said[0]["id"], 1);
    assert_eq!(said[0]["result"]["structuredContent"]["code"], "UNAVAILABLE");
    assert_eq!(said[0]["result"]["isError"], true);
    let mut stage = Stage::down();
    let line = call(1, "forge", &json!({}));
    stage.client(&line);
    assert_eq!(stage.relay.is_up(stage.now), to_hub(&line), "nobody has seen it yet");
}

#[test]
fn what_ends_the_hub_each_time_is_not_asked_for_ever() {
    let mut stage = Stage::up();
    stage.client(r#"{"jsonrpc":"2.0","id":"big","method":"tools/list"}"#);
    assert_eq!(asked(&stage.comes_back()).len(), 1);
    assert_eq!(asked(&stage.comes_back()).len(), 1);
    let last = stage.comes_back();
    assert!(asked(&last).is_empty());
    assert_eq!((&told(&last)[0]["id"], &told(&last)[0]["error"]["code"]), (&json!("big"), &json!(1503)));
}

#[test]
fn what_was_called_off_is_not_asked_again() {
    let mut stage = Stage::up();
    let cancel = |id: u32| {
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}}).to_string()
    };
    stage.client(&call(1, "wait_for_prompt", &json!({})));
    stage.client(&call(2, "wait_for_task", &json!({"taskId": "t"})));
    assert_eq!(stage.client(&cancel(1)), to_hub(&cancel(1)));
    stage.relay.is_down();
    assert_eq!(stage.client(&cancel(2)), []);
    assert_eq!(stage.relay.is_up(stage.now), []);
}

#[test]
fn a_client_is_not_left_without_an_answer_when_the_hub_stays_away() {
    let mut stage = Stage::up();
    stage.client(&call(1, "wait_for_prompt", &json!({"timeout": 40})));
    stage.client(r#"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#);
    stage.relay.is_down();
    assert_eq!(stage.after(29), []);
    let listed = told(&stage.after(1));
    assert_eq!((&listed[0]["id"], &listed[0]["error"]["data"]["code"]), (&json!(2), &json!("UNAVAILABLE")));
    let waited = told(&stage.after(10));
    assert_eq!(waited[0]["id"], 1);
    assert!(waited[0]["result"]["structuredContent"]["prompt"].as_str().is_some_and(|text| text.contains("again")));
    assert_eq!(stage.relay.is_up(stage.now), []);
}

#[test]
fn an_acknowledgement_waits_for_the_hub_too() {
    let mut stage = Stage::up();
    stage.client(&call(1, "wait_for_prompt", &json!({})));
    stage.hub(&answers(1, &json!({"status": "TASK", "taskId": "t1", "leaseEpoch": 4})));
    stage.relay.is_down();
    assert_eq!(stage.after(10), []);
    assert_eq!(stage.relay.is_up(stage.now), []);
    assert_eq!(asked(&stage.after(0))[0]["params"]["name"], "ack_task");
}
