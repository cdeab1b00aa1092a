//! MCP over Streamable HTTP in its plainest form, for requests that stay open: one connection each.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use serde_json::{Value, json};

use super::TIMEOUT;
use super::plain_http::request;

const MODERN: &str = "2026-07-28";
const LEGACY: &str = "2025-06-18";
const ACCEPT: &str = "Accept: application/json, text/event-stream\r\n";

/// Begins a tool call of the era without sessions.
pub(crate) fn begins(port: u16, token: &str, tool: &str, arguments: &Value) -> TcpStream {
    let headers = format!("{ACCEPT}MCP-Protocol-Version: {MODERN}\r\nMcp-Method: tools/call\r\nMcp-Name: {tool}\r\n");
    let about = json!({
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let params = json!({"name": tool, "arguments": arguments, "_meta": about});
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
    opens(port, &request(port, "POST", "/mcp", token, &headers, &body))
}

/// A session of the era that has them.
pub(crate) struct Session {
    port: u16,
    token: String,
    id: String,
}

impl Session {
    pub(crate) fn open(port: u16, token: &str) -> Self {
        let client = json!({"name": "claude-code", "version": "2"});
        let params = json!({"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": client});
        let hello = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params});
        let mut stream = opens(port, &request(port, "POST", "/mcp", token, ACCEPT, &hello));
        let head = head_of(&mut stream);
        let id = head.lines().find_map(|line| line.to_lowercase().strip_prefix("mcp-session-id: ").map(str::to_owned));
        let session = Self { port, token: token.to_owned(), id: id.expect("a session") };
        drop(session.posts(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"})));
        session
    }

    /// Begins a tool call under this id.
    pub(crate) fn begins(&self, id: u64, tool: &str, arguments: &Value) -> TcpStream {
        is_answered(opens(self.port, &self.call(id, tool, arguments)))
    }

    /// The same call as it goes over the wire.
    pub(crate) fn call(&self, id: u64, tool: &str, arguments: &Value) -> String {
        let params = json!({"name": tool, "arguments": arguments});
        self.post(&json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}))
    }

    /// Sends a message; returns the connection once it is being answered.
    pub(crate) fn posts(&self, message: &Value) -> TcpStream {
        is_answered(opens(self.port, &self.post(message)))
    }

    fn post(&self, message: &Value) -> String {
        request(self.port, "POST", "/mcp", &self.token, &self.headers(), message)
    }

    /// Opens the session's own stream; returns it once it is open.
    pub(crate) fn listens(&self) -> TcpStream {
        let mut stream =
            opens(self.port, &request(self.port, "GET", "/mcp", &self.token, &self.headers(), &Value::Null));
        let head = head_of(&mut stream);
        assert!(head.starts_with("HTTP/1.1 200"), "{head}");
        stream
    }

    /// Listens, calls and deletes the session, all at once; returns the status lines of the three.
    pub(crate) fn crosses(&self, id: u64, tool: &str) -> [String; 3] {
        let of = |method| request(self.port, method, "/mcp", &self.token, &self.headers(), &Value::Null);
        let requests = [of("GET"), self.call(id, tool, &json!({})), of("DELETE")];
        let mut streams = requests.map(|request| opens(self.port, &request));
        streams.each_mut().map(|stream| head_of(stream).lines().next().unwrap_or_default().to_owned())
    }

    /// Ends the session.
    pub(crate) fn is_deleted(&self) {
        let request = request(self.port, "DELETE", "/mcp", &self.token, &self.headers(), &Value::Null);
        let head = head_of(&mut opens(self.port, &request));
        assert!(head.starts_with("HTTP/1.1 2"), "{head}");
    }

    fn headers(&self) -> String {
        format!("{ACCEPT}MCP-Protocol-Version: {LEGACY}\r\nMcp-Session-Id: {}\r\n", self.id)
    }
}

fn opens(port: u16, request: &str) -> TcpStream {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    stream.set_read_timeout(Some(TIMEOUT)).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    stream
}

fn is_answered(mut stream: TcpStream) -> TcpStream {
    head_of(&mut stream);
    stream
}

/// The status line and the headers.
fn head_of(stream: &mut TcpStream) -> String {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") {
        stream.read_exact(&mut byte).unwrap();
        head.push(byte[0]);
    }
    String::from_utf8(head).unwrap()
}
