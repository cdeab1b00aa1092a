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
mod tests {
    use super::*;

    async fn read(pieces: Vec<Vec<u8>>) -> Vec<Result<Sse, sse_stream::Error>> {
        let body = reqwest::Body::wrap_stream(stream::iter(pieces.into_iter().map(Ok::<_, io::Error>)));
        events(http::Response::new(body).into()).collect().await
    }

    #[tokio::test]
    async fn an_event_is_complete_at_the_empty_line_wherever_the_bytes_were_cut() {
        let whole = b": still here\r\n\r\nid: 7\nevent: task.created\ndata: a\r\ndata: b\n\nid: 8\n".as_slice();
        for cut in 0..whole.len() {
            let events = read(vec![whole[..cut].to_vec(), whole[cut..].to_vec()]).await;
            let events: Vec<Sse> = events.into_iter().map(Result::unwrap).collect();
            assert_eq!(events, [Sse::default().id("7").event("task.created").data("a\nb")], "cut at {cut}");
        }
    }

    #[tokio::test]
    async fn a_line_without_end_breaks_off() {
        let half = || vec![b'x'; LONGEST_LINE / 2 + 1];
        let events = read(vec![b"data: ".to_vec(), half(), half()]).await;
        assert!(matches!(&events[..], [Err(_)]), "{events:?}");
    }
}
