//! A message in which a key stands twice is refused before anything reads it: of two values only one could be meant,
//! and the library would take the last without a word. The short way finds it while it reads, and leaves it to this.

use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::response::{IntoResponse as _, Response};
use bytes::Bytes;
use http::{Method, StatusCode, header};
use rmcp::model::{ErrorData, RequestId};
use serde::Deserialize;
use serde_json::json;

use super::parked::error_message;
use super::rewritten::rewritten;
use crate::tools::doubled_key;

/// What is read of a message that is refused. Its id may itself stand twice: then it has none.
#[derive(Deserialize)]
struct IdOnly {
    id: RequestId,
}

/// Passes a request whose message can be read in one way, as the library is to read it. Also says whether that
/// is a list.
///
/// # Errors
/// The answer to any other.
pub(super) async fn passes(request: Request) -> Result<(Request, bool), Response> {
    if request.method() != Method::POST {
        return Ok((request, false));
    }
    let (mut head, body) = request.into_parts();
    // The guard holds it to its size and its pace, and has its own word on both.
    let Ok(bytes) = to_bytes(body, usize::MAX).await else {
        return Err((StatusCode::BAD_REQUEST, "the body did not come whole").into_response());
    };
    match refused(&bytes) {
        Some(no) => Err(([(header::CONTENT_TYPE, "application/json")], no).into_response()),
        None => {
            let lists = bytes.trim_ascii_start().starts_with(b"[");
            let Some(rewritten) = rewritten(&bytes) else {
                return Ok((Request::from_parts(head, Body::from(bytes)), lists));
            };
            head.headers.remove(header::CONTENT_LENGTH);
            Ok((Request::from_parts(head, Body::from(rewritten)), lists))
        }
    }
}

/// The no to a message in which a key stands twice; none to any other, nor to what is no JSON.
pub(super) fn refused(text: &[u8]) -> Option<Bytes> {
    let doubled = doubled_key(text)?;
    let id = serde_json::from_slice::<IdOnly>(text).ok().map(|asked| asked.id);
    let data = json!({"code": "INVALID_JSON", "prompt": "Give each key once, and send it again."});
    let said = format!("the message is not JSON that can be read in one way: {doubled}");
    Some(error_message(id, ErrorData::invalid_params(said, Some(data))))
}
