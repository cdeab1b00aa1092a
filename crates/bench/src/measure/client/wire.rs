//! HTTP/1.1 over one connection: a request goes out as it is, an answer comes back parsed.
//!
//! An answer counts as heard when its message is parsed: at the end of a JSON body, and in an event stream with the
//! event that holds it, whatever may follow. The rest of the stream is read before the next request.

use std::io;
use std::net::SocketAddr;

use futures_util::FutureExt as _;
use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::Instant;

#[derive(Debug)]
pub(super) struct Wire {
    address: SocketAddr,
    stream: TcpStream,
    unread: Vec<u8>,
    from: usize,
}

#[derive(Debug)]
pub(super) struct WireResponse {
    pub(super) status: u16,
    /// `Mcp-Session-Id`.
    pub(super) session: Option<String>,
    /// Its message; null where there is none.
    pub(super) message: Value,
    /// When the message was parsed.
    pub(super) at: Instant,
    /// The length of its body, in bytes.
    pub(super) bytes: usize,
}

#[derive(Debug, Default)]
struct Head {
    status: u16,
    length: usize,
    chunked: bool,
    events: bool,
    session: Option<String>,
}

impl Wire {
    pub(super) async fn open(address: SocketAddr) -> io::Result<Self> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        Ok(Self { address, stream, unread: Vec::new(), from: 0 })
    }

    /// Writes a request; over a new connection where the server closed this one, as it does with one that is silent for
    /// long: on a busy machine others may take that time to get ready.
    pub(super) async fn send(&mut self, request: &[u8]) -> io::Result<()> {
        if !matches!(self.stream.peek(&mut [0]).now_or_never(), None | Some(Ok(1..))) {
            *self = Self::open(self.address).await?;
        }
        self.stream.write_all(request).await
    }

    /// Reads one answer to its end.
    pub(super) async fn hear(&mut self) -> io::Result<WireResponse> {
        let head = self.head().await?;
        let mut body = Vec::with_capacity(head.length);
        let mut early = None;
        if head.chunked {
            while self.chunk(&mut body).await? {
                if head.events && early.is_none() {
                    early = message_in(&body).map(|message| (message, Instant::now()));
                }
            }
        } else {
            self.take(head.length, &mut body).await?;
        }
        let (message, at) = match early {
            Some(early) => early,
            None => {
                let message = if head.events { message_in(&body) } else { serde_json::from_slice(&body).ok() };
                (message.unwrap_or_default(), Instant::now())
            }
        };
        Ok(WireResponse { status: head.status, session: head.session, message, at, bytes: body.len() })
    }

    /// Reads how an answer begins that goes on for ever; its status.
    pub(super) async fn begins(&mut self) -> io::Result<u16> {
        Ok(self.head().await?.status)
    }

    async fn head(&mut self) -> io::Result<Head> {
        let mut head = Head::default();
        let first = self.line().await?;
        head.status = first.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or_default();
        loop {
            let line = self.line().await?;
            let Some((name, value)) = line.split_once(':') else { return Ok(head) };
            let value = value.trim();
            match name.to_ascii_lowercase().as_str() {
                "content-length" => head.length = value.parse().unwrap_or_default(),
                "transfer-encoding" => head.chunked = value.eq_ignore_ascii_case("chunked"),
                "content-type" => head.events = value.starts_with("text/event-stream"),
                "mcp-session-id" => head.session = Some(value.to_owned()),
                _ => {}
            }
        }
    }

    /// The next piece of a chunked body; false at its end.
    pub(super) async fn chunk(&mut self, body: &mut Vec<u8>) -> io::Result<bool> {
        let line = self.line().await?;
        let size = usize::from_str_radix(line.trim(), 16).map_err(|_| broken("a chunk has no size"))?;
        self.take(size, body).await?;
        self.line().await?;
        Ok(size > 0)
    }

    async fn take(&mut self, mut count: usize, into: &mut Vec<u8>) -> io::Result<()> {
        while count > 0 {
            if self.from == self.unread.len() {
                self.more().await?;
            }
            let size = count.min(self.unread.len() - self.from);
            into.extend_from_slice(&self.unread[self.from..self.from + size]);
            self.from += size;
            count -= size;
        }
        Ok(())
    }

    async fn line(&mut self) -> io::Result<String> {
        loop {
            if let Some(length) = self.unread[self.from..].iter().position(|byte| *byte == b'\n') {
                let line = &self.unread[self.from..self.from + length];
                let line = String::from_utf8_lossy(line.strip_suffix(b"\r").unwrap_or(line)).into_owned();
                self.from += length + 1;
                return Ok(line);
            }
            self.more().await?;
        }
    }

    async fn more(&mut self) -> io::Result<()> {
        self.unread.drain(..self.from);
        self.from = 0;
        if self.stream.read_buf(&mut self.unread).await? == 0 {
            return Err(broken("the server closed the connection"));
        }
        Ok(())
    }
}

/// The first whole event that answers a request.
fn message_in(stream: &[u8]) -> Option<Value> {
    let whole = &stream[..=stream.iter().rposition(|byte| *byte == b'\n')?];
    whole
        .split(|byte| *byte == b'\n')
        .filter_map(|line| line.strip_prefix(b"data:"))
        .filter_map(|data| serde_json::from_slice::<Value>(data).ok())
        .find(|message| message.get("result").or_else(|| message.get("error")).is_some())
}

fn broken(what: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

#[cfg(test)]
mod tests {
    use tokio::net::TcpListener;

    use super::*;

    async fn heard(answer: &'static [u8]) -> WireResponse {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let mut wire = Wire::open(listener.local_addr().unwrap()).await.unwrap();
        let (mut server, _) = listener.accept().await.unwrap();
        server.write_all(answer).await.unwrap();
        wire.hear().await.unwrap()
    }

    #[tokio::test]
    async fn a_connection_that_the_server_closed_is_replaced() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let mut wire = Wire::open(listener.local_addr().unwrap()).await.unwrap();
        drop(listener.accept().await.unwrap());
        wire.stream.readable().await.unwrap();
        wire.send(b"GET / HTTP/1.1\r\n\r\n").await.unwrap();
        let again = tokio::time::timeout(std::time::Duration::from_secs(5), listener.accept()).await;
        let (mut server, _) = again.expect("it connects once more").unwrap();
        server.write_all(b"HTTP/1.1 204 No Content\r\n\r\n").await.unwrap();
        assert_eq!(wire.hear().await.unwrap().status, 204);
    }

    #[tokio::test]
    async fn a_body_of_known_length_is_heard_whole() {
        let heard = heard(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{\"a\": 1} ").await;
        assert_eq!((heard.status, heard.message["a"].as_i64(), heard.bytes), (200, Some(1), 9));
    }

    #[tokio::test]
    async fn an_event_stream_is_heard_at_the_event_that_answers() {
        let heard = heard(
            b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\
              Mcp-Session-Id: s\r\n\r\n\
              b\r\n: waiting\n\n\r\n7\r\ndata: \n\r\n14\r\ndata: {\"result\":1}\n\n\r\n0\r\n\r\n",
        )
        .await;
        assert_eq!((heard.session.as_deref(), heard.message["result"].as_i64()), (Some("s"), Some(1)));
    }
}
