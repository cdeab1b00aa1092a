//! MCP over a WebSocket in its plainest form, for requests that stay open: one socket each.

use std::net::TcpStream;

use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::http::Request;
use tokio_tungstenite::tungstenite::{Message, WebSocket, client, handshake::client::generate_key};

use super::TIMEOUT;

/// A socket at that path, by that subprotocol, of whoever has the token.
pub(crate) fn opens(port: u16, path: &str, protocol: &str, token: &str) -> WebSocket<TcpStream> {
    let stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    stream.set_read_timeout(Some(TIMEOUT)).unwrap();
    let host = format!("127.0.0.1:{port}");
    let request = Request::get(format!("ws://{host}{path}"))
        .header("host", host)
        .header("authorization", format!("Bearer {token}"))
        .header("connection", "Upgrade")
        .header("upgrade", "websocket")
        .header("sec-websocket-version", "13")
        .header("sec-websocket-key", generate_key())
        .header("sec-websocket-protocol", protocol);
    client(request.body(()).unwrap(), stream).expect("a socket").0
}

/// Begins a tool call of 2026-07-28, as request 1 of a socket of its own.
pub(crate) fn begins(port: u16, token: &str, tool: &str, arguments: &Value) -> WebSocket<TcpStream> {
    let mut socket = opens(port, "/ws", "mcp", token);
    let about = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let params = json!({"name": tool, "arguments": arguments, "_meta": about});
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
    socket.send(Message::text(call.to_string())).unwrap();
    socket
}

/// The tool's own fields in the answer to that call.
pub(crate) fn hears(socket: &mut WebSocket<TcpStream>) -> Value {
    loop {
        let message = socket.read().expect("an answer");
        // Whatever else comes is a ping, which the library answers.
        let Message::Text(text) = message else { continue };
        let mut answer: Value = serde_json::from_str(&text).unwrap();
        if answer["id"] == 1 {
            return answer["result"]["structuredContent"].take();
        }
    }
}
