//! What a token holds open ends with it: at every door, whether it is revoked or its secret is rotated away.

use std::io::Read as _;
use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::{Error, Message, WebSocket};

use super::raw::{Stage, hears};
use crate::support::mcp_http::{self, Session};
use crate::support::{plain_http, web_socket};

/// A second is promised, and whatever else would end these takes twenty: a busy machine is between the two.
const SOON: Duration = Duration::from_secs(5);

/// Whether the agent of this door is to be seen waiting before its token ends.
type Opened = (bool, Box<dyn FnOnce() -> String>);

/// A door: its name, and how something is held open there as this agent, or as who may look.
type Door = (&'static str, fn(&Stage, &str, &str) -> Opened);

/// What each returns reads to the end, and says how that was told.
const DOORS: [Door; 7] = [
    ("plain HTTP", |stage, _, token| {
        let path = "/api/v1/tools/wait_for_prompt";
        let mut stream = stage.begins(&plain_http::request(stage.port(), "POST", path, token, "", &wait()));
        (true, Box::new(move || hears(&mut stream).body))
    }),
    ("MCP of 2026-07-28", |stage, _, token| {
        let mut stream = mcp_http::begins(stage.port(), token, "wait_for_prompt", &wait());
        (true, Box::new(move || hears(&mut stream).body))
    }),
    ("MCP in a session", |stage, _, token| {
        let session = Session::open(stage.port(), token);
        let mut stream = session.begins(1, "wait_for_prompt", &wait());
        (true, Box::new(move || hears(&mut stream).body))
    }),
    ("the stream of a session", |stage, _, token| {
        let mut stream = Session::open(stage.port(), token).listens();
        (false, Box::new(move || hears(&mut stream).body))
    }),
    ("a WebSocket", |stage, _, token| {
        let mut socket = web_socket::opens(stage.port(), "/ws", "mcp", token);
        let about = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let params = json!({ "name": "wait_for_prompt", "arguments": wait(), "_meta": about });
        let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
        socket.send(Message::text(call.to_string())).unwrap();
        (true, Box::new(move || closed(&mut socket)))
    }),
    ("a hosted terminal", |stage, agent, token| {
        let mut socket = web_socket::opens(stage.port(), "/ws/terminal", "callboard-terminal", token);
        socket.send(Message::text(json!({ "type": "hello", "host": "h", "agent": agent }).to_string())).unwrap();
        let welcome = socket.read().unwrap();
        assert!(welcome.to_string().contains("welcome"), "{welcome}");
        (false, Box::new(move || closed(&mut socket)))
    }),
    ("events", |stage, _, token| {
        let headers = "Accept: text/event-stream\r\n";
        let request = plain_http::request(stage.port(), "GET", "/api/v1/events", token, headers, &Value::Null);
        let mut stream = stage.begins(&request);
        // The first sign of life shows that it is open.
        stream.read_exact(&mut [0; 64]).unwrap();
        (false, Box::new(move || hears(&mut stream).body))
    }),
];

fn wait() -> Value {
    json!({ "timeout": 40 })
}

/// Reads until the socket ends; the code that it ended with.
fn closed(socket: &mut WebSocket<TcpStream>) -> String {
    loop {
        match socket.read() {
            Ok(Message::Close(frame)) => return frame.map_or(0, |frame| frame.code.into()).to_string(),
            Ok(_) => {}
            Err(Error::ConnectionClosed | Error::AlreadyClosed) => return "closed without a code".to_owned(),
            Err(error) => panic!("{error}"),
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "another process cannot be on stopped time")]
fn ends_with_its_token(how: &str, end: impl Fn(&Stage, &str)) {
    let stage = Stage::open();
    for (number, (door, open)) in DOORS.into_iter().enumerate() {
        let agent = format!("a{number}");
        let (token, id) = match door {
            "events" => stage.token(&json!({ "scope": "view", "name": "ann" })),
            _ => stage.token(&json!({ "agent": agent })),
        };
        if door != "events" {
            let known = json!({ "agentId": agent, "role": "full-stack-engineer", "capabilities": [] });
            assert_eq!(stage.uses(&token, "register_agent", &known)["success"], true, "{door}");
        }
        let (waits, ended) = open(&stage, &agent, &token);
        if waits {
            stage.until(&agent, "waiting");
        }
        end(&stage, &id);
        let began = Instant::now();
        let said = ended();
        assert!(began.elapsed() < SOON, "{door}, {how}: it ended after {:?}", began.elapsed());
        if door.contains("WebSocket") || door.contains("terminal") {
            assert_eq!(said, "4401", "{door}, {how}");
        }
        assert_eq!(stage.hub.get_as(&token, "/api/v1/tasks").0, 401, "{door}, {how}");
    }
}

fn rotates(stage: &Stage, id: &str, overlap: &str) -> String {
    let (status, made) = stage.hub.post(&format!("/api/v1/tokens/{id}/rotate"), &json!({ "overlap": overlap }));
    assert_eq!(status, 200, "{made}");
    made["token"].as_str().unwrap().to_owned()
}

fn revokes(stage: &Stage, id: &str) {
    let path = format!("/api/v1/tokens/{id}");
    let operator = stage.hub.operator_token();
    let (status, said) = plain_http::send(stage.port(), "DELETE", &path, &operator, &Value::Null).unwrap();
    assert_eq!(status, 204, "{said}");
}

#[test]
fn whatever_a_revoked_token_holds_open_ends_at_every_door() {
    ends_with_its_token("revoked", revokes);
}

#[test]
fn whatever_a_secret_holds_open_that_was_rotated_away_ends_at_every_door() {
    ends_with_its_token("rotated", |stage, id| drop(rotates(stage, id, "0s")));
}

/// SEC-35: while a rotation overlaps both secrets are good; then the old one is not.
#[test]
fn an_old_secret_is_good_for_as_long_as_was_said() {
    let stage = Stage::open();
    let (old, id) = stage.token(&json!({ "scope": "view", "name": "ann" }));
    let new = rotates(&stage, &id, "1h");
    for token in [&old, &new] {
        assert_eq!(stage.hub.get_as(token, "/api/v1/tasks").0, 200);
    }
    let newest = rotates(&stage, &id, "10ms");
    assert_eq!(stage.hub.get_as(&old, "/api/v1/tasks").0, 401, "of earlier secrets only the newest overlaps");
    while stage.hub.get_as(&new, "/api/v1/tasks").0 == 200 {}
    assert_eq!(stage.hub.get_as(&new, "/api/v1/tasks").0, 401);
    assert_eq!(stage.hub.get_as(&newest, "/api/v1/tasks").0, 200);
}

/// SEC-36: with an agent's last token goes what it holds: its task is queued again.
#[test]
fn what_a_revoked_agent_holds_goes_back() {
    let stage = Stage::open();
    let (token, id) = stage.token(&json!({ "agent": "a1" }));
    let known = json!({ "agentId": "a1", "role": "full-stack-engineer", "capabilities": [] });
    stage.uses(&token, "register_agent", &known);
    let task = stage.hub.post("/api/v1/tasks", &json!({ "targetAgentId": "a1", "prompt": "work" })).1;
    let path = format!("/api/v1/tasks/{}", task["taskId"].as_str().unwrap());
    stage.uses(&token, "wait_for_prompt", &json!({}));
    stage.uses(&token, "ack_task", &json!({ "taskId": task["taskId"] }));
    assert_eq!(stage.hub.get(&path).1["state"], "IN_PROGRESS");
    revokes(&stage, &id);
    assert_eq!(stage.hub.get(&path).1["state"], "QUEUED");
    let lines = stage.until_audited("token.revoke");
    assert_eq!((&lines[0]["who"], &lines[0]["target"]), (&json!("operator"), &json!(format!("token:{id}"))));
}
