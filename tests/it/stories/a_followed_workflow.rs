//! Workflows over a real hub: killed in the middle, behind a proxy, in each way in, and with a file that breaks.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::time::Instant;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::agent::Agent;
use crate::support::hub_process::HubProcess;
use crate::support::mcp_client::{McpClient, McpTransport};
use crate::support::plain_http::request;
use crate::support::proxy_process::ProxyProcess;
use crate::support::{TIMEOUT, pause};

const WORKFLOW: &str = "dev.callboard/workflow";

/// Has two things done and looks at the second; then `tell` adds what only the client can do.
const SHIP: &str = "\
name: ship
description: have two things done
arguments: [{name: work, required: true}]
steps:
  - name: first
    tool: assign_task
    arguments: {targetAgentId: {const: any}, prompt: {const: 'Do {work}'}}
    binding: first
  - name: second
    tool: assign_task
    arguments: {targetAgentId: {const: any}, prompt: {const: 'Check {work}'}}
    binding: second
  - name: look
    resource: 'callboard://tasks/{id}'
    template: {id: {output: second, field: taskId}}
";

const TELL: &str = "  - name: tell\n    tool: shout\n    arguments: {text: {arg: work}}\n";
const AGAIN: &str = "  - name: again\n    tool: list_agents\n    guidance: 'See who works on {work}.'\n";

fn configured(data_dir: &Path) {
    let folder = data_dir.join("config/workflows");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("ship.yaml"), SHIP).unwrap();
    fs::write(folder.join("tell.yaml"), format!("{}{TELL}{AGAIN}", SHIP.replace("name: ship", "name: tell"))).unwrap();
}

fn starts(data_dir: &Path) -> HubProcess {
    HubProcess::start_with(data_dir, &["--config", data_dir.join("config").to_str().unwrap()])
}

fn asks(name: &str, work: &str, key: &str) -> Value {
    json!({"name": name, "arguments": {"work": work}, "_meta": {"dev.callboard/idempotencyKey": key}})
}

/// How many tasks are about this work.
fn tasks(hub: &HubProcess, work: &str) -> usize {
    let (_, page) = hub.get("/api/v1/tasks?limit=100");
    let all = page["items"].as_array().unwrap_or_else(|| panic!("{page}"));
    all.iter().filter(|task| task.to_string().contains(work)).count()
}

/// The conversation without ids and times, which differ from run to run.
fn words(answer: &Value) -> Vec<String> {
    let messages = answer["result"]["messages"].as_array().unwrap_or_else(|| panic!("no conversation: {answer}"));
    messages.iter().map(|said| said["content"]["text"].as_str().unwrap().lines().next().unwrap().to_owned()).collect()
}

/// Returns once the hub has told of so many events since it was started, or after so long: a hub that could not do it
/// just then says so, and tells of nothing.
#[expect(clippy::disallowed_methods, reason = "another process cannot be on stopped time")]
fn after_events(hub: &HubProcess, token: &str, count: usize) -> impl FnOnce() {
    let mut stream = TcpStream::connect(("127.0.0.1", hub.port())).unwrap();
    stream.set_read_timeout(Some(TIMEOUT)).unwrap();
    let accept = "Accept: application/x-ndjson\r\n";
    let asked = request(hub.port(), "GET", "/api/v1/events", token, accept, &Value::Null);
    stream.write_all(asked.as_bytes()).unwrap();
    let mut lines = BufReader::new(stream).lines();
    // The head is there before anything is asked for.
    assert!(lines.by_ref().map_while(Result::ok).any(|line| line.is_empty()), "no head");
    move || {
        let until = Instant::now() + TIMEOUT;
        let lines = lines.map_while(Result::ok).take_while(|_| Instant::now() < until);
        let _ = lines.filter(|line| line.contains("\"type\"")).take(count).count();
    }
}

