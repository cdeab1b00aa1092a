//! Requests that no client should send: each gets the answer that the protocol has for it, and whoever waits meanwhile
//! goes on waiting and gets the next task.

use std::net::{Shutdown, TcpStream};
use std::thread::{self, JoinHandle};

use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::{Error, Message};

use super::raw::{RawResponse, Stage, hears, request};
use crate::support::{plain_http, web_socket};

const VERSION: &str = "2026-07-28";

/// An agent that waits for work, and its work when it comes.
struct Bystander(JoinHandle<Value>);

impl Bystander {
    fn waits(stage: &Stage) -> Self {
        let (token, port) = (stage.agent("bystander", "designer"), stage.port());
        // A wait has an end, and a loaded machine may come to it: then it waits again.
        let waits = move || {
            loop {
                let arguments = json!({ "timeout": 40 });
                let got = plain_http::call_by_mcp(port, &token, "wait_for_prompt", &arguments).unwrap().1;
                if got["status"] != "IDLE" {
                    return got;
                }
            }
        };
        let wait = thread::spawn(waits);
        stage.until("bystander", "waiting");
        Self(wait)
    }

    /// It was not disturbed: it waits, and what comes now reaches it.
    fn ends_well(self, stage: &Stage) {
        assert!(!self.0.is_finished(), "it waits no more");
        let (status, task) =
            stage.hub.post("/api/v1/tasks", &json!({ "targetAgentId": "bystander", "prompt": "work" }));
        assert_eq!(status, 201, "{task}");
        let got = self.0.join().unwrap();
        assert_eq!((&got["status"], &got["taskId"]), (&json!("TASK"), &task["taskId"]), "{got}");
    }
}

/// A good call, of which one thing is changed.
struct GoodRequest {
    headers: Vec<(&'static str, String)>,
    body: Value,
}

impl GoodRequest {
    fn well(stage: &Stage) -> Self {
        let headers = [
            ("Authorization", format!("Bearer {}", stage.hub.operator_token())),
            ("Content-Type", "application/json".to_owned()),
            ("Accept", "application/json, text/event-stream".to_owned()),
            ("MCP-Protocol-Version", VERSION.to_owned()),
            ("Mcp-Method", "tools/call".to_owned()),
            ("Mcp-Name", "list_agents".to_owned()),
        ];
        let about = json!({
            "io.modelcontextprotocol/protocolVersion": VERSION,
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let params = json!({ "name": "list_agents", "arguments": {}, "_meta": about });
        let body = json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params });
        Self { headers: headers.into(), body }
    }

    fn without(mut self, name: &str) -> Self {
        self.headers.retain(|(known, _)| *known != name);
        self
    }

    fn with(self, name: &'static str, value: &str) -> Self {
        let mut asked = self.without(name);
        asked.headers.push((name, value.to_owned()));
        asked
    }

    fn saying(mut self, path: &str, value: Value) -> Self {
        *self.body.pointer_mut(path).expect("it is there") = value;
        self
    }

    fn of(self, stage: &Stage) -> RawResponse {
        let body = self.body.to_string();
        self.sends_text(stage, &body)
    }

