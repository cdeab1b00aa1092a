//! Where connections come from: a socket, or the pretended network of a test.

use std::io;
use std::net::IpAddr;
use std::sync::Arc;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};

pub trait Listen: Send + 'static {
    type Connection: Connection;

    fn next(&self) -> impl Future<Output = io::Result<Self::Connection>> + Send;
}

pub trait Connection: AsyncRead + AsyncWrite + Unpin + Send + 'static {
    /// From now on each write leaves at once.
    fn hurry(&self) -> io::Result<()>;

    /// Waits for its first byte and leaves it there; 0 when it ends without one.
    fn first(&mut self) -> impl Future<Output = io::Result<usize>> + Send;

    fn peer(&self) -> Option<IpAddr>;

    /// What went wrong since it was last asked, where the kernel knows of something.
    fn trouble(&self) -> io::Result<Option<io::Error>>;
}

impl Listen for TcpListener {
    type Connection = TcpStream;

    async fn next(&self) -> io::Result<TcpStream> {
        Ok(self.accept().await?.0)
    }
}

/// A socket that one listens to after the other: who comes in between waits in its queue.
impl<L: Listen + Sync> Listen for Arc<L> {
    type Connection = L::Connection;

    async fn next(&self) -> io::Result<L::Connection> {
        L::next(self).await
    }
}

impl Connection for TcpStream {
    fn hurry(&self) -> io::Result<()> {
        self.set_nodelay(true)
    }

    async fn first(&mut self) -> io::Result<usize> {
        self.peek(&mut [0]).await
    }

    fn peer(&self) -> Option<IpAddr> {
        self.peer_addr().ok().map(|peer| peer.ip().to_canonical())
    }

    fn trouble(&self) -> io::Result<Option<io::Error>> {
        self.take_error()
    }
}
