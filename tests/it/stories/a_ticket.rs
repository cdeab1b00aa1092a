//! Calls whose answer is fetched later: for clients that declare it, across a crash, and for nobody else's eyes.

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::agent::Agent;
use crate::support::hub_process::HubProcess;
use crate::support::mcp_client::{McpClient, McpTransport};
use crate::support::pause;

fn able() -> Value {
    json!({"extensions": {"io.modelcontextprotocol/tasks": {}}})
}

fn call(tool: &str, arguments: Value) -> Value {
    json!({"name": tool, "arguments": arguments})
}

/// A ticket for this call.
fn ticket(client: &mut McpClient, tool: &str, arguments: Value) -> String {
    let said = client.asks("tools/call", call(tool, arguments));
    let result = &said["result"];
    assert_eq!((&result["resultType"], &result["status"]), (&json!("task"), &json!("working")), "{said}");
    assert!(result["ttlMs"].as_u64() > Some(0) && result["_meta"].is_object(), "{said}");
    result["taskId"].as_str().expect("a ticket").to_owned()
}

/// What it comes to, however often it has to be asked for.
fn fetched(client: &mut McpClient, ticket: &str) -> Value {
    for _ in 0..20 {
        let mut said = client.asks("tasks/get", json!({ "taskId": ticket }));
        assert!(said["error"].is_null(), "{said}");
        if said["result"]["status"] != "working" {
            return said["result"].take();
        }
    }
    panic!("`{ticket}` never comes to an end");
}

fn availability(hub: &HubProcess, agent: &str) -> String {
    let (_, said) = hub.post("/api/v1/tools/get_agent_status", &json!({ "agentId": agent }));
    said["availability"].as_str().unwrap_or_default().to_owned()
}

fn until_it(hub: &HubProcess, agent: &str, is: &str) {
    for _ in 0..2_000 {
        if availability(hub, agent) == is {
            return;
        }
        pause(10);
    }
    panic!("`{agent}` is never {is}");
}

fn asked(hub: &HubProcess, agent: &str) -> String {
    let (status, said) = hub.post("/api/v1/tasks", &json!({"targetAgentId": agent, "prompt": "Build it."}));
    assert!(status < 300, "{said}");
    said["taskId"].as_str().expect("a task").to_owned()
}

#[test]
fn who_declares_it_is_given_a_ticket_and_nobody_else_is() {
    let data_dir = TempDir::new().unwrap();
    let hub = HubProcess::start(data_dir.path());
    let lead = Agent::register(&hub, "lead-1", "project-manager");
    let hand = Agent::register(&hub, "hand-1", "full-stack-engineer");
    let work = lead.calls(&hub, "assign_task", &json!({"targetAgentId": "hand-1", "prompt": "Build it."}));
    let watch = call("wait_for_task", json!({"taskId": work["taskId"]}));
    let (mut tickets, mut waits) = (Vec::new(), Vec::new());
    for (way, declares) in McpTransport::ALL.into_iter().flat_map(|way| [(way, true), (way, false)]) {
        let abilities = if declares { able() } else { json!({}) };
        let mut client = McpClient::able(&hub, lead.token(), way, abilities);
        if way.is_modern() && declares {
            let name = ticket(&mut client, "wait_for_task", json!({"taskId": work["taskId"]}));
            tickets.push((way, client, name));
        } else {
            let refused = client.asks("tasks/get", json!({"taskId": "h_00000000"}))["error"]["code"].take();
            // The eras before have no tasks; of who does not declare them the library says that first.
            let missing = if declares { -32601 } else { -32021 };
            assert_eq!(refused, missing, "{way:?}, declares it: {declares}");
            let id = client.begins("tools/call", watch.clone());
            waits.push((way, client, id));
        }
    }
    let names: Vec<&String> = tickets.iter().map(|(_, _, name)| name).collect();
    assert_eq!(names[0], names[1], "who calls the same again goes on with the ticket that it has");
    hand.calls(&hub, "wait_for_prompt", &json!({}));
    let done = json!({"taskId": work["taskId"], "status": "COMPLETED", "message": "Built."});
    hand.calls(&hub, "send_response", &done);
    let mut answers = Vec::new();
    for (way, mut client, id) in waits {
        let said = client.answer_to(id);
        assert_ne!(said["result"]["resultType"], "task", "{way:?}");
        answers.push(said["result"]["structuredContent"].clone());
    }
    for (way, mut client, name) in tickets {
        let came = fetched(&mut client, &name);
        assert_eq!(came["status"], "completed", "{way:?}: {came}");
        assert_eq!(came["result"]["structuredContent"]["result"], "Built.", "{way:?}");
        answers.push(came["result"]["structuredContent"].clone());
    }
    for answer in &answers {
        assert_eq!(answer["result"], answers[0]["result"]);
        assert_eq!(answer["state"], "COMPLETED");
    }
}

#[test]
fn a_ticket_outlives_a_crash_of_the_hub_and_its_answer_another() {
    let data_dir = TempDir::new().unwrap();
    let hub = HubProcess::start(data_dir.path());
    let hand = Agent::register(&hub, "hand-1", "full-stack-engineer");
    let mut client = McpClient::able(&hub, hand.token(), McpTransport::Http, able());
    let name = ticket(&mut client, "wait_for_prompt", json!({}));
    hub.kill();
    let hub = HubProcess::start(data_dir.path());
    let task = asked(&hub, "hand-1");
    let mut client = McpClient::able(&hub, hand.token(), McpTransport::Http, able());
    let came = fetched(&mut client, &name);
    let offer = &came["result"]["structuredContent"];
    assert_eq!((&offer["status"], &offer["taskId"]), (&json!("TASK"), &json!(task)), "{came}");
    assert_eq!(offer["prompt"], "Build it.");
    let port = hub.port();
    hub.kill();
    let hub = HubProcess::start_at(data_dir.path(), port);
    let again = fetched(&mut client, &name);
    assert_eq!(again["result"], came["result"], "the answer is the same for who asks again");
    let taken = hand.calls(&hub, "ack_task", &json!({"taskId": task, "leaseEpoch": offer["leaseEpoch"]}));
    assert_eq!(taken["success"], true);
}

