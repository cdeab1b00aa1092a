//! A proxy whose way to the hub lets no WebSocket through: the same round over HTTP, and nobody notices.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::thread;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::agent::Agent;
use crate::support::hub_process::HubProcess;
use crate::support::pause;
use crate::support::proxy_process::ProxyProcess;

/// Something between that knows no WebSockets: it refuses the wish for one, and passes all else on as it is. The hub
/// wants its own name in `Host`, so that is put there. Its port.
fn without_sockets(hub: &HubProcess) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let (port, to) = (listener.local_addr().unwrap().port(), hub.port());
    thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            thread::spawn(move || passes(stream, port, to));
        }
    });
    port
}

fn passes(mut client: TcpStream, own: u16, to: u16) -> Option<()> {
    let mut hub = TcpStream::connect(("127.0.0.1", to)).ok()?;
    let (mut back, mut answers) = (client.try_clone().ok()?, hub.try_clone().ok()?);
    thread::spawn(move || {
        drop(std::io::copy(&mut answers, &mut back));
        drop(back.shutdown(std::net::Shutdown::Both));
    });
    let mut piece = [0; 16 * 1024];
    loop {
        let length = client.read(&mut piece).ok().filter(|length| *length > 0);
        let Some(length) = length else {
            drop(hub.shutdown(std::net::Shutdown::Both));
            return None;
        };
        let text = String::from_utf8_lossy(&piece[..length]).into_owned();
        if text.to_lowercase().contains("upgrade: websocket") {
            drop(client.write_all(b"HTTP/1.1 426 Upgrade Required\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"));
            drop(hub.shutdown(std::net::Shutdown::Both));
            return None;
        }
        let text = text.replace(&format!("127.0.0.1:{own}"), &format!("127.0.0.1:{to}"));
        hub.write_all(text.as_bytes()).ok()?;
    }
}

fn until(hub: &HubProcess, wanted: &str) {
    for _ in 0..2_000 {
        let (_, said) = hub.post("/api/v1/tools/get_agent_status", &json!({ "agentId": "fullstack-1" }));
        if said["availability"] == wanted {
            return;
        }
        pause(10);
    }
    panic!("the agent never is {wanted}");
}

fn until_state(hub: &HubProcess, task: &Value, wanted: &str) {
    let path = format!("/api/v1/tasks/{}", task.as_str().unwrap());
    for _ in 0..2_000 {
        if hub.get(&path).1["state"] == wanted {
            return;
        }
        pause(10);
    }
    panic!("the task never is {wanted}: {}", hub.get(&path).1);
}

fn assigns(hub: &HubProcess) -> Value {
    let (status, made) = hub.post("/api/v1/tasks", &json!({ "targetAgentId": "fullstack-1", "prompt": "work" }));
    assert_eq!(status, 201, "{made}");
    made["taskId"].clone()
}

