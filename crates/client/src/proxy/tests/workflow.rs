//! The workflow that a client follows: what the proxy adds to its calls, and when it no longer does.

use serde_json::{Value, json};

use super::super::envelope::Envelope;
use super::super::relay::Out;
use super::{Stage, answers, asked, call, to_client, to_hub};

const WORKFLOW: &str = "dev.callboard/workflow";
const TASK_ID: &str = "dev.callboard/taskId";

fn get(id: u32) -> String {
    let params = json!({"name": "ship", "arguments": {}});
    json!({"jsonrpc": "2.0", "id": id, "method": "prompts/get", "params": params}).to_string()
}

fn prompt(id: u32, workflow: &str, status: &str) -> String {
    let steps = json!([
        {"name": "look", "status": "completed"},
        {"name": "ask", "tool": "request_input", "followUp": "wait_for_answer", "status": "pending"},
        {"name": "have", "tool": "assign_task", "status": "pending"},
        {"name": "tell", "tool": "shout", "status": "pending"},
    ]);
    let about = json!({"taskId": workflow, "status": status, "steps": steps});
    json!({"jsonrpc": "2.0", "id": id, "result": {"messages": [], "_meta": {WORKFLOW: about}}}).to_string()
}

/// A client that saw the prompt of this workflow.
fn follows(workflow: &str) -> Stage {
    let mut stage = Stage::up();
    sees(&mut stage, 1, workflow, "working");
    stage
}

fn sees(stage: &mut Stage, id: u32, workflow: &str, status: &str) {
    stage.client(&get(id));
    let said = prompt(id, workflow, status);
    assert_eq!(stage.hub(&said), to_client(&said));
}

fn meta(out: &[Out]) -> Value {
    asked(out)[0]["params"]["_meta"].clone()
}

#[test]
fn a_call_of_a_tool_in_the_plan_names_the_workflow_and_keeps_everything_else() {
    let mut stage = follows("w_1");
    let line = r#"{"jsonrpc":"2.0", "id":2, "method":"tools/call", "params":{ "name":"shout", "n":1.0}}"#;
    let named = line.replace("{ \"name\"", "{\"_meta\":{\"dev.callboard/taskId\":\"w_1\"}, \"name\"");
    assert_eq!(stage.client(line), to_hub(&named));
    let line = r#"{"id":3,"method":"tools/call","params":{"name":"wait_for_answer","_meta":{"progressToken":7}}}"#;
    let named = line.replace("{\"progressToken\"", "{\"dev.callboard/taskId\":\"w_1\",\"progressToken\"");
    assert_eq!(stage.client(line), to_hub(&named));
    let keyed = call(4, "assign_task", &json!({"prompt": "Go."}));
    let both = asked(&stage.client(&keyed));
    assert_eq!(both[0]["params"]["_meta"], json!({TASK_ID: "w_1"}));
    assert!(both[0]["params"]["arguments"]["idempotencyKey"].is_string(), "both are added: {both:?}");
    assert_eq!(meta(&stage.client(&call(5, "workflow_complete", &json!({"result": 1}))))[TASK_ID], "w_1");
}

#[test]
fn any_other_call_and_one_that_names_a_workflow_stay_as_they_are() {
    let mut stage = follows("w_1");
    let other = call(2, "list_agents", &json!({}));
    assert_eq!(stage.client(&other), to_hub(&other));
    for names in [json!({TASK_ID: "w_2"}), json!({"_task_id": "w_2"}), json!({TASK_ID: null})] {
        let params = json!({"name": "shout", "_meta": names});
        let line = json!({"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": params}).to_string();
        assert_eq!(stage.client(&line), to_hub(&line));
    }
    let odd = r#"{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"shout","_meta":7}}"#;
    assert_eq!(stage.client(odd), to_hub(odd), "what is wrong is the hub's to refuse");
}

#[test]
fn the_workflow_that_was_seen_last_is_named_until_it_is_over() {
    let mut stage = follows("w_1");
    let calls = |stage: &mut Stage, id: u32| meta(&stage.client(&call(id, "shout", &json!({}))))[TASK_ID].clone();
    sees(&mut stage, 2, "w_2", "working");
    assert_eq!(calls(&mut stage, 3), "w_2");
    let told = |id: u32, workflow: &str, reason: &str| {
        let about = json!({"taskId": workflow, "recorded": false, "reason": reason});
        json!({"jsonrpc": "2.0", "id": id, "result": {"content": [], "_meta": {WORKFLOW: about}}}).to_string()
    };
    stage.hub(&told(3, "w_1", "ended"));
    assert_eq!(calls(&mut stage, 4), "w_2", "that was another");
    stage.hub(&told(4, "w_2", "full"));
    assert_eq!(calls(&mut stage, 5), "w_2", "it goes on");
    stage.hub(&told(5, "w_2", "ended"));
    assert_eq!(calls(&mut stage, 6), Value::Null);
    sees(&mut stage, 7, "w_3", "working");
    sees(&mut stage, 8, "w_4", "completed");
    assert_eq!(calls(&mut stage, 9), Value::Null, "of one that is done nothing is left to call");
    stage.hub(&answers(9, &json!({"text": WORKFLOW})));
    assert_eq!(calls(&mut stage, 10), Value::Null, "words are no handle");
}

#[test]
fn a_request_for_a_prompt_has_one_key_however_often_its_hub_is_lost() {
    let mut stage = Stage::up();
    let first = stage.client(&get(1));
    let key = meta(&first)["dev.callboard/idempotencyKey"].clone();
    assert!(key.is_string(), "{first:?}");
    assert_eq!(stage.comes_back(), first, "the hub was lost over it, and is asked the same again");
    assert_ne!(meta(&stage.client(&get(2)))["dev.callboard/idempotencyKey"], key);
    let params = json!({"name": "ship", "_meta": {"dev.callboard/idempotencyKey": "mine"}});
    let own = json!({"jsonrpc": "2.0", "id": 3, "method": "prompts/get", "params": params}).to_string();
    assert_eq!(stage.client(&own), to_hub(&own));
}

#[test]
fn what_is_asked_about_a_run_says_its_id_where_http_has_it_beside_the_message() {
    let meta = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28"});
    let line = json!({"id": 1, "method": "tasks/get", "params": {"taskId": "w_1", "_meta": meta}}).to_string();
    let said = ["2026-07-28", "tasks/get", "w_1"].map(str::to_owned);
    let [version, method, name] = said;
    assert_eq!(Envelope::of(&line).and_then(|message| message.modern()), Some((version, method, Some(name))));
}
