//! The events of an answer as they come, within two limits that the library that reads them has not: how long the
//! stream may be silent, and how long a line may be.

use std::io;
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::stream::{self, BoxStream};
use reqwest::Response;
use sse_stream::{Sse, SseStream};
use tokio::time::timeout;

/// How long a stream may be silent: the hub sends a comment every ten seconds.
const SILENCE: Duration = Duration::from_secs(45);

/// The longest line that is read, in bytes. The hub's longest is an answer of a tool.
const LONGEST_LINE: usize = 16 * 1024 * 1024;

/// Server-sent events. The stream ends with the answer, or with an error when it breaks off.
pub(super) type SseEvents = BoxStream<'static, Result<Sse, sse_stream::Error>>;

/// The events of this answer.
pub fn events(response: Response) -> SseEvents {
    let pieces = stream::try_unfold((response, 0), |(mut response, begun)| async move {
        let piece = timeout(SILENCE, response.chunk()).await.map_err(io::Error::from)?.map_err(io::Error::other)?;
        piece.map(|piece| unended(begun, &piece).map(|begun| (piece, (response, begun)))).transpose()
    });
    SseStream::from_bytes_stream(pieces).boxed()
}

/// How many bytes of a line have come whose end has not, after this piece.
fn unended(begun: usize, piece: &[u8]) -> io::Result<usize> {
    let behind = memchr::memrchr(b'\n', piece).map_or(begun + piece.len(), |end| piece.len() - end - 1);
    let is_too_long = behind > LONGEST_LINE;
    if is_too_long { Err(io::Error::new(io::ErrorKind::InvalidData, "a line has no end")) } else { Ok(behind) }
}

#[cfg(test)]
mod tests;
