//! MCP over a WebSocket, as an agent would speak it: one message in each text frame, read as it comes.

use std::io;
use std::net::SocketAddr;

use futures_util::{SinkExt as _, StreamExt as _};
use http::Request;
use tokio::net::TcpStream;
use tokio::time::Instant;
use tokio_tungstenite::tungstenite::handshake::client::generate_key;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{WebSocketStream, client_async};

use super::wire::WireResponse;

#[derive(Debug)]
pub(super) struct Frames(Box<WebSocketStream<TcpStream>>);

impl Frames {
    /// Connects, with a token.
    pub(super) async fn open(address: SocketAddr, token: Option<&str>) -> io::Result<Self> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        let request = Request::get(format!("ws://{address}/ws"))
            .header("host", address.to_string())
            .header("authorization", format!("Bearer {}", token.unwrap_or_default()))
            .header("connection", "Upgrade")
            .header("upgrade", "websocket")
            .header("sec-websocket-version", "13")
            .header("sec-websocket-key", generate_key())
            .header("sec-websocket-protocol", "mcp")
            .body(())
            .map_err(io::Error::other)?;
        let (socket, _) = client_async(request, stream).await.map_err(broken)?;
        Ok(Self(Box::new(socket)))
    }

    /// Sends a message.
    pub(super) async fn send(&mut self, message: String) -> io::Result<()> {
        self.0.send(Message::text(message)).await.map_err(broken)
    }

    /// The next message.
    pub(super) async fn hear(&mut self) -> io::Result<WireResponse> {
        loop {
            match self.0.next().await {
                Some(Ok(Message::Text(text))) => {
                    let message = serde_json::from_str(&text).map_err(io::Error::other)?;
                    return Ok(WireResponse {
                        status: 200,
                        session: None,
                        message,
                        at: Instant::now(),
                        bytes: text.len(),
                    });
                }
                Some(Ok(Message::Ping(_) | Message::Pong(_) | Message::Binary(_) | Message::Frame(_))) => {}
                Some(Ok(Message::Close(_))) | None => return Err(io::ErrorKind::UnexpectedEof.into()),
                Some(Err(error)) => return Err(broken(error)),
            }
        }
    }
}

fn broken(error: Error) -> io::Error {
    io::Error::other(error)
}
