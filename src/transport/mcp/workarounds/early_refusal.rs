//! What the library refuses before it knows a method, as JSON-RPC says it.

use axum::Json;
use axum::body::to_bytes;
use axum::response::{IntoResponse as _, Response};
use bytes::Bytes;
use http::request::Parts;
use http::{Method, StatusCode, header};
use serde_json::{Value, json};

/// The longest text of the library that is passed on, in bytes.
const LONGEST: usize = 4096;

/// What of a request is needed to judge its answer.
pub(in crate::transport::mcp) struct RequestHead {
    says_json: bool,
    deletes: bool,
    body: Bytes,
}

impl RequestHead {
    /// Looks at a request before it goes to the library.
    pub(in crate::transport::mcp) fn of(head: &Parts, body: Bytes) -> Self {
        let kind = head.headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let says_json = kind.trim_start().starts_with("application/json");
        Self { says_json, deletes: head.method == Method::DELETE, body }
    }

    /// The library's answer, or the same no in JSON.
    pub(in crate::transport::mcp) async fn answered(self, response: Response) -> Response {
        let status = response.status();
        if self.deletes && status == StatusCode::ACCEPTED {
            // The session is gone by now: clients take anything but 200 and 204 for a failure.
            return StatusCode::NO_CONTENT.into_response();
        }
        let kind = response.headers().get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
        let plain = kind.is_none_or(|kind| kind.starts_with("text/plain"));
        if !status.is_client_error() || !plain {
            return response;
        }
        let (mut parts, body) = response.into_parts();
        let text = to_bytes(body, LONGEST).await.unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        let broken = self.says_json && status == StatusCode::UNSUPPORTED_MEDIA_TYPE;
        let body = broken.then(|| serde_json::from_slice(&self.body));
        if broken {
            parts.status = StatusCode::BAD_REQUEST;
        }
        parts.headers.remove(header::CONTENT_LENGTH);
        parts.headers.remove(header::CONTENT_TYPE);
        let mut answer = Json(error(parts.status, body, text.trim())).into_response();
        for (name, value) in &parts.headers {
            answer.headers_mut().insert(name, value.clone());
        }
        *answer.status_mut() = parts.status;
        answer
    }
}

/// -32700 where it is no JSON, -32600 where it is no request of this protocol; `data` has our code and what to do.
/// `body` is read where the library could not read it as a message.
fn error(status: StatusCode, body: Option<serde_json::Result<Value>>, said: &str) -> Value {
    let number = if matches!(body, Some(Err(_))) { -32700 } else { -32600 };
    let (code, advice) = match (status, body) {
        (StatusCode::NOT_FOUND, _) => {
            ("SESSION_NOT_FOUND", "The session is over, or not yours: begin anew with `initialize`.")
        }
        (StatusCode::NOT_ACCEPTABLE, _) => {
            ("INVALID_REQUEST", "Send the header `Accept: application/json, text/event-stream`.")
        }
        (StatusCode::UNSUPPORTED_MEDIA_TYPE, _) => {
            ("UNSUPPORTED_MEDIA_TYPE", "Send the header `Content-Type: application/json`.")
        }
        (_, Some(Err(_))) => ("INVALID_JSON", "Send one JSON-RPC message as the body."),
        (_, Some(Ok(Value::Array(_)))) => {
            ("INVALID_REQUEST", "Send each message of the list as a body of its own: a list is not read.")
        }
        (_, Some(Ok(_))) => (
            "INVALID_REQUEST",
            "Send one JSON-RPC 2.0 message of MCP as the body: its `id` is a string or a whole number.",
        ),
        (_, None) => {
            ("INVALID_REQUEST", "Begin with `initialize`, or name the protocol 2026-07-28 in header and `_meta`.")
        }
    };
    let data = json!({"code": code, "prompt": advice});
    json!({"jsonrpc": "2.0", "id": null, "error": {"code": number, "message": said, "data": data}})
}
