//! An agent behind `callboard proxy`: the hub comes and goes, and the client hears only what it asked for.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::agent::Agent;
use crate::support::hub_process::HubProcess;
use crate::support::proxy_process::ProxyProcess;
use crate::support::{TIMEOUT, pause, write_private};

/// A second is promised, and whatever else would end a wait takes ten: a busy machine is between the two.
const SOON: Duration = Duration::from_secs(8);

fn assigns(hub: &HubProcess, agent: &str) -> String {
    let (status, body) = hub.post("/api/v1/tasks", &json!({ "targetAgentId": agent, "prompt": "work" }));
    assert!(status < 300, "{body}");
    body["taskId"].as_str().unwrap().to_owned()
}

fn availability(hub: &HubProcess, agent: &str) -> String {
    let (_, said) = hub.post("/api/v1/tools/get_agent_status", &json!({ "agentId": agent }));
    said["availability"].as_str().unwrap_or_default().to_owned()
}

/// How long until the agent is `availability`.
#[expect(clippy::disallowed_methods, reason = "another process cannot be on stopped time")]
fn until_it_is(hub: &HubProcess, agent: &str, wanted: &str) -> Duration {
    let began = Instant::now();
    while availability(hub, agent) != wanted {
        assert!(began.elapsed() < TIMEOUT, "{agent} never is {wanted}");
        pause(10);
    }
    began.elapsed()
}

/// The state of a task, once it is the one that is wanted.
fn until_task_is(hub: &HubProcess, task: &str, wanted: &str) -> Value {
    for _ in 0..4_000 {
        let (_, body) = hub.get(&format!("/api/v1/tasks/{task}"));
        if body["state"] == wanted {
            return body;
        }
        pause(10);
    }
    panic!("task {task} never is {wanted}");
}

#[test]
fn a_client_that_only_waits_is_registered_called_and_acknowledged() {
    let data_dir = TempDir::new().unwrap();
    let hub = HubProcess::start(data_dir.path());
    let mut proxy = ProxyProcess::start(&hub, "fullstack-1");
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let found = proxy.asks("server/discover", &json!({ "_meta": meta }));
    assert_eq!(found["resultType"], "complete", "{found}");
    assert_eq!(proxy.shakes_hands()["protocolVersion"], "2025-06-18");
    let wait = proxy.calls("wait_for_prompt", &json!({}));
    until_it_is(&hub, "fullstack-1", "waiting");
    let task = assigns(&hub, "fullstack-1");
    let said = proxy.hears();
    assert_eq!((&said["id"], &said["result"]["structuredContent"]["taskId"]), (&json!(wait), &json!(task)));
    let known = until_task_is(&hub, &task, "IN_PROGRESS");
    assert_eq!(known["lease"]["agentId"], "fullstack-1");
    let done = proxy.uses("send_response", &json!({ "taskId": task, "status": "COMPLETED", "message": "done" }));
    assert_eq!(done["success"], true, "{done}");
    assert_eq!(proxy.heard(), None, "the proxy's own calls are its own");
    let kept = data_dir.path().join("agents/fullstack-1.token");
    let mode = std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(kept).unwrap().permissions());
    assert_eq!(mode & 0o777, 0o600);
    let (status, took) = proxy.input_ends();
    assert!(status.success() && took < SOON, "{status} after {took:?}");
}

/// The hub ends while a client waits, and is started again.
fn outlived(end: fn(HubProcess)) {
    let data_dir = TempDir::new().unwrap();
    let hub = HubProcess::start(data_dir.path());
    let port = hub.port();
    let mut proxy = ProxyProcess::introduced(&hub, "fullstack-1");
    let wait = proxy.calls("wait_for_prompt", &json!({ "timeout": 60 }));
    until_it_is(&hub, "fullstack-1", "waiting");
    end(hub);
    let listed = proxy.begins("tools/list", &json!({}));
    let hub = HubProcess::start_at(data_dir.path(), port);
    assert_eq!(proxy.hears()["id"], listed, "what was asked meanwhile is answered");
    until_it_is(&hub, "fullstack-1", "waiting");
    assert_eq!(proxy.heard(), None, "the client hears nothing of it");
    let task = assigns(&hub, "fullstack-1");
    let said = proxy.hears();
    assert_eq!((&said["id"], &said["result"]["structuredContent"]["taskId"]), (&json!(wait), &json!(task)));
    until_task_is(&hub, &task, "IN_PROGRESS");
}

#[test]
fn a_wait_outlives_a_crash_of_the_hub() {
    outlived(HubProcess::kill);
}

#[test]
fn a_wait_outlives_a_gentle_end_of_the_hub() {
    outlived(|hub| assert!(hub.terminate().success()));
}

#[test]
fn a_wait_ends_with_its_client_however_that_ends() {
    let data_dir = TempDir::new().unwrap();
    let hub = HubProcess::start(data_dir.path());
    let waits = |agent: &str| {
        let mut proxy = ProxyProcess::introduced(&hub, agent);
        proxy.calls("wait_for_prompt", &json!({ "timeout": 60 }));
        until_it_is(&hub, agent, "waiting");
        proxy
    };
    let (status, took) = waits("fullstack-1").input_ends();
    assert!(status.success() && took < SOON, "{status} after {took:?}");
    assert!(until_it_is(&hub, "fullstack-1", "offline") < SOON, "its proxy said that it ended");
    waits("fullstack-2").kill();
    assert!(until_it_is(&hub, "fullstack-2", "working") < SOON);
    let mut calls_off = waits("fullstack-3");
    calls_off.says(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 2}}));
    assert!(until_it_is(&hub, "fullstack-3", "working") < SOON);
    let task = assigns(&hub, "fullstack-3");
    let next = calls_off.uses("wait_for_prompt", &json!({}));
    assert_eq!((&next["taskId"], &next["leaseEpoch"]), (&json!(task), &json!(1)), "{next}");
}

