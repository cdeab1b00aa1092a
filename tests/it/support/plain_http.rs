//! HTTP/1.1 in its plainest form, for tests of the real binary: one request, one connection, a JSON answer.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use serde_json::{Value, json};

use super::TIMEOUT;

/// Sends a request to `127.0.0.1:port`, and returns the status and the body (`null` when it is not JSON).
///
/// # Errors
/// When nobody listens, or the answer does not come in time.
pub(crate) fn send(port: u16, method: &str, path: &str, token: &str, body: &Value) -> std::io::Result<(u16, Value)> {
    send_with(port, method, path, token, "", body)
}

/// The same with more headers, each ended by a line break.
///
/// # Errors
/// When nobody listens, or the answer does not come in time.
pub(crate) fn send_with(
    port: u16,
    method: &str,
    path: &str,
    token: &str,
    headers: &str,
    body: &Value,
) -> std::io::Result<(u16, Value)> {
    exchange(port, &request(port, method, path, token, &format!("Accept: application/json\r\n{headers}"), body))
}

/// Calls a tool by MCP of 2026-07-28, where each request stands alone; returns the status and the tool's own fields.
///
/// # Errors
/// When nobody listens, or the answer does not come in time.
pub(crate) fn call_by_mcp(port: u16, token: &str, tool: &str, arguments: &Value) -> std::io::Result<(u16, Value)> {
    let (status, mut answer) = exchange(port, &call_of_mcp(port, token, tool, arguments))?;
    let fields = answer.pointer_mut("/result/structuredContent").map(Value::take);
    Ok((status, fields.unwrap_or(answer)))
}

/// The same call as it goes over the wire.
pub(crate) fn call_of_mcp(port: u16, token: &str, tool: &str, arguments: &Value) -> String {
    let headers = format!(
        "Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2026-07-28\r\n\
         Mcp-Method: tools/call\r\nMcp-Name: {tool}\r\n"
    );
    let about = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": { "name": "tests", "version": "1" },
    });
    let params = json!({ "name": tool, "arguments": arguments, "_meta": about });
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
    request(port, "POST", "/mcp", token, &headers, &body)
}

/// A request as it goes over the wire.
pub(crate) fn request(port: u16, method: &str, path: &str, token: &str, headers: &str, body: &Value) -> String {
    let body = if body.is_null() { String::new() } else { body.to_string() };
    format!(
        "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\n\
         Content-Type: application/json\r\n{headers}Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len(),
    )
}

/// Asks again where the hub says that it was asked too often: tests that wait for something ask in a loop.
fn exchange(port: u16, request: &str) -> std::io::Result<(u16, Value)> {
    loop {
        let mut stream = TcpStream::connect(("127.0.0.1", port))?;
        stream.write_all(request.as_bytes())?;
        let (status, said) = hear(&mut stream)?;
        if said["code"] != "RATE_LIMITED" {
            return Ok((status, said));
        }
        super::pause(200);
    }
}

/// The status line and the headers of an answer.
///
/// # Errors
/// When nobody listens, or the answer does not come in time.
pub(crate) fn heads(port: u16, request: &str) -> std::io::Result<String> {
    let mut stream = TcpStream::connect(("127.0.0.1", port))?;
    stream.set_read_timeout(Some(TIMEOUT))?;
    stream.write_all(request.as_bytes())?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer)?;
    let answer = String::from_utf8_lossy(&answer);
    Ok(answer.split_once("\r\n\r\n").map_or(answer.as_ref(), |(head, _)| head).to_owned())
}

/// Whether an answer of known length is all there.
pub(crate) fn is_whole(answer: &str) -> bool {
    let Some((head, body)) = answer.split_once("\r\n\r\n") else { return false };
    let lengths =
        head.lines().filter_map(|line| line.to_lowercase().strip_prefix("content-length: ").map(str::to_owned));
    lengths.filter_map(|length| length.parse().ok()).any(|length: usize| body.len() >= length)
}

/// Reads an answer to the end of its connection.
///
/// # Errors
/// When it does not come in time.
pub(crate) fn hear(stream: &mut TcpStream) -> std::io::Result<(u16, Value)> {
    stream.set_read_timeout(Some(TIMEOUT))?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer)?;
    let answer = String::from_utf8_lossy(&answer);
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
    let status = head.split_whitespace().nth(1).and_then(|code| code.parse().ok()).unwrap_or(0);
    let body = if head.contains("transfer-encoding: chunked") { whole(body) } else { body.to_owned() };
    let json = body.find(['{', '[']).map(|start| &body[start..]).unwrap_or_default();
    let json = serde_json::Deserializer::from_str(json).into_iter().next();
    Ok((status, json.and_then(Result::ok).unwrap_or(Value::Null)))
}

/// The chunks of a body put together, as far as they came.
fn whole(mut chunks: &str) -> String {
    let mut body = String::new();
    while let Some((size, rest)) = chunks.split_once("\r\n") {
        let size = usize::from_str_radix(size.trim(), 16).unwrap_or(0);
        let Some(chunk) = rest.get(..size).filter(|chunk| !chunk.is_empty()) else { break };
        body.push_str(chunk);
        chunks = rest[size..].trim_start_matches("\r\n");
    }
    body
}

#[test]
fn chunks_are_put_together_as_far_as_they_came() {
    assert_eq!(whole("3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"), "abcde");
    assert_eq!(whole("3\r\nabc\r\n9\r\nde"), "abc");
}

/// POSTs a JSON body with these headers, each ended by a line break, and no credential: as a forge delivers a webhook.
/// The status, and the answer.
pub(crate) fn deliver(port: u16, path: &str, headers: &str, body: &str) -> (u16, Value) {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    stream.set_read_timeout(Some(TIMEOUT)).unwrap();
    let request = format!(
        "POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n{headers}\
         Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len(),
    );
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let status = answer.split(' ').nth(1).unwrap().parse().unwrap();
    let body = answer.split_once("\r\n\r\n").map_or("", |(_, body)| body);
    (status, serde_json::from_str(body).unwrap_or(Value::Null))
}
