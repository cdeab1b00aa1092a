//! Every way in which a wait can lose its client, at every door: the hub sees it at once, and what comes then is for
//! whoever waits next.

use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;
use tokio_tungstenite::tungstenite::{Message, WebSocket};

use crate::support::hub_process::HubProcess;
use crate::support::mcp_http::{self, Session};
use crate::support::plain_http;
use crate::support::proxy_process::ProxyProcess;
use crate::support::web_socket;
use crate::support::{TIMEOUT, pause};

/// A second is promised, and whatever else would end a wait takes ten: a busy machine is between the two.
const SOON: Duration = Duration::from_secs(8);

/// What ends a wait that was begun. What it returns is kept until the end was seen.
type End = Box<dyn FnOnce() -> Box<dyn std::any::Any>>;

/// A way: how it is called, and how it begins a wait of an agent with this token.
type WaitKind = (&'static str, fn(&HubProcess, &str, &str) -> End);

const WAYS: [WaitKind; 11] = [
    ("plain HTTP: the connection ends", |hub, _, token| {
        let mut stream = TcpStream::connect(("127.0.0.1", hub.port())).unwrap();
        let path = "/api/v1/tools/wait_for_prompt";
        let request = plain_http::request(hub.port(), "POST", path, token, "", &wait());
        std::io::Write::write_all(&mut stream, request.as_bytes()).unwrap();
        Box::new(|| gone(stream))
    }),
    ("MCP of 2026-07-28: the stream is closed", |hub, _, token| {
        let stream = mcp_http::begins(hub.port(), token, "wait_for_prompt", &wait());
        Box::new(|| gone(stream))
    }),
    ("MCP in a session: the stream is lost", |hub, _, token| {
        let stream = Session::open(hub.port(), token).begins(1, "wait_for_prompt", &wait());
        Box::new(|| gone(stream))
    }),
    ("MCP in a session: the call is cancelled", |hub, _, token| {
        let session = Session::open(hub.port(), token);
        let stream = session.begins(1, "wait_for_prompt", &wait());
        Box::new(move || Box::new((stream, session.posts(&cancel(1)))))
    }),
    ("MCP in a session: the session is deleted", |hub, _, token| {
        let session = Session::open(hub.port(), token);
        let stream = session.begins(1, "wait_for_prompt", &wait());
        Box::new(move || {
            session.is_deleted();
            Box::new(stream)
        })
    }),
    ("a WebSocket: it is closed", |hub, _, token| {
        let mut socket = waits_on_a_socket(hub, token);
        Box::new(move || {
            socket.close(None).unwrap();
            socket.flush().unwrap();
            Box::new(socket)
        })
    }),
    ("a WebSocket: the connection ends", |hub, _, token| {
        let socket = waits_on_a_socket(hub, token);
        Box::new(|| gone(socket))
    }),
    ("a WebSocket: the call is cancelled", |hub, _, token| {
        let mut socket = waits_on_a_socket(hub, token);
        Box::new(move || {
            socket.send(Message::text(cancel(1).to_string())).unwrap();
            Box::new(socket)
        })
    }),
    ("stdio: its input ends", |hub, agent, _| {
        let proxy = waits_behind_a_proxy(hub, agent);
        Box::new(|| gone(proxy.input_ends()))
    }),
    ("stdio: the proxy is killed", |hub, agent, _| {
        let proxy = waits_behind_a_proxy(hub, agent);
        Box::new(|| {
            proxy.kill();
            Box::new(())
        })
    }),
    ("stdio: the call is cancelled", |hub, agent, _| {
        let mut proxy = waits_behind_a_proxy(hub, agent);
        Box::new(move || {
            proxy.says(&cancel(2));
            Box::new(proxy)
        })
    }),
];

fn wait() -> Value {
    json!({ "timeout": 40 })
}

fn cancel(id: u64) -> Value {
    json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}})
}

fn gone<T>(waits: T) -> Box<dyn std::any::Any> {
    drop(waits);
    Box::new(())
}

fn waits_on_a_socket(hub: &HubProcess, token: &str) -> WebSocket<TcpStream> {
    web_socket::begins(hub.port(), token, "wait_for_prompt", &wait())
}

fn waits_behind_a_proxy(hub: &HubProcess, agent: &str) -> ProxyProcess {
    let mut proxy = ProxyProcess::introduced(hub, agent);
    proxy.calls("wait_for_prompt", &wait());
    proxy
}

fn availability(hub: &HubProcess, agent: &str) -> String {
    let (_, said) = hub.post("/api/v1/tools/get_agent_status", &json!({ "agentId": agent }));
    said["availability"].as_str().unwrap_or_default().to_owned()
}

/// Returns once the agent waits, or does so no more, with how long it took.
#[expect(clippy::disallowed_methods, reason = "another process cannot be on stopped time")]
fn until(hub: &HubProcess, agent: &str, waits: bool, what: &str) -> Duration {
    let began = Instant::now();
    while (availability(hub, agent) == "waiting") != waits {
        assert!(began.elapsed() < TIMEOUT, "{what}: that it waits is never {waits}");
        pause(10);
    }
    began.elapsed()
}

#[test]
fn a_wait_that_lost_its_client_is_soon_over_at_every_door() {
    let data_dir = TempDir::new().unwrap();
    let hub = HubProcess::start(data_dir.path());
    for (number, (what, way)) in WAYS.into_iter().enumerate() {
        let agent = format!("fullstack-{number}");
        let (_, made) = hub.post("/api/v1/tokens", &json!({ "agent": agent }));
        let token = made["token"].as_str().unwrap().to_owned();
        let uses = |tool: &str, arguments: &Value| hub.post_as(&token, &format!("/api/v1/tools/{tool}"), arguments).1;
        uses("register_agent", &json!({ "agentId": agent, "role": "full-stack-engineer" }));
        let end = way(&hub, &agent, &token);
        until(&hub, &agent, true, what);
        let kept = end();
        let seen = until(&hub, &agent, false, what);
        assert!(seen < SOON, "{what}: seen after {seen:?}");
        let (_, receipt) = hub.post("/api/v1/tasks", &json!({ "targetAgentId": agent, "prompt": "work" }));
        assert_eq!(receipt["queued"], true, "{what}: {receipt}");
        let offer = uses("wait_for_prompt", &json!({ "timeout": 5 }));
        assert_eq!((&offer["status"], &offer["leaseEpoch"]), (&json!("TASK"), &json!(1)), "{what}: {offer}");
        drop(kept);
    }
}

/// Whatever crosses the deletion of its session is served or told that there is none; and the hub calls it no error.
#[test]
fn what_crosses_the_end_of_its_session_is_told_so() {
    let home = TempDir::new().unwrap();
    let hub = HubProcess::start(home.path());
    let mut missed = 0;
    // One agent would soon be told to slow down.
    for agent in 0..20 {
        let (_, made) = hub.post("/api/v1/tokens", &json!({ "agent": format!("crossing-{agent}") }));
        let token = made["token"].as_str().unwrap();
        for _ in 0..5 {
            let [listened, called, deleted] = Session::open(hub.port(), token).crosses(1, "list_agents");
            assert!(deleted.contains(" 2"), "{deleted}");
            for told in [listened, called] {
                assert!(told.contains(" 200 ") || told.contains(" 404 "), "{told}");
                missed += u32::from(told.contains(" 404 "));
            }
        }
    }
    assert!(missed > 0, "none crossed the end");
    assert!(hub.terminate().success());
}