#[test]
fn a_hub_that_is_killed_at_any_write_of_a_run_does_nothing_twice() {
    let data_dir = TempDir::new().unwrap();
    configured(data_dir.path());
    let hub = starts(data_dir.path());
    let lead = Agent::register(&hub, "lead-1", "project-manager");
    let operator = hub.operator_token();
    let whole =
        McpClient::comes(&hub, lead.token(), McpTransport::Http).asks("prompts/get", asks("ship", "w-whole", "whole"));
    assert_eq!(whole["result"]["_meta"][WORKFLOW]["status"], "completed", "{whole}");
    let id = whole["result"]["_meta"][WORKFLOW]["taskId"].as_str().unwrap();
    assert!(!whole["result"]["messages"].to_string().contains(id), "its id is in no text");
    hub.kill();
    let (mut before, mut cut_off) = (0, 0);
    for killed_after in 1..=12 {
        let hub = starts(data_dir.path());
        let (work, key) = (format!("w-{killed_after}-"), format!("k-{killed_after}"));
        let events = after_events(&hub, &operator, killed_after);
        let mut client = McpClient::comes(&hub, lead.token(), McpTransport::Socket);
        client.begins("prompts/get", asks("ship", &work, &key));
        events();
        hub.kill();
        let hub = starts(data_dir.path());
        before = tasks(&hub, &work);
        cut_off += usize::from(before < 2);
        let mut client = McpClient::comes(&hub, lead.token(), McpTransport::Http);
        let again = client.asks("prompts/get", asks("ship", &work, &key));
        assert_eq!(again["result"]["_meta"][WORKFLOW]["status"], "completed", "after {killed_after}: {again}");
        assert_eq!(words(&again).len(), words(&whole).len(), "after {killed_after}: {again:#}");
        assert_eq!(tasks(&hub, &work), 2, "killed after {killed_after} events");
        let third = client.asks("prompts/get", asks("ship", &work, &key));
        assert_eq!(third["result"], again["result"], "it is the same for whoever asks again");
        hub.kill();
    }
    assert!(cut_off > 0 && before == 2, "it was killed before its work was done, and after: {cut_off}");
}

#[test]
fn a_run_is_followed_and_completed_on_every_way_in() {
    let data_dir = TempDir::new().unwrap();
    configured(data_dir.path());
    let hub = starts(data_dir.path());
    let lead = Agent::register(&hub, "lead-1", "project-manager");
    for way in McpTransport::ALL {
        let abilities = json!({"extensions": {"io.modelcontextprotocol/tasks": {}}});
        let mut client = McpClient::able(&hub, lead.token(), way, abilities);
        let work = format!("w-{way:?}");
        let asked = client.asks("prompts/get", json!({"name": "tell", "arguments": {"work": work}}));
        let about = asked["result"]["_meta"][WORKFLOW].clone();
        let id = about["taskId"].as_str().unwrap();
        assert_eq!((&about["status"], &about["pauseReason"]["type"]), (&json!("working"), &json!("client_tool")));
        assert_eq!(tasks(&hub, &work), 2, "{way:?}");
        let call = json!({"name": "list_agents", "arguments": {}, "_meta": {"dev.callboard/taskId": id}});
        let went = client.asks("tools/call", call);
        assert_eq!(went["result"]["_meta"][WORKFLOW]["step"], "again", "{way:?}: {went}");
        let shown = client.asks("tasks/get", json!({"taskId": id}));
        assert_eq!(shown["result"]["statusMessage"], "4 of 5 steps, waiting for tell", "{way:?}: {shown}");
        let early = client.asks("tasks/result", json!({"taskId": id}));
        assert_eq!(early["error"]["data"]["code"], "WORKFLOW_WORKING", "{way:?}: {early}");
        // The field that the library's types would drop: it would be cancelled.
        let done = client.asks("tasks/cancel", json!({"taskId": id, "result": {"told": true}}));
        assert!(done["error"].is_null(), "{way:?}: {done}");
        let late = client.asks("tasks/result", json!({"taskId": id}));
        assert_eq!(late["result"]["structuredContent"], json!({"told": true}), "{way:?}: {late}");
        let shown = client.asks("tasks/get", json!({"taskId": id}));
        assert_eq!(shown["result"]["status"], "completed", "{way:?}: {shown}");
    }
}

