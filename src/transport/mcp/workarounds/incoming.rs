//! A message on its way to the library, over HTTP and over a socket.
//!
//! One in which a key stands twice is refused: of two values only one could be meant. The short way finds it while it
//! reads, and leaves it to this. Of the others some are rewritten (`rewritten`).

use bytes::Bytes;
use rmcp::model::{ErrorData, RequestId};
use serde::Deserialize;
use serde_json::json;

use super::super::result::error_message;
use super::rewritten::rewritten;
use crate::tools::doubled_key;

/// What is read of a message that is refused. Its id may itself stand twice: then it has none.
#[derive(Deserialize)]
struct IdOnly {
    id: RequestId,
}

/// The message as the library is to read it; none where it stays. Fails with the answer where a key stands twice.
pub(in crate::transport::mcp) fn read(text: &[u8]) -> Result<Option<Vec<u8>>, Bytes> {
    let Some(doubled) = doubled_key(text) else { return Ok(rewritten(text)) };
    let id = serde_json::from_slice::<IdOnly>(text).ok().map(|asked| asked.id);
    let data = json!({"code": "INVALID_JSON", "prompt": "Give each key once, and send it again."});
    let said = format!("the message is not JSON that can be read in one way: {doubled}");
    Err(error_message(id, ErrorData::invalid_params(said, Some(data))))
}
