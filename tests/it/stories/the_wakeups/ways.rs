//! The ways in which an agent waits over a socket.

use std::io::Write as _;
use std::net::TcpStream;

use serde_json::{Value, json};

use crate::support::hub_process::HubProcess;
use crate::support::{plain_http, web_socket};

/// How long it waits, in seconds: generous, and never the reason why a story is quick.
const WAIT: u64 = 18;

/// The last revision with sessions that most clients speak.
const WITH_SESSIONS: &str = "2025-06-18";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WaitTransport {
    Plain,
    Stateless,
    Session,
    Socket,
}

impl WaitTransport {
    /// Waits until something is heard, and says what.
    pub(super) fn waits(self, hub: &HubProcess, token: &str) -> Value {
        let wait = json!({ "timeout": WAIT });
        match self {
            Self::Plain => hub.post_as(token, "/api/v1/tools/wait_for_prompt", &wait).1,
            Self::Stateless => plain_http::call_by_mcp(hub.port(), token, "wait_for_prompt", &wait).unwrap().1,
            Self::Socket => web_socket::hears(&mut web_socket::begins(hub.port(), token, "wait_for_prompt", &wait)),
            Self::Session => {
                let session = opens_a_session(hub, token);
                let params = json!({ "name": "wait_for_prompt", "arguments": wait });
                let (_, answer) = says(hub, token, &session, 2, "tools/call", &params);
                answer.pointer("/result/structuredContent").cloned().unwrap_or(answer)
            }
        }
    }
}

/// `initialize`, as clients of the era with sessions do; the session's id.
fn opens_a_session(hub: &HubProcess, token: &str) -> String {
    let params = json!({
        "protocolVersion": WITH_SESSIONS,
        "capabilities": {},
        "clientInfo": { "name": "tests", "version": "1" },
    });
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params });
    let head = plain_http::heads(hub.port(), &request(hub, token, "", &body)).unwrap();
    let id = head.lines().find_map(|line| {
        let (name, value) = line.split_once(": ")?;
        name.eq_ignore_ascii_case("mcp-session-id").then(|| value.trim().to_owned())
    });
    let id = id.unwrap_or_else(|| panic!("no session was opened: {head}"));
    let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    let (status, answer) = heard(hub, &request(hub, token, &of_session(&id), &ready));
    assert_eq!(status, 202, "{answer}");
    id
}

fn says(hub: &HubProcess, token: &str, session: &str, id: u32, method: &str, params: &Value) -> (u16, Value) {
    let body = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
    heard(hub, &request(hub, token, &of_session(session), &body))
}

fn of_session(id: &str) -> String {
    format!("Mcp-Session-Id: {id}\r\nMCP-Protocol-Version: {WITH_SESSIONS}\r\n")
}

fn request(hub: &HubProcess, token: &str, headers: &str, body: &Value) -> String {
    let headers = format!("Accept: application/json, text/event-stream\r\n{headers}");
    plain_http::request(hub.port(), "POST", "/mcp", token, &headers, body)
}

fn heard(hub: &HubProcess, request: &str) -> (u16, Value) {
    let mut stream = TcpStream::connect(("127.0.0.1", hub.port())).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    plain_http::hear(&mut stream).unwrap()
}