#[test]
fn another_principals_ticket_is_byte_for_byte_one_that_is_not_there() {
    let data_dir = TempDir::new().unwrap();
    let hub = HubProcess::start(data_dir.path());
    let hand = Agent::register(&hub, "hand-1", "full-stack-engineer");
    let other = Agent::register(&hub, "other-1", "full-stack-engineer");
    let mut owner = McpClient::able(&hub, hand.token(), McpTransport::Http, able());
    let name = ticket(&mut owner, "wait_for_prompt", json!({}));
    let operator = hub.operator_token();
    for (token, way) in [other.token(), &operator].into_iter().zip([McpTransport::Http, McpTransport::Socket]) {
        let mut stranger = McpClient::able(&hub, token, way, able());
        for method in ["tasks/get", "tasks/cancel", "tasks/update"] {
            let mut said = |name: &str| stranger.asks(method, json!({"taskId": name, "inputResponses": {}}));
            let foreign = said(&name);
            assert_eq!(foreign["error"]["code"], -32602, "{method}: {foreign}");
            assert_eq!(foreign, said("h_0000000000000000000000000"), "{method}");
            assert_eq!(foreign, said("nonsense"), "{method}");
        }
    }
    let task = asked(&hub, "hand-1");
    assert_eq!(fetched(&mut owner, &name)["result"]["structuredContent"]["taskId"], json!(task));
}

#[test]
fn an_agent_is_there_for_work_while_its_ticket_is_asked_for_and_not_longer() {
    let data_dir = TempDir::new().unwrap();
    let hub = HubProcess::start(data_dir.path());
    let hand = Agent::register(&hub, "hand-1", "full-stack-engineer");
    let mut client = McpClient::able(&hub, hand.token(), McpTransport::Socket, able());
    let name = ticket(&mut client, "wait_for_prompt", json!({}));
    client.begins("tasks/get", json!({ "taskId": name }));
    until_it(&hub, "hand-1", "waiting");
    drop(client);
    until_it(&hub, "hand-1", "working");
    let task = asked(&hub, "hand-1");
    let mut client = McpClient::able(&hub, hand.token(), McpTransport::Http, able());
    let offer = fetched(&mut client, &name)["result"]["structuredContent"].take();
    assert_eq!((&offer["taskId"], &offer["leaseEpoch"]), (&json!(task), &json!(1)), "nobody was handed it before");
}

#[test]
fn a_ticket_that_is_cancelled_or_replaced_ends_the_wait_of_who_asks_for_it() {
    let data_dir = TempDir::new().unwrap();
    let hub = HubProcess::start(data_dir.path());
    let hand = Agent::register(&hub, "hand-1", "full-stack-engineer");
    for way in [McpTransport::Http, McpTransport::Socket] {
        let mut client = McpClient::able(&hub, hand.token(), way, able());
        let first = ticket(&mut client, "wait_for_prompt", json!({}));
        let asks = client.begins("tasks/get", json!({ "taskId": first }));
        until_it(&hub, "hand-1", "waiting");
        let second = ticket(&mut client, "wait_for_prompt", json!({}));
        assert_ne!(first, second);
        let ended = client.answer_to(asks);
        // Either the newer wait is seen first, or the newer ticket.
        let superseded = ended["result"]["result"]["structuredContent"]["status"] == "SUPERSEDED";
        assert!(superseded || ended["result"]["status"] == "cancelled", "{way:?}: {ended}");
        let asks = client.begins("tasks/get", json!({ "taskId": second }));
        until_it(&hub, "hand-1", "waiting");
        let updated = client.asks("tasks/update", json!({"taskId": second, "inputResponses": {}}));
        assert_eq!(updated["result"]["resultType"], "complete", "{way:?}: {updated}");
        let cancelled = client.asks("tasks/cancel", json!({ "taskId": second }));
        assert_eq!(cancelled["result"]["resultType"], "complete", "{way:?}: {cancelled}");
        assert_eq!(client.answer_to(asks)["result"]["status"], "cancelled", "{way:?}");
        until_it(&hub, "hand-1", "working");
        assert_eq!(fetched(&mut client, &second)["status"], "cancelled", "{way:?}");
    }
}

#[test]
fn an_answer_of_a_person_is_fetched_by_the_ticket_of_the_question() {
    let data_dir = TempDir::new().unwrap();
    let hub = HubProcess::start(data_dir.path());
    let hand = Agent::register(&hub, "hand-1", "full-stack-engineer");
    let mut client = McpClient::able(&hub, hand.token(), McpTransport::Http, able());
    let ask = json!({"question": "Which colour?", "options": ["red", "blue"], "default_action": "red"});
    let name = ticket(&mut client, "request_input", ask);
    let (_, open) = hub.get("/api/v1/questions");
    let question = open["items"][0]["id"].as_str().expect("a question").to_owned();
    let waits = ticket(&mut client, "wait_for_answer", json!({ "question_id": question }));
    assert_eq!(waits, name, "who waits for the same answer goes on with the ticket that it has");
    let (status, said) = hub.post(&format!("/api/v1/questions/{question}/answer"), &json!({"value": "blue"}));
    assert_eq!(status, 200, "{said}");
    let came = fetched(&mut client, &name);
    assert_eq!(came["result"]["structuredContent"]["resolution"]["value"], "blue", "{came}");
}