#[test]
fn a_proxy_names_the_workflow_and_asks_a_hub_that_was_killed_again() {
    let data_dir = TempDir::new().unwrap();
    configured(data_dir.path());
    let hub = starts(data_dir.path());
    let port = hub.port();
    let mut proxy = ProxyProcess::introduced(&hub, "lead-1");
    proxy.uses("register_agent", &json!({"agentId": "lead-1", "role": "project-manager"}));
    let get = |work: &str| json!({"name": "tell", "arguments": {"work": work}});
    // Two of one workflow: the hub alone could not tell which is meant.
    let first = proxy.asks("prompts/get", &get("do w-one"));
    let second = proxy.asks("prompts/get", &get("do w-two"));
    let went = proxy.asks("tools/call", &json!({"name": "list_agents", "arguments": {}}));
    assert_eq!(went["_meta"][WORKFLOW]["taskId"], second["_meta"]["task_id"], "{went}");
    assert_ne!(went["_meta"][WORKFLOW]["taskId"], first["_meta"]["task_id"]);
    assert_eq!((&went["_meta"][WORKFLOW]["step"], went["_meta"][WORKFLOW].get("matchedBy")), (&json!("again"), None));
    let done = proxy.uses("workflow_complete", &json!({"result": "told"}));
    assert_eq!(done["status"], "completed", "{done}");
    let token = hub.operator_token();
    let events = after_events(&hub, &token, 4);
    let id = proxy.begins("prompts/get", &get("do w-killed"));
    events();
    hub.kill();
    let config = data_dir.path().join("config");
    let hub = HubProcess::start_at_with(data_dir.path(), port, &["--config", config.to_str().unwrap()]);
    let said = proxy.hears();
    assert_eq!((&said["id"], &said["result"]["_meta"]["task_status"]), (&json!(id), &json!("working")), "{said}");
    assert_eq!(tasks(&hub, "w-killed"), 2);
}

#[test]
fn a_workflow_file_that_breaks_leaves_the_last_good_one_and_says_so() {
    let data_dir = TempDir::new().unwrap();
    configured(data_dir.path());
    let hub = starts(data_dir.path());
    let lead = Agent::register(&hub, "lead-1", "project-manager");
    let mut client = McpClient::comes(&hub, lead.token(), McpTransport::Http);
    let file = data_dir.path().join("config/workflows/ship.yaml");
    let log = || fs::read_to_string(data_dir.path().join("hub.log")).unwrap();
    let description = |client: &mut McpClient| {
        let listed = client.asks("prompts/list", json!({}));
        let prompts = listed["result"]["prompts"].as_array().unwrap().clone();
        let found = prompts.into_iter().find(|prompt| prompt["name"] == "ship").expect("it is kept");
        found["description"].as_str().unwrap().to_owned()
    };
    let long: String = (0..1_000).map(|step| format!("  - {{name: s{step}, tool: list_agents}}\n")).collect();
    let broken = [
        (SHIP.replace("steps:", "steps: ["), "ship.yaml:"),
        (SHIP.replace("output: second", "output: later"), "is no binding of any step"),
        (SHIP.replace("const: any", "output: second"), "is no binding of an earlier step"),
        (format!("name: ship\ndescription: x\nsteps:\n{long}"), "1000 steps; 100 are the most"),
    ];
    for (text, said) in broken {
        fs::write(&file, text).unwrap();
        hub.reads_its_settings();
        while !log().contains(said) {
            pause(20);
        }
        assert_eq!(description(&mut client), "have two things done");
        let asked = client.asks("prompts/get", asks("ship", said, said));
        assert_eq!(asked["result"]["_meta"][WORKFLOW]["status"], "completed", "{asked}");
    }
    fs::write(&file, SHIP.replace("have two things done", "have both done")).unwrap();
    hub.reads_its_settings();
    while description(&mut client) != "have both done" {
        pause(20);
    }
}
