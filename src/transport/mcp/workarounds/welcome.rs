//! What the library's answer to `initialize` has no field for: `capabilities.tasks` of the eras before 2026-07-28.
//! There `tasks/get`, `tasks/result` and `tasks/cancel` answer for runs of workflows; no call of a tool becomes a task.

use axum::response::Response;
use bytes::Bytes;
use serde_json::{Value, json};

use super::priming;

/// The response to `initialize`, with the capability in its message.
pub(in crate::transport::mcp) fn announced(response: Response) -> Response {
    priming::framed(response, |frame| Some(event(&frame).unwrap_or(frame)))
}

/// A message as an event, or as it is; none where nothing is to be added.
fn event(frame: &[u8]) -> Option<Bytes> {
    let text = std::str::from_utf8(frame).ok()?;
    if text.starts_with('{') {
        return message(text).map(Bytes::from);
    }
    let data = text.lines().find_map(|line| line.strip_prefix("data:")).map(str::trim)?;
    Some(text.replacen(data, &message(data)?, 1).into())
}

/// The message with the capability; none where it is no answer to `initialize`.
pub(in crate::transport::mcp) fn message(text: &str) -> Option<String> {
    let mut message: Value = serde_json::from_str(text).ok()?;
    message.pointer_mut("/result/capabilities")?.as_object_mut()?.insert("tasks".to_owned(), json!({"cancel": {}}));
    Some(message.to_string())
}