    fn sends_text(self, stage: &Stage, body: &str) -> RawResponse {
        let headers: Vec<(&str, &str)> = self.headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
        stage.asks("POST", "/mcp", &headers, body)
    }
}

#[test]
fn each_wrong_request_has_its_own_answer_and_costs_nobody_else_anything() {
    let stage = Stage::open();
    let bystander = Bystander::waits(&stage);
    let well = || GoodRequest::well(&stage);
    assert_eq!(well().of(&stage).status, 200, "the good one is good");
    let version = "/params/_meta/io.modelcontextprotocol~1protocolVersion";
    let about = "/params/_meta";
    let list = format!("[{}]", well().body);
    let long_ago = "1999-01-01";
    let answers = [
        ("half of a message", 400, -32700, well().sends_text(&stage, r#"{"jsonrpc": "2.0", "id""#)),
        ("nothing", 400, -32700, well().sends_text(&stage, "")),
        ("a thousand brackets", 400, -32700, well().sends_text(&stage, &"[".repeat(1_000))),
        ("a list of messages", 400, -32600, well().sends_text(&stage, &list)),
        ("a number", 400, -32600, well().sends_text(&stage, "7")),
        ("another protocol", 400, -32600, well().saying("/jsonrpc", json!("1.0")).of(&stage)),
        ("plain text", 415, -32600, well().with("Content-Type", "text/plain").of(&stage)),
        ("no type", 415, -32600, well().without("Content-Type").of(&stage)),
        ("any answer", 406, -32600, well().with("Accept", "text/html").of(&stage)),
        ("only a stream", 406, -32600, well().with("Accept", "text/event-stream").of(&stage)),
        (
            "a version that is none",
            400,
            -32022,
            well().with("MCP-Protocol-Version", long_ago).saying(version, json!(long_ago)).of(&stage),
        ),
        ("two versions", 400, -32020, well().with("MCP-Protocol-Version", "2025-11-25").of(&stage)),
        ("a version inside alone", 400, -32020, well().without("MCP-Protocol-Version").of(&stage)),
        ("a version outside alone", 400, -32602, well().saying(about, json!({})).of(&stage)),
        ("another tool outside", 400, -32020, well().with("Mcp-Name", "assign_task").of(&stage)),
        ("another method outside", 400, -32020, well().with("Mcp-Method", "tools/list").of(&stage)),
        (
            "a method that is none",
            404,
            -32601,
            well().with("Mcp-Method", "no/such").saying("/method", json!("no/such")).of(&stage),
        ),
    ];
    for (what, status, code, said) in answers {
        let error = &said.json()["error"];
        assert_eq!((said.status, &error["code"]), (status, &json!(code)), "{what}: {} {}", said.head, said.body);
        assert!(said.header("content-type").starts_with("application/json"), "{what}: {}", said.head);
    }
    bystander.ends_well(&stage);
}

#[test]
fn bodies_of_nine_mebibytes_and_connections_that_are_half_there_cost_nobody_else_anything() {
    let stage = Stage::open();
    let bystander = Bystander::waits(&stage);
    let bearer = format!("Bearer {}", stage.hub.operator_token());
    let host = format!("127.0.0.1:{}", stage.port());
    let head = [("Host", host.as_str()), ("Authorization", &bearer), ("Content-Type", "application/json")];
    let nine = " ".repeat(9 << 20);
    for path in ["/mcp", "/api/v1/tasks", "/api/v1/tools/send_response"] {
        let said = stage.asks("POST", path, &head[1..], &nine);
        assert_eq!((said.status, said.code().as_str()), (413, "BODY_TOO_LARGE"), "{path}: {}", said.body);
    }
    // One that says that it will say no more counts as gone, unless its answer was quicker.
    let whole = request("GET", "/api/v1/tasks", &head, "");
    let mut listens = stage.begins(&whole);
    listens.shutdown(Shutdown::Write).unwrap();
    assert!(matches!(hears(&mut listens).status, 0 | 200));
    let cut = request("POST", "/api/v1/tasks", &head, &"x".repeat(1_000));
    for at in [1, 20, whole.len() / 2, cut.len() - 500] {
        let gone = stage.begins(&cut[..at]);
        gone.shutdown(Shutdown::Both).unwrap();
        drop(gone);
    }
    let half: Vec<TcpStream> = (0..50).map(|_| stage.begins(&whole[..whole.len() / 2])).collect();
    assert_eq!(stage.hub.get("/api/v1/tasks").0, 200);
    drop(half);
    bystander.ends_well(&stage);
}

#[test]
fn what_no_socket_should_send_ends_that_socket_or_is_answered_and_costs_nobody_else_anything() {
    let stage = Stage::open();
    let bystander = Bystander::waits(&stage);
    let token = stage.hub.operator_token();
    let opens = || web_socket::opens(stage.port(), "/ws", "mcp", &token);
    for (text, code) in [("{", -32700), ("[]", -32600), (r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#, -32602)] {
        let mut socket = opens();
        socket.send(Message::text(text)).unwrap();
        let said: Value = loop {
            if let Message::Text(said) = socket.read().expect("an answer") {
                break serde_json::from_str(&said).unwrap();
            }
        };
        assert_eq!(said["error"]["code"], code, "{text}: {said}");
    }
    let large = Message::text(" ".repeat(9 << 20));
    for (sent, code) in [(large, 1009), (Message::binary(vec![0]), 1003)] {
        let mut socket = opens();
        // The hub may be gone before all of it is written.
        drop(socket.send(sent));
        assert_eq!(closed(&mut socket), Some(code));
    }
    bystander.ends_well(&stage);
}

/// By which code a socket was closed; none where the connection went without a word.
fn closed(socket: &mut tokio_tungstenite::tungstenite::WebSocket<TcpStream>) -> Option<u16> {
    loop {
        match socket.read() {
            Ok(Message::Close(frame)) => return frame.map(|frame| frame.code.into()),
            Ok(_) => {}
            Err(Error::ConnectionClosed | Error::AlreadyClosed) => return None,
            Err(error) => panic!("it was not closed, but: {error}"),
        }
    }
}

#[test]
fn a_second_client_of_an_agent_takes_the_firsts_place_and_nobody_elses() {
    let stage = Stage::open();
    let bystander = Bystander::waits(&stage);
    let (token, _) = stage.token(&json!({ "agent": "a1" }));
    let knows = json!({ "agentId": "a1", "role": "designer", "capabilities": [] });
    let calls = |tool: &str, arguments: &Value| {
        let mut socket = web_socket::begins(stage.port(), &token, tool, arguments);
        (web_socket::hears(&mut socket), socket)
    };
    let (first, mut one) = calls("register_agent", &knows);
    assert_eq!(first["success"], true, "{first}");
    let (second, two) = calls("register_agent", &knows);
    assert_eq!((&second["success"], &second["sessionId"]), (&json!(true), &first["sessionId"]), "{second}");
    let about = json!({
        "io.modelcontextprotocol/protocolVersion": VERSION,
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let params = json!({ "name": "get_session", "arguments": {}, "_meta": about });
    let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
    one.send(Message::text(call.to_string())).unwrap();
    assert_eq!(web_socket::hears(&mut one)["code"], "SUPERSEDED");
    one.flush().unwrap();
    drop((one, two));
    bystander.ends_well(&stage);
}