#[test]
fn a_client_in_a_session_is_registered_called_acknowledged_and_heard() {
    let data_dir = TempDir::new().unwrap();
    let hub = HubProcess::start(data_dir.path());
    let mut proxy = ProxyProcess::start_at(&hub, "fullstack-1", without_sockets(&hub));
    assert_eq!(proxy.shakes_hands()["protocolVersion"], "2025-06-18");
    let wait = proxy.calls("wait_for_prompt", &json!({ "timeout": 60 }));
    until(&hub, "waiting");
    let task = assigns(&hub);
    let said = proxy.hears();
    assert_eq!((&said["id"], &said["result"]["structuredContent"]["taskId"]), (&json!(wait), &task), "{said}");
    until_state(&hub, &task, "IN_PROGRESS");
    let done = proxy.uses("send_response", &json!({ "taskId": task, "status": "COMPLETED", "message": "done" }));
    assert_eq!(done["success"], true, "{done}");
    // A wait that is called off is over at the hub, too, and so is one whose client ends.
    let wait = proxy.calls("wait_for_prompt", &json!({ "timeout": 60 }));
    until(&hub, "waiting");
    proxy.says(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": wait}}));
    until(&hub, "working");
    proxy.calls("wait_for_prompt", &json!({ "timeout": 60 }));
    until(&hub, "waiting");
    assert!(proxy.input_ends().0.success());
    until(&hub, "offline");
}

/// The next that the client is told about the agents.
fn is_told(proxy: &ProxyProcess) {
    loop {
        let said = proxy.hears();
        if said["method"] == "notifications/resources/updated" && said["params"]["uri"] == "callboard://agents" {
            return;
        }
    }
}

#[test]
fn what_a_session_is_told_without_asking_comes_on_a_stream_of_its_own_and_from_the_next_hub_too() {
    let data_dir = TempDir::new().unwrap();
    let hub = HubProcess::start(data_dir.path());
    let mut proxy = ProxyProcess::start_at(&hub, "fullstack-1", without_sockets(&hub));
    proxy.shakes_hands();
    assert_eq!(proxy.asks("resources/subscribe", &json!({ "uri": "callboard://agents" })), json!({}));
    Agent::register(&hub, "other-1", "designer");
    is_told(&proxy);
    let port = hub.port();
    hub.kill();
    let hub = HubProcess::start_at(data_dir.path(), port);
    // That it may have changed meanwhile, though the client has asked for nothing since; then what changes from now on.
    is_told(&proxy);
    Agent::register(&hub, "other-2", "designer");
    is_told(&proxy);
}

#[test]
fn a_client_that_shakes_hands_once_more_hears_nothing_of_the_session_before() {
    let data_dir = TempDir::new().unwrap();
    let hub = HubProcess::start(data_dir.path());
    let mut proxy = ProxyProcess::start_at(&hub, "fullstack-1", without_sockets(&hub));
    proxy.shakes_hands();
    assert_eq!(proxy.asks("resources/subscribe", &json!({ "uri": "callboard://agents" })), json!({}));
    proxy.calls("wait_for_prompt", &json!({ "timeout": 60 }));
    until(&hub, "waiting");
    let client = json!({"name": "claude-code", "version": "2"});
    let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client});
    let hello = proxy.begins("initialize", &hello);
    while proxy.hears()["id"] != hello {}
    proxy.says(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    until(&hub, "working");
    Agent::register(&hub, "other-1", "designer");
    // Longer than it takes to lose a hub whose requests come to nothing.
    pause(1_500);
    assert_eq!(proxy.heard(), None);
    let wait = proxy.calls("wait_for_prompt", &json!({ "timeout": 60 }));
    until(&hub, "waiting");
    let task = assigns(&hub);
    let said = proxy.hears();
    assert_eq!((&said["id"], &said["result"]["structuredContent"]["taskId"]), (&json!(wait), &task), "{said}");
    assert_eq!(proxy.asks("resources/subscribe", &json!({ "uri": "callboard://agents" })), json!({}));
    Agent::register(&hub, "other-2", "designer");
    is_told(&proxy);
}

#[test]
fn a_wait_of_the_younger_era_outlives_a_crash_of_the_hub_and_is_called_off_by_its_end() {
    let data_dir = TempDir::new().unwrap();
    let hub = HubProcess::start(data_dir.path());
    let mut proxy = ProxyProcess::start_at(&hub, "fullstack-1", without_sockets(&hub));
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let wait = json!({ "name": "wait_for_prompt", "arguments": { "timeout": 60 }, "_meta": &meta });
    let id = proxy.begins("tools/call", &wait);
    until(&hub, "waiting");
    let port = hub.port();
    hub.kill();
    let hub = HubProcess::start_at(data_dir.path(), port);
    until(&hub, "waiting");
    assert_eq!(proxy.heard(), None, "the client hears nothing of it");
    let task = assigns(&hub);
    let said = proxy.hears();
    assert_eq!((&said["id"], &said["result"]["structuredContent"]["taskId"]), (&json!(id), &task), "{said}");
    until_state(&hub, &task, "IN_PROGRESS");
    let again = proxy.begins("tools/call", &wait);
    // It holds a task, and waits for the next: a role takes one at a time, so it is told what it holds.
    let told = proxy.hears();
    assert_eq!(told["id"], again, "{told}");
    // A call without the version belongs to a session, and there is none.
    let stray = json!({ "name": "list_agents", "arguments": {} });
    let stray = proxy.begins("tools/call", &stray);
    let refused = proxy.hears();
    assert_eq!((&refused["id"], &refused["error"]["code"]), (&json!(stray), &json!(-32600)), "{refused}");
    let done = json!({ "taskId": task, "status": "COMPLETED", "message": "done" });
    let done = proxy.asks("tools/call", &json!({ "name": "send_response", "arguments": done, "_meta": meta }));
    assert_eq!(done["structuredContent"]["state"], "COMPLETED", "{done}");
    let last = proxy.begins("tools/call", &wait);
    until(&hub, "waiting");
    proxy.says(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": last}}));
    until(&hub, "working");
}

#[test]
fn without_sockets_too_a_proxy_speaks_for_no_agent_but_its_tokens_own() {
    let data_dir = TempDir::new().unwrap();
    let hub = HubProcess::start(data_dir.path());
    super::a_proxy::speaks_for_nobody_else(&hub, &data_dir, without_sockets(&hub));
}