#[test]
fn a_script_that_says_all_it_has_to_say_and_ends_hears_every_answer() {
    let data_dir = TempDir::new().unwrap();
    let hub = HubProcess::start(data_dir.path());
    let mut proxy = ProxyProcess::start(&hub, "fullstack-1");
    let client = json!({"name": "a script", "version": "1"});
    let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client});
    proxy.begins("initialize", &hello);
    proxy.says(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    proxy.begins("ping", &json!({}));
    proxy.calls("get_agent_status", &json!({}));
    proxy.says_no_more();
    let mut answered: Vec<_> = (0..3).map(|_| proxy.hears()["id"].clone()).collect();
    answered.sort_by_key(Value::to_string);
    assert_eq!(answered, [1, 2, 3].map(Value::from), "the way to the hub takes longer than the script");
}

/// What a client and its user hear when the proxy is given another agent's token, on the way by this port.
pub(super) fn speaks_for_nobody_else(hub: &HubProcess, data_dir: &TempDir, port: u16) {
    let first = Agent::register(hub, "first-1", "designer");
    let file = data_dir.path().join("first.token");
    write_private(&file, first.token());
    let url = format!("http://127.0.0.1:{port}");
    let mut command = hub.command(&["proxy", "--agent", "other-1", "--url", &url]);
    let mut proxy = ProxyProcess::of(command.env("CALLBOARD_TOKEN_FILE", &file));
    proxy.begins("ping", &json!({}));
    proxy.calls("get_agent_status", &json!({}));
    let (said, refused) = (proxy.hears(), proxy.hears());
    assert_eq!((&said["id"], &refused["id"], &refused["result"]["isError"]), (&json!(1), &json!(2), &json!(true)));
    let (status, told) = proxy.ends_saying();
    assert_eq!(status.code(), Some(3), "{told}");
    let answered = [&said["error"]["message"], &refused["result"]["structuredContent"]["message"]];
    for words in answered.map(|words| words.as_str().unwrap()).into_iter().chain([told.as_str()]) {
        assert!(words.contains("IDENTITY_MISMATCH") && words.contains("agent:first-1"), "{words}");
        assert!(words.contains("`other-1`") && words.contains("CALLBOARD_TOKEN_FILE"), "{words}");
    }
}

#[test]
fn a_proxy_with_another_agents_token_speaks_for_neither_and_says_so_to_client_and_user() {
    let data_dir = TempDir::new().unwrap();
    let hub = HubProcess::start(data_dir.path());
    speaks_for_nobody_else(&hub, &data_dir, hub.port());
}

#[test]
fn an_offer_that_was_on_its_way_to_a_dying_client_goes_to_the_next() {
    let data_dir = TempDir::new().unwrap();
    let hub = HubProcess::start(data_dir.path());
    let mut first = ProxyProcess::introduced(&hub, "fullstack-1");
    first.calls("wait_for_prompt", &json!({ "timeout": 60 }));
    until_it_is(&hub, "fullstack-1", "waiting");
    let task = assigns(&hub, "role:full-stack-engineer");
    first.hears();
    first.kill();
    let mut second = ProxyProcess::introduced(&hub, "fullstack-2");
    let heard = second.uses("wait_for_prompt", &json!({ "timeout": 10 }));
    assert_eq!((&heard["taskId"], &heard["leaseEpoch"]), (&json!(task), &json!(2)), "{heard}");
}

/// The next that the client is told under this method.
fn told(proxy: &ProxyProcess, method: &str) -> Value {
    loop {
        let said = proxy.hears();
        if said["method"] == method {
            return said["params"].clone();
        }
    }
}

/// What a client follows is told to it by the hub that comes next, too; `follows` asks to hear of `AGENTS`.
fn still_follows(follows: fn(&mut ProxyProcess), end: fn(HubProcess)) {
    let data_dir = TempDir::new().unwrap();
    let hub = HubProcess::start(data_dir.path());
    let port = hub.port();
    let mut proxy = ProxyProcess::start(&hub, "fullstack-1");
    follows(&mut proxy);
    end(hub);
    let hub = HubProcess::start_at(data_dir.path(), port);
    let missed = told(&proxy, "notifications/resources/updated");
    assert_eq!(missed["uri"], AGENTS, "it may have changed meanwhile");
    Agent::register(&hub, "other-1", "designer");
    let said = told(&proxy, "notifications/resources/updated");
    assert_eq!((&said["uri"], &said["_meta"]), (&json!(AGENTS), &missed["_meta"]));
}

const AGENTS: &str = "callboard://agents";

fn listens(proxy: &mut ProxyProcess) {
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let wanted = json!({ "resourceSubscriptions": [AGENTS] });
    proxy.begins("subscriptions/listen", &json!({ "notifications": wanted, "_meta": meta }));
    told(proxy, "notifications/subscriptions/acknowledged");
}

fn subscribes(proxy: &mut ProxyProcess) {
    proxy.shakes_hands();
    assert_eq!(proxy.asks("resources/subscribe", &json!({ "uri": AGENTS })), json!({}));
}

#[test]
fn what_a_client_listens_to_outlives_a_crash_and_a_gentle_end_of_the_hub() {
    still_follows(listens, HubProcess::kill);
    still_follows(listens, |hub| assert!(hub.terminate().success()));
}

#[test]
fn what_a_client_is_subscribed_to_outlives_a_crash_and_a_gentle_end_of_the_hub() {
    still_follows(subscribes, HubProcess::kill);
    still_follows(subscribes, |hub| assert!(hub.terminate().success()));
}
