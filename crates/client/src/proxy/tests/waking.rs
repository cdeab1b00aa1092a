//! A client that can be woken ends its turn; what it fetches itself is what is delivered.

use super::*;

fn wait(id: u32) -> String {
    let params = json!({"name": "wait_for_prompt", "arguments": {}, "_meta": {"threadId": "t-1"}});
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}).to_string()
}

fn woken() -> Stage {
    let stage = Stage::up();
    Stage { relay: stage.relay.that_wakes(false), ..stage }
}

/// Its agent asked, nothing was there, and it ended its turn; the id of the proxy's own wait.
fn parked(stage: &mut Stage, id: u32) -> Value {
    let looks = asked(&stage.client(&wait(id)));
    assert_eq!(looks[0]["params"]["arguments"], json!({"timeout": 2}));
    let out = stage.hub(&answers(id, &json!({"status": "IDLE", "message": "Nothing came."})));
    let said = told(&out);
    assert_eq!(said[0]["id"], id);
    assert_eq!(said[0]["result"]["structuredContent"]["message"], "You will be woken.");
    let own = asked(&out);
    assert_eq!(own[0]["params"]["arguments"], json!({"form": "nudge"}));
    own[0]["id"].clone()
}

fn own(id: &Value, fields: &Value) -> String {
    json!({"jsonrpc": "2.0", "id": id, "result": {"content": [], "structuredContent": fields}}).to_string()
}

#[test]
fn an_agent_is_told_to_end_its_turn_and_is_woken_once_for_what_there_is() {
    let mut stage = woken();
    let mut parks = parked(&mut stage, 1);
    for _ in 0..3 {
        let again = asked(&stage.hub(&own(&parks, &json!({"status": "IDLE"}))));
        parks = again[0]["id"].clone();
    }
    assert_eq!(stage.hub(&own(&parks, &json!({"status": "TASK"}))), [Out::Wake("t-1".to_owned())]);
    assert_eq!(stage.after(59), [], "and it is not asked for again before the agent came");
    stage.client(&wait(2));
    let task = answers(2, &json!({"status": "TASK", "taskId": "t1", "leaseEpoch": 4}));
    assert_eq!(stage.hub(&task), to_client(&task), "what the agent's own call fetched is delivered as ever");
    assert_eq!(asked(&stage.after(1))[0]["params"]["name"], "ack_task");
    parked(&mut stage, 3);
}

