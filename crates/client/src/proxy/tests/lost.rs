//! While the hub is away, and when it is back.

use serde_json::json;

use crate::settings::Settings;

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

/// Over HTTP there is no connection that would end: only a request finds out who is there.
#[test]
fn a_wait_that_was_given_back_is_asked_again_though_nothing_ended() {
    let down = json!({"status": "IDLE", "message": crate::domain::reminder::GOING_DOWN});
    let mut stage = Stage::up();
    stage.client(&call(7, "wait_for_prompt", &json!({"timeout": 40})));
    stage.after(10);
    for left in [29, 28] {
        assert_eq!(stage.hub(&answers(7, &down)), []);
        assert_eq!(stage.relay.next_deadline(), Some(stage.now + std::time::Duration::from_secs(1)));
        let again = asked(&stage.after(1));
        assert_eq!((&again[0]["id"], &again[0]["params"]["arguments"]), (&json!(7), &json!({"timeout": left})));
    }
    assert_eq!(stage.after(5), [], "once each time");
    let task = answers(7, &json!({"status": "TASK", "taskId": "t1", "leaseEpoch": 1}));
    assert_eq!(stage.hub(&task), to_client(&task));
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
fn of_what_is_longer_than_a_hub_takes_its_client_is_told_why_it_ends_the_hub() {
    let mut stage = Stage::up();
    let long = "x".repeat(8 * 1024 * 1024);
    stage.client(&call(1, "list_agents", &json!({ "role": long })));
    stage.client(&call(2, "forge", &json!({ "what": long })));
    let ended: Vec<serde_json::Value> = (0..3).flat_map(|_| told(&stage.comes_back())).collect();
    assert_eq!((&ended[0]["id"], &ended[1]["id"]), (&json!(2), &json!(1)), "{}", ended.len());
    for said in ended {
        let message = said["result"]["structuredContent"]["message"].as_str().unwrap_or_default().to_owned();
        assert!(message.contains("`limits.mcpBody`"), "{message}");
    }
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
fn a_wait_that_was_asked_before_the_hub_was_there_ends_when_its_client_would() {
    let mut stage = Stage::down();
    stage.client(&call(1, "wait_for_prompt", &json!({"timeout": 2})));
    stage.client(&call(2, "wait_for_prompt", &json!({"timeout": 20})));
    stage.client(&call(3, "wait_for_prompt", &json!({})));
    let cap = Settings::defaults().wait_for(None, None).as_secs();
    let mut ended = Vec::new();
    for second in 1..=cap {
        ended.extend(told(&stage.after(1)).iter().map(|message| (second, message["id"].as_u64().unwrap())));
    }
    assert_eq!(ended, [(2, 1), (20, 2), (cap, 3)]);
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

#[test]
fn while_the_hub_refuses_the_token_each_call_is_answered_by_its_own_id_and_what_is_open_waits() {
    let mut stage = Stage::up();
    let (listen, opened) = listens(7);
    stage.client(&listen);
    stage.hub(&opened);
    stage.relay.is_down();
    for id in [8, 9] {
        stage.client(&call(id, "wait_for_prompt", &json!({})));
        let said = told(&stage.relay.refuses("UNAUTHENTICATED", "the token is refused"));
        assert_eq!(said.len(), 1, "{said:?}");
        assert_eq!((&said[0]["id"], &said[0]["result"]["isError"]), (&json!(id), &json!(true)));
        assert_eq!(said[0]["result"]["structuredContent"]["code"], "UNAUTHENTICATED");
    }
    stage.client(r#"{"jsonrpc":"2.0","id":10,"method":"tools/list"}"#);
    let said = told(&stage.relay.refuses("UNAUTHENTICATED", "the token is refused"));
    assert_eq!((&said[0]["id"], &said[0]["error"]["data"]["code"]), (&json!(10), &json!("UNAUTHENTICATED")));
    assert_eq!(stage.relay.is_up(stage.now), to_hub(&listen), "by another token");
}

/// A request of the younger era that stays open, and what the hub says when it has opened it.
fn listens(id: u32) -> (String, String) {
    let wanted = json!({"promptsListChanged": true, "resourceSubscriptions": ["callboard://agents"]});
    let params = json!({"notifications": wanted});
    let asked = json!({"jsonrpc": "2.0", "id": id, "method": "subscriptions/listen", "params": params});
    let meta = json!({"io.modelcontextprotocol/subscriptionId": id});
    let params = json!({"notifications": wanted, "_meta": meta});
    let method = "notifications/subscriptions/acknowledged";
    (asked.to_string(), json!({"jsonrpc": "2.0", "method": method, "params": params}).to_string())
}

#[test]
fn what_stays_open_is_opened_again_however_long_the_hub_was_away() {
    let mut stage = Stage::up();
    let (listen, opened) = listens(7);
    assert_eq!(stage.client(&listen), to_hub(&listen));
    assert_eq!(stage.hub(&opened), to_client(&opened));
    for _ in 0..5 {
        stage.relay.is_down();
        assert_eq!(stage.after(3_600), [], "its client hears of no error");
        assert_eq!(stage.relay.is_up(stage.now), to_hub(&listen));
        let missed = told(&stage.hub(&opened));
        let methods: Vec<_> = missed.iter().map(|note| note["method"].as_str().unwrap_or_default()).collect();
        assert_eq!(methods, ["notifications/prompts/list_changed", "notifications/resources/updated"]);
        assert_eq!(missed[1]["params"]["uri"], "callboard://agents");
        let named = missed.iter().all(|note| note["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"] == 7);
        assert!(named, "each belongs to its request: {missed:?}");
    }
    let cancel = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}"#;
    assert_eq!(stage.client(cancel), to_hub(cancel));
    assert_eq!(stage.comes_back(), [], "what was called off stays closed");
}

#[test]
fn what_stays_open_and_was_ended_by_a_hub_that_goes_down_is_opened_again() {
    let mut stage = Stage::up();
    let (listen, opened) = listens(7);
    stage.client(&listen);
    stage.hub(&opened);
    assert_eq!(stage.hub(r#"{"jsonrpc":"2.0","id":7,"result":{"resultType":"complete"}}"#), []);
    assert_eq!(stage.after(1), to_hub(&listen), "also by a hub that did not go");
    assert_eq!(stage.comes_back(), to_hub(&listen));
    let refused = r#"{"jsonrpc":"2.0","id":7,"error":{"code":-32600,"message":"too many streams"}}"#;
    assert_eq!(stage.hub(refused), to_client(refused), "a refusal is the client's to read");
    assert_eq!(stage.comes_back(), []);
}

#[test]
fn what_was_never_opened_is_not_waited_for_without_end() {
    let mut stage = Stage::down();
    stage.client(&listens(7).0);
    let said = told(&stage.after(30));
    assert_eq!((&said[0]["id"], &said[0]["error"]["data"]["code"]), (&json!(7), &json!("UNAVAILABLE")));
}

#[test]
fn a_session_is_subscribed_again_to_what_it_was_and_told_that_it_may_have_changed() {
    let mut stage = introduced();
    let says = |id: u32, method: &str, uri: &str| {
        json!({"jsonrpc": "2.0", "id": id, "method": method, "params": {"uri": uri}}).to_string()
    };
    let done = |id: &serde_json::Value| json!({"jsonrpc": "2.0", "id": id, "result": {}}).to_string();
    for (id, uri) in [(1, "callboard://agents"), (2, "callboard://tasks/t1")] {
        stage.client(&says(id, "resources/subscribe", uri));
        stage.hub(&done(&json!(id)));
    }
    stage.client(&says(3, "resources/subscribe", "callboard://nothing"));
    stage.hub(r#"{"jsonrpc":"2.0","id":3,"error":{"code":-32002,"message":"nothing"}}"#);
    stage.client(&says(4, "resources/unsubscribe", "callboard://tasks/t1"));
    stage.hub(&done(&json!(4)));
    for _ in 0..2 {
        let again = asked(&stage.comes_back());
        let methods: Vec<_> = again.iter().map(|message| message["method"].as_str().unwrap_or_default()).collect();
        assert_eq!(methods, ["initialize", "notifications/initialized", "resources/subscribe"]);
        assert_eq!(again[2]["params"]["uri"], "callboard://agents");
        assert_eq!(stage.hub(&done(&again[0]["id"])), []);
        let note = told(&stage.hub(&done(&again[2]["id"])));
        assert_eq!(note[0]["method"], "notifications/resources/updated");
        assert_eq!((note.len(), &note[0]["params"]["uri"]), (1, &json!("callboard://agents")));
    }
    stage.client(HELLO);
    stage.hub(r#"{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18"}}"#);
    assert_eq!(asked(&stage.comes_back()).len(), 2, "a new handshake begins without any");
}
