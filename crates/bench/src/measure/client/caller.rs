//! One connection that calls.

use std::net::SocketAddr;

use serde_json::Value;
use tokio::time::Instant;

use super::door::Door;
use super::frames::Frames;
use super::wire::{Wire, WireResponse};
use crate::measure::error::BenchError;

/// A connection with what it needs to speak.
#[derive(Debug)]
pub(in crate::measure) struct Caller {
    line: CallTransport,
    door: Door,
    address: SocketAddr,
    token: Option<String>,
    session: Option<String>,
    last: u64,
}

/// What it speaks over.
#[derive(Debug)]
enum CallTransport {
    Http(Wire),
    Socket(Frames),
}

/// What came back.
#[derive(Debug)]
pub(in crate::measure) struct Answer {
    /// The fields of the tool, or the body of a route.
    pub(in crate::measure) fields: Value,
    /// When it was parsed.
    pub(in crate::measure) at: Instant,
    /// How many bytes of body went out and came back.
    pub(in crate::measure) bytes: (usize, usize),
}

impl Answer {
    /// A field of text; empty where there is none.
    pub(in crate::measure) fn text(&self, name: &str) -> &str {
        self.fields.get(name).and_then(Value::as_str).unwrap_or_default()
    }
}

impl Caller {
    /// Connects, and opens a session where the door has them.
    pub(in crate::measure) async fn open(
        address: SocketAddr,
        door: Door,
        token: Option<&str>,
    ) -> Result<Self, BenchError> {
        let line = match door {
            Door::Socket => Frames::open(address, token).await.map(CallTransport::Socket),
            Door::Plain | Door::Stateless | Door::Session => Wire::open(address).await.map(CallTransport::Http),
        };
        let line = line.map_err(BenchError::io(format!("connect to {address}")))?;
        let mut caller = Self { line, door, address, token: token.map(str::to_owned), session: None, last: 0 };
        if door == Door::Session {
            for (headers, body) in Door::handshake() {
                caller.write("POST", "/mcp", &headers, &body).await?;
                let heard = caller.read("initialize").await?;
                caller.session = caller.session.or(heard.session);
            }
        }
        Ok(caller)
    }

    /// Calls a tool and waits for its answer.
    pub(in crate::measure) async fn tool(&mut self, tool: &str, arguments: &Value) -> Result<Answer, BenchError> {
        let sent = self.begin(tool, arguments).await?;
        let heard = self.read(tool).await?;
        let fields = self.door.fields(&heard.message).cloned();
        match fields.filter(|fields| fields.get("success") != Some(&Value::Bool(false))) {
            Some(fields) => Ok(Answer { fields, at: heard.at, bytes: (sent, heard.bytes) }),
            None => Err(refused(tool, &heard)),
        }
    }

    /// Asks for a prompt over MCP, and waits for its answer: the whole message.
    pub(in crate::measure) async fn prompt(&mut self, name: &str) -> Result<Value, BenchError> {
        self.last += 1;
        let (headers, body) = Door::prompt(self.last, name);
        self.write("POST", "/mcp", &headers, &body).await?;
        Ok(self.read(name).await?.message)
    }

    /// Calls a tool and does not wait. The length of the body, in bytes.
    pub(in crate::measure) async fn begin(&mut self, tool: &str, arguments: &Value) -> Result<usize, BenchError> {
        self.last += 1;
        let (path, headers, body) = self.door.call(self.last, tool, arguments);
        self.write("POST", &path, &headers, &body).await?;
        Ok(body.len())
    }

    /// Waits for the answer to a tool call that was begun.
    pub(in crate::measure) async fn end(&mut self, tool: &str) -> Result<Answer, BenchError> {
        let heard = self.read(tool).await?;
        let fields = self.door.fields(&heard.message).cloned().unwrap_or_default();
        Ok(Answer { fields, at: heard.at, bytes: (0, heard.bytes) })
    }

    /// Posts to a route and does not wait.
    pub(in crate::measure) async fn begin_at(&mut self, path: &str, body: &Value) -> Result<(), BenchError> {
        self.write("POST", path, "", &body.to_string()).await
    }

    /// Posts to a route.
    pub(in crate::measure) async fn post(&mut self, path: &str, body: &Value) -> Result<Answer, BenchError> {
        self.send("POST", path, &body.to_string()).await
    }

    /// Posts a text as it is to a route.
    pub(in crate::measure) async fn post_text(&mut self, path: &str, text: &str) -> Result<Answer, BenchError> {
        self.send("POST", path, text).await
    }

    /// Gets a route.
    pub(in crate::measure) async fn get(&mut self, path: &str) -> Result<Answer, BenchError> {
        self.send("GET", path, "").await
    }

    async fn send(&mut self, method: &str, path: &str, body: &str) -> Result<Answer, BenchError> {
        self.write(method, path, "", body).await?;
        let heard = self.read(path).await?;
        Ok(Answer { fields: heard.message, at: heard.at, bytes: (body.len(), heard.bytes) })
    }

    async fn write(&mut self, method: &str, path: &str, headers: &str, body: &str) -> Result<(), BenchError> {
        let asked = BenchError::io(format!("ask `{path}`"));
        let wire = match &mut self.line {
            CallTransport::Http(wire) => wire,
            CallTransport::Socket(frames) => return frames.send(body.to_owned()).await.map_err(asked),
        };
        let mut request = format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n{headers}",
            self.address,
            body.len()
        );
        if let Some(token) = &self.token {
            request.push_str(&format!("Authorization: Bearer {token}\r\n"));
        }
        if let Some(session) = &self.session {
            request.push_str(&format!("Mcp-Session-Id: {session}\r\n"));
        }
        request.push_str("\r\n");
        request.push_str(body);
        wire.send(request.as_bytes()).await.map_err(asked)
    }

    async fn read(&mut self, asked: &str) -> Result<WireResponse, BenchError> {
        let heard = match &mut self.line {
            CallTransport::Http(wire) => wire.hear().await,
            CallTransport::Socket(frames) => frames.hear().await,
        };
        let heard = heard.map_err(BenchError::io(format!("hear of `{asked}`")))?;
        if (200..300).contains(&heard.status) { Ok(heard) } else { Err(refused(asked, &heard)) }
    }
}

fn refused(asked: &str, heard: &WireResponse) -> BenchError {
    let body = heard.message.to_string().chars().take(400).collect();
    BenchError::Answer { asked: asked.to_owned(), status: heard.status, body }
}
