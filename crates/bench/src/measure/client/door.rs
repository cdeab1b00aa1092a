//! How a tool call is written at each door, and where its fields stand in the answer.

use std::fmt;

use serde_json::{Value, json};

/// By which door.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::measure) enum Door {
    /// `POST /api/v1/tools/NAME`.
    Plain,
    /// MCP of 2026-07-28, where each request stands alone.
    Stateless,
    /// MCP before that, in a session.
    Session,
    /// MCP of 2026-07-28 over a WebSocket.
    Socket,
}

impl Door {
    /// Path, headers and body of a tool call.
    pub(super) fn call(self, id: u64, tool: &str, arguments: &Value) -> (String, String, String) {
        match self {
            Self::Plain => (format!("/api/v1/tools/{tool}"), String::new(), arguments.to_string()),
            Self::Stateless | Self::Socket => {
                let params = json!({"name": tool, "arguments": arguments, "_meta": about()});
                ("/mcp".to_owned(), stateless("tools/call", tool), rpc(Some(id), "tools/call", &params))
            }
            Self::Session => {
                let params = json!({"name": tool, "arguments": arguments});
                ("/mcp".to_owned(), session_headers(), rpc(Some(id), "tools/call", &params))
            }
        }
    }

    /// Headers and body of a request for a prompt, where each request stands alone.
    pub(super) fn prompt(id: u64, name: &str) -> (String, String) {
        let params = json!({"name": name, "_meta": about()});
        (stateless("prompts/get", name), rpc(Some(id), "prompts/get", &params))
    }

    /// The fields that the tool answered with.
    pub(super) fn fields(self, message: &Value) -> Option<&Value> {
        match self {
            Self::Plain => Some(message),
            Self::Stateless | Self::Session | Self::Socket => {
                let result = message.get("result")?;
                // A bare server answers in text alone.
                Some(result.get("structuredContent").unwrap_or(result))
            }
        }
    }

    /// The two requests that open a session: headers and body.
    pub(super) fn handshake() -> [(String, String); 2] {
        let hello = json!({
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": NAME, "version": "1"},
        });
        [
            (ACCEPT.to_owned(), rpc(Some(0), "initialize", &hello)),
            (session_headers(), rpc(None, "notifications/initialized", &json!({}))),
        ]
    }
}

impl fmt::Display for Door {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Plain => "http",
            Self::Stateless => "mcp",
            Self::Session => "mcp session",
            Self::Socket => "mcp websocket",
        })
    }
}

/// The client's name: one of `clients.yaml`, so that its waits are long.
const NAME: &str = "callboard-bench";

const ACCEPT: &str = "Accept: application/json, text/event-stream\r\n";

fn stateless(method: &str, name: &str) -> String {
    format!("{ACCEPT}MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: {method}\r\nMcp-Name: {name}\r\n")
}

fn about() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": NAME, "version": "1"},
    })
}

fn session_headers() -> String {
    format!("{ACCEPT}MCP-Protocol-Version: 2025-11-25\r\n")
}

fn rpc(id: Option<u64>, method: &str, params: &Value) -> String {
    let mut message = json!({"jsonrpc": "2.0", "method": method, "params": params});
    if let Some(id) = id {
        message["id"] = json!(id);
    }
    message.to_string()
}
