//! HTTP/1.1 in its plainest form, for tests of the real binary: one request, one connection, a JSON answer.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::Value;

/// How long an answer may take; a test that needs longer waits for what never comes.
const PATIENCE: Duration = Duration::from_secs(20);

/// Sends a request to `127.0.0.1:port`, and returns the status and the body (`null` when it is not JSON).
///
/// # Errors
/// When nobody listens, or the answer does not come in time.
pub(crate) fn send(port: u16, method: &str, path: &str, token: &str, body: &Value) -> std::io::Result<(u16, Value)> {
    let mut stream = TcpStream::connect(("127.0.0.1", port))?;
    stream.set_read_timeout(Some(PATIENCE))?;
    let body = if body.is_null() { String::new() } else { body.to_string() };
    write!(
        stream,
        "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\n\
         Content-Type: application/json\r\nAccept: application/json\r\nContent-Length: {}\r\n\
         Connection: close\r\n\r\n{body}",
        body.len(),
    )?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer)?;
    let answer = String::from_utf8_lossy(&answer);
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
    let status = head.split_whitespace().nth(1).and_then(|code| code.parse().ok()).unwrap_or(0);
    let json = body.find(['{', '[']).map(|start| &body[start..]).unwrap_or_default();
    let json = serde_json::Deserializer::from_str(json).into_iter().next();
    Ok((status, json.and_then(Result::ok).unwrap_or(Value::Null)))
}
