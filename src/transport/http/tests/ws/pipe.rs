//! Connections without a network, so that time can be stopped: two ends of a pipe.

use std::io;
use std::net::IpAddr;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, DuplexStream, ReadBuf, duplex};
use tokio::sync::mpsc;

use crate::transport::http::{Connection, Listen};

/// What a kernel would keep of what nobody reads, in bytes.
const KERNEL: usize = 64 * 1024;

/// Where clients connect.
#[derive(Debug, Clone)]
pub(super) struct Dials(mpsc::UnboundedSender<Piped>);

/// Where they come out.
#[derive(Debug)]
#[expect(clippy::disallowed_types, reason = "the loop asks by shared reference, and nobody else asks")]
pub(super) struct Pipes(tokio::sync::Mutex<mpsc::UnboundedReceiver<Piped>>);

/// One end, at the hub.
#[derive(Debug)]
pub(super) struct Piped {
    stream: DuplexStream,
    first: Option<u8>,
}

/// A place to connect to.
#[expect(clippy::disallowed_types, reason = "see `Pipes`")]
pub(super) fn network() -> (Dials, Pipes) {
    let (dials, pipes) = mpsc::unbounded_channel();
    (Dials(dials), Pipes(tokio::sync::Mutex::new(pipes)))
}

impl Dials {
    /// A client's end.
    pub(super) fn dial(&self) -> DuplexStream {
        let (here, there) = duplex(KERNEL);
        self.0.send(Piped { stream: there, first: None }).expect("somebody serves");
        here
    }
}

impl Listen for Pipes {
    type Connection = Piped;

    async fn next(&self) -> io::Result<Piped> {
        match self.0.lock().await.recv().await {
            Some(piped) => Ok(piped),
            None => std::future::pending().await,
        }
    }
}

impl Connection for Piped {
    fn hurry(&self) -> io::Result<()> {
        Ok(())
    }

    async fn first(&mut self) -> io::Result<usize> {
        let mut byte = [0];
        let read = self.stream.read(&mut byte).await?;
        self.first = (read == 1).then_some(byte[0]);
        Ok(read)
    }

    fn peer(&self) -> Option<IpAddr> {
        None
    }

    fn trouble(&self) -> io::Result<Option<io::Error>> {
        Ok(None)
    }
}

impl AsyncRead for Piped {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        if let Some(byte) = self.first.take() {
            buffer.put_slice(&[byte]);
            return Poll::Ready(Ok(()));
        }
        Pin::new(&mut self.stream).poll_read(cx, buffer)
    }
}

impl AsyncWrite for Piped {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
