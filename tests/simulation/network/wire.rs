//! One request over one connection: whatever goes wrong on the way, the client only knows that no answer came.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::time::timeout;
use turmoil::net::TcpStream;

use super::hub::PORT;

/// How long a connection may take to be there.
const CONNECT: Duration = Duration::from_secs(3);

const ACCEPT: &str = "Accept: application/json, text/event-stream\r\n";
const ERA: &str = "2026-07-28";

/// Through which door a client calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Door {
    Plain,
    Mcp,
}

/// A client's way to the hub.
pub(super) struct HubConnection {
    pub(super) token: String,
    pub(super) door: Door,
    calls: u64,
    /// The hosts where it may be, and which of them is asked.
    hosts: &'static [&'static str],
    at: usize,
}

/// What a call came to, when an answer came: the fields, or the code of a refusal.
pub(super) type Answer = Result<Value, String>;

struct WireResponse {
    status: u16,
    message: Value,
}

impl HubConnection {
    pub(super) fn new(token: String, door: Door, hosts: &'static [&'static str]) -> Self {
        Self { token, door, calls: 0, hosts, at: 0 }
    }

    /// Calls a tool; none when no answer came in time.
    pub(super) async fn tool(&mut self, name: &str, arguments: Value, within: Duration) -> Option<Answer> {
        match self.door {
            Door::Plain => self.plain("POST", &format!("/api/v1/tools/{name}"), "", &arguments, within).await,
            Door::Mcp => self.mcp(name, &arguments, within).await,
        }
    }

    /// Asks a route; none when no answer came in time.
    pub(super) async fn plain(
        &mut self,
        method: &str,
        path: &str,
        headers: &str,
        body: &Value,
        within: Duration,
    ) -> Option<Answer> {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let heard = self.asks(&format!("{method} {path}"), headers, &body, within).await?;
        if (200..300).contains(&heard.status) {
            return Some(Ok(heard.message));
        }
        Some(Err(code_of(&heard.message).unwrap_or_else(|| format!("status {}", heard.status))))
    }

    /// A call of the era without sessions. In the era before, the MCP library counts its signs of life by the system's
    /// clock, which on a network with a clock of its own is always behind: it would never stop to write them.
    async fn mcp(&mut self, name: &str, arguments: &Value, within: Duration) -> Option<Answer> {
        self.calls += 1;
        let about = json!({
            "io.modelcontextprotocol/protocolVersion": ERA,
            "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/clientInfo": {"name": "simulation", "version": "1"},
        });
        let params = json!({"name": name, "arguments": arguments, "_meta": about});
        let body = json!({"jsonrpc": "2.0", "id": self.calls, "method": "tools/call", "params": params}).to_string();
        let headers = format!("{ACCEPT}MCP-Protocol-Version: {ERA}\r\nMcp-Method: tools/call\r\nMcp-Name: {name}\r\n");
        let heard = self.asks("POST /mcp", &headers, &body, within).await?;
        let fields = heard.message.get("result")?.get("structuredContent")?;
        match code_of(fields) {
            Some(code) => Some(Err(code)),
            None => Some(Ok(fields.clone())),
        }
    }

    /// As a client with several addresses does: what does not answer, or stands by, is not the one to ask next.
    async fn asks(&mut self, request: &str, headers: &str, body: &str, within: Duration) -> Option<WireResponse> {
        let request = format!(
            "{request} HTTP/1.1\r\nHost: 127.0.0.1:{PORT}\r\nConnection: close\r\n\
             Authorization: Bearer {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n{headers}\r\n{body}",
            self.token,
            body.len(),
        );
        let heard = sends(self.hosts[self.at % self.hosts.len()], &request, within).await;
        if heard.as_ref().is_none_or(|heard| heard.status == 503) {
            self.at += 1;
        }
        heard
    }
}

async fn sends(host: &str, request: &str, within: Duration) -> Option<WireResponse> {
    let mut stream = timeout(CONNECT, TcpStream::connect((host, PORT))).await.ok()?.ok()?;
    stream.write_all(request.as_bytes()).await.ok()?;
    let mut bytes = Vec::new();
    timeout(within, stream.read_to_end(&mut bytes)).await.ok()?.ok()?;
    parsed(&bytes)
}

/// Reads a whole answer; none when it was cut off.
fn parsed(bytes: &[u8]) -> Option<WireResponse> {
    let text = String::from_utf8_lossy(bytes);
    let (head, rest) = text.split_once("\r\n\r\n")?;
    let status = head.split(' ').nth(1)?.parse().ok()?;
    let header = |name: &str| {
        head.lines().find_map(|line| {
            let (found, value) = line.split_once(':')?;
            found.eq_ignore_ascii_case(name).then(|| value.trim().to_owned())
        })
    };
    let body = match header("transfer-encoding") {
        Some(_) => dechunked(rest)?,
        None => {
            let length: usize = header("content-length").and_then(|length| length.parse().ok()).unwrap_or_default();
            (rest.len() >= length).then(|| rest.to_owned())?
        }
    };
    let message = if header("content-type").is_some_and(|kind| kind.starts_with("text/event-stream")) {
        let data = body.lines().filter_map(|line| line.strip_prefix("data:"));
        data.filter_map(|data| serde_json::from_str::<Value>(data).ok())
            .find(|message| message.get("result").or_else(|| message.get("error")).is_some())?
    } else {
        serde_json::from_str(&body).unwrap_or_default()
    };
    Some(WireResponse { status, message })
}

/// A body without its chunks; none when the last one is missing.
fn dechunked(mut rest: &str) -> Option<String> {
    let mut body = String::new();
    loop {
        let (size, after) = rest.split_once("\r\n")?;
        let size = usize::from_str_radix(size.trim(), 16).ok()?;
        if size == 0 {
            return Some(body);
        }
        body.push_str(after.get(..size)?);
        rest = after.get(size + 2..)?;
    }
}

fn code_of(fields: &Value) -> Option<String> {
    let code = fields.get("code").or_else(|| fields.get("error")?.get("code"))?;
    Some(code.as_str()?.to_owned())
}
