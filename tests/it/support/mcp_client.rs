//! A client of MCP that asks, and hears what it is told without asking, on each way in.

use std::collections::VecDeque;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;

use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::{Message, WebSocket};

use super::hub_process::HubProcess;
use super::plain_http::request;
use super::{TIMEOUT, web_socket};

/// A way in, and the era that is spoken on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum McpTransport {
    /// Streamable HTTP of 2026-07-28, where each request stands alone.
    Http,
    /// Streamable HTTP with a session.
    Session,
    /// A WebSocket of 2026-07-28.
    Socket,
    /// A WebSocket with a handshake.
    OldSocket,
}

impl McpTransport {
    /// All of them.
    pub(crate) const ALL: [Self; 4] = [Self::Http, Self::Session, Self::Socket, Self::OldSocket];

    /// Whether each request says by itself who asks.
    pub(crate) const fn is_modern(self) -> bool {
        matches!(self, Self::Http | Self::Socket)
    }
}

pub(crate) struct McpClient {
    port: u16,
    token: String,
    way: McpTransport,
    abilities: Value,
    last: u64,
    session: Option<String>,
    socket: Option<WebSocket<TcpStream>>,
    told: VecDeque<Value>,
    hears: Receiver<Value>,
    tells: Sender<Value>,
}

impl McpClient {
    /// Comes in by `way`, and shakes hands where one does.
    pub(crate) fn comes(hub: &HubProcess, token: &str, way: McpTransport) -> Self {
        Self::able(hub, token, way, json!({}))
    }

    /// The same of a client that says what it is able to do.
    pub(crate) fn able(hub: &HubProcess, token: &str, way: McpTransport, abilities: Value) -> Self {
        let (tells, hears) = mpsc::channel();
        let port = hub.port();
        let socket = matches!(way, McpTransport::Socket | McpTransport::OldSocket)
            .then(|| web_socket::opens(port, "/ws", "mcp", token));
        let (told, token) = (VecDeque::new(), token.to_owned());
        let mut client = Self { port, token, way, abilities, last: 0, session: None, socket, told, hears, tells };
        if !way.is_modern() {
            client.shakes_hands();
        }
        client
    }

    /// Asks, and returns the whole answer: `{result}` or `{error}`, without its id.
    pub(crate) fn asks(&mut self, method: &str, params: Value) -> Value {
        let id = self.begins(method, params);
        self.answer_to(id)
    }

    /// The whole answer to what was asked under this id.
    pub(crate) fn answer_to(&mut self, id: u64) -> Value {
        let mut answer = self.until(|said| said["id"] == id);
        answer.as_object_mut().expect("an object").remove("id");
        answer
    }

    /// Asks, and does not wait for an answer; the request's id.
    pub(crate) fn begins(&mut self, method: &str, mut params: Value) -> u64 {
        self.last += 1;
        if self.way.is_modern() {
            params["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!("2026-07-28");
            params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = self.abilities.clone();
        }
        let id = self.last;
        self.sends(method, &json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        id
    }

    /// The next of what it is told that is a notification of this method.
    pub(crate) fn is_told(&mut self, method: &str) -> Value {
        self.until(|said| said["method"] == method)["params"].take()
    }

    fn until(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        if let Some(at) = self.told.iter().position(&wanted) {
            return self.told.remove(at).expect("it is there");
        }
        loop {
            let said = match &mut self.socket {
                None => self.hears.recv_timeout(TIMEOUT).expect("it is said in time"),
                Some(socket) => match socket.read().expect("it is said in time") {
                    Message::Text(text) => serde_json::from_str(&text).expect("JSON"),
                    Message::Ping(_) | Message::Pong(_) => continue,
                    other @ (Message::Binary(_) | Message::Close(_) | Message::Frame(_)) => panic!("said {other}"),
                },
            };
            if wanted(&said) {
                return said;
            }
            self.told.push_back(said);
        }
    }

    fn sends(&mut self, method: &str, message: &Value) {
        if let Some(socket) = &mut self.socket {
            return socket.send(Message::text(message.to_string())).expect("the socket is open");
        }
        let version = if self.way.is_modern() { "2026-07-28" } else { "2025-11-25" };
        let mut headers = format!("Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: {version}\r\n");
        if let Some(session) = &self.session {
            headers.push_str(&format!("Mcp-Session-Id: {session}\r\n"));
        }
        if self.way.is_modern() {
            headers.push_str(&format!("Mcp-Method: {method}\r\n"));
            let params = &message["params"];
            if let Some(name) = ["name", "uri", "taskId"].iter().find_map(|field| params[*field].as_str()) {
                headers.push_str(&format!("Mcp-Name: {name}\r\n"));
            }
        }
        self.opens(&request(self.port, "POST", "/mcp", &self.token, &headers, message));
    }

    /// Sends it, and hears whatever comes back, for as long as something does; the head of the answer.
    fn opens(&self, request: &str) -> String {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(TIMEOUT)).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut reader = BufReader::new(stream);
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            assert!(reader.read_line(&mut head).unwrap() > 0, "no head: {head}");
        }
        let (tells, in_chunks) = (self.tells.clone(), head.contains("transfer-encoding: chunked"));
        thread::spawn(move || hears(reader, in_chunks, &tells));
        head
    }