#[test]
fn a_client_of_one_thread_need_not_name_it() {
    let plain = wait(1).replace(r#","_meta":{"threadId":"t-1"}"#, "").replace(r#""_meta":{"threadId":"t-1"},"#, "");
    assert!(!plain.contains("thread"), "{plain}");
    for one_thread in [true, false] {
        let stage = Stage::up();
        let mut stage = Stage { relay: stage.relay.that_wakes(one_thread), ..stage };
        let waits = asked(&stage.client(&plain))[0]["params"]["arguments"].clone();
        assert_eq!(waits == json!({"timeout": 2}), one_thread, "{waits}");
        let out = stage.hub(&answers(1, &json!({"status": "IDLE", "message": "Nothing came."})));
        let parks = asked(&out).first().map(|own| own["id"].clone());
        assert_eq!(parks.is_some(), one_thread, "{out:?}");
        let Some(parks) = parks else { continue };
        assert_eq!(stage.hub(&own(&parks, &json!({"status": "TASK"}))), [Out::Wake(String::new())]);
    }
}

#[test]
fn who_does_not_come_waits_in_the_call_from_then_on() {
    let mut stage = woken();
    let parks = parked(&mut stage, 1);
    stage.hub(&own(&parks, &json!({"status": "NOTICE"})));
    assert_eq!(stage.relay.next_deadline(), Some(stage.now + Duration::from_secs(60)));
    assert_eq!(stage.after(60), []);
    assert_eq!(stage.client(&wait(2)), to_hub(&wait(2)), "as it was asked");
}

#[test]
fn a_thread_that_is_parked_outlives_its_hub() {
    let mut stage = woken();
    let parks = parked(&mut stage, 1);
    let again = asked(&stage.comes_back());
    assert_eq!(again[0]["id"], parks);
    assert_eq!(stage.hub(&own(&parks, &json!({"status": "SUPERSEDED"}))), [], "its agent waits by itself");
}

#[test]
fn a_hub_that_goes_down_while_it_is_looked_for_work_is_asked_again() {
    let mut stage = woken();
    stage.client(&wait(1));
    let fields = json!({"status": "IDLE", "message": crate::domain::reminder::GOING_DOWN});
    assert_eq!(stage.hub(&answers(1, &fields)), []);
    assert_eq!(asked(&stage.comes_back())[0]["id"], 1);
}

#[test]
fn a_hub_that_knows_no_such_wait_wakes_once_and_never_again() {
    let mut stage = woken();
    let parks = parked(&mut stage, 1);
    let refused = own(&parks, &json!({"success": false, "code": "INVALID_ARGUMENTS"}));
    assert_eq!(stage.hub(&refused), [Out::Wake("t-1".to_owned())]);
    assert_eq!(stage.client(&wait(2)), to_hub(&wait(2)));
}

#[test]
fn other_calls_and_clients_without_a_thread_wait_as_ever() {
    let mut stage = woken();
    let plain = call(1, "wait_for_prompt", &json!({}));
    assert_eq!(stage.client(&plain), to_hub(&plain));
    let hook = wait(2).replace("{}", r#"{"form":"hook"}"#);
    assert_eq!(stage.client(&hook), to_hub(&hook));
    let mut never = Stage::up();
    assert_eq!(never.client(&wait(1)), to_hub(&wait(1)));
}

/// Its hooks have begun so often; whether its next wait ends at once when it finds nothing.
fn ends_at_once(stage: &mut Stage, id: u32, begun: u64, capped: bool) -> bool {
    stage.relay.hooks(begun, capped);
    // As Claude Code declares itself in each request: a form that is no form of the answer.
    let capabilities = json!({"elicitation": {"form": {}, "url": {}}});
    let meta = json!({ "io.modelcontextprotocol/clientCapabilities": capabilities });
    let params = json!({"name": "wait_for_prompt", "arguments": {}, "_meta": meta});
    let wait = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}).to_string();
    let looks = asked(&stage.client(&wait));
    let out = stage.hub(&answers(id, &json!({"status": "IDLE", "message": "Nothing came."})));
    let said = told(&out);
    let ends = said[0]["result"]["structuredContent"]["message"] == "You will be woken.";
    assert_eq!(looks[0]["params"]["arguments"] == json!({"timeout": 2}), ends);
    assert_eq!(out.len(), 1, "the hook waits, and not the proxy: {out:?}");
    ends
}

#[test]
fn a_client_whose_hooks_wait_ends_its_turn_as_long_as_they_begin() {
    let mut stage = Stage::up();
    assert!(ends_at_once(&mut stage, 1, 0, false));
    assert!(!ends_at_once(&mut stage, 2, 0, false), "no hook began after the promise: it waits in the call");
    assert!(ends_at_once(&mut stage, 3, 1, false));
    assert!(!ends_at_once(&mut stage, 4, 2, true), "and where its cap is near");
}

#[test]
fn a_client_that_takes_up_waits_as_tasks_is_not_told_to_end_its_turn() {
    let mut stage = Stage::up();
    stage.relay.hooks(0, false);
    let capabilities = json!({"extensions": {"io.modelcontextprotocol/tasks": {}}});
    let meta = json!({ "io.modelcontextprotocol/clientCapabilities": capabilities });
    let params = json!({"name": "wait_for_prompt", "arguments": {}, "_meta": meta});
    let wait = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).to_string();
    assert_eq!(stage.client(&wait), to_hub(&wait));
}