    fn shakes_hands(&mut self) {
        let about = json!({"name": "tests", "version": "1"});
        let params = json!({"protocolVersion": "2025-11-25", "capabilities": self.abilities, "clientInfo": about});
        let hello = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params});
        let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        if self.socket.is_some() {
            self.sends("initialize", &hello);
            self.until(|said| said["id"] == 0);
            return self.sends("notifications/initialized", &ready);
        }
        let accept = "Accept: application/json, text/event-stream\r\n";
        let head = self.opens(&request(self.port, "POST", "/mcp", &self.token, accept, &hello));
        let id = head.lines().find_map(|line| line.to_lowercase().strip_prefix("mcp-session-id: ").map(str::to_owned));
        self.until(|said| said["id"] == 0);
        self.session = Some(id.expect("a session"));
        self.sends("notifications/initialized", &ready);
        let headers = format!(
            "Accept: text/event-stream\r\nMCP-Protocol-Version: 2025-11-25\r\nMcp-Session-Id: {}\r\n",
            self.session.as_deref().unwrap_or_default()
        );
        self.opens(&request(self.port, "GET", "/mcp", &self.token, &headers, &Value::Null));
    }
}

/// Reads a body for as long as it goes on. A message is one line: of an event stream, or the whole of the text.
fn hears(mut reader: BufReader<TcpStream>, in_chunks: bool, tells: &Sender<Value>) {
    let mut body = Vec::new();
    let mut goes_on = true;
    while goes_on {
        goes_on =
            if in_chunks { chunk(&mut reader, &mut body) } else { reader.read_to_end(&mut body).is_ok_and(|_| false) };
        while let Some(end) = body.iter().position(|byte| *byte == b'\n').or((!goes_on).then_some(body.len())) {
            let line: Vec<u8> = body.drain(..(end + 1).min(body.len())).collect();
            if line.is_empty() {
                break;
            }
            let line = String::from_utf8(line).expect("text");
            let said = line.strip_prefix("data:").unwrap_or(&line).trim();
            if let Some(said) = said.starts_with('{').then(|| serde_json::from_str(said).expect("JSON")) {
                let _ = tells.send(said);
            }
        }
    }
}

/// Reads one chunk behind what was read; whether there may be another.
fn chunk(reader: &mut BufReader<TcpStream>, body: &mut Vec<u8>) -> bool {
    let mut size = String::new();
    let size = reader.read_line(&mut size).ok().and_then(|_| usize::from_str_radix(size.trim(), 16).ok()).unwrap_or(0);
    let mut chunk = vec![0; size + 2];
    if size == 0 || reader.read_exact(&mut chunk).is_err() {
        return false;
    }
    body.extend_from_slice(&chunk[..size]);
    true
}
