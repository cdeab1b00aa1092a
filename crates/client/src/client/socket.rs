//! A WebSocket to the hub, over the same HTTP client: its certificates, its proxies and its rules hold for both. Where
//! the hub is on this machine there are none of these, and a proxy does without that client, which is much of what a
//! process that only waits would hold in memory.

use std::fmt::Debug;
use std::time::Duration;

use http::HeaderValue;
use reqwest::header::{CONNECTION, SEC_WEBSOCKET_KEY, SEC_WEBSOCKET_PROTOCOL, SEC_WEBSOCKET_VERSION, UPGRADE};
use reqwest::{Method, StatusCode};
use secrecy::{ExposeSecret as _, SecretString};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::tungstenite::handshake::client::generate_key;
use tokio_tungstenite::tungstenite::protocol::{Role, WebSocketConfig};

use super::find::{HubClient, HubPlace, below};
use super::refusal::{Unheard, refused_at_the_door};
use crate::problem::Problem;

/// How long a hub may take to let somebody in.
pub(super) const TIMEOUT: Duration = Duration::from_secs(10);

/// The largest message of a hub, in bytes: an answer has each of its texts twice, and more around them.
const LARGEST: usize = 64 * 1024 * 1024;

/// What a reader holds while nothing comes, in bytes.
const READ_BUFFER: usize = 4 * 1024;

pub type HubSocket = WebSocketStream<Box<dyn Wire>>;

/// What a WebSocket goes over.
pub trait Wire: AsyncRead + AsyncWrite + Send + Unpin + Debug {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin + Debug> Wire for T {}

/// Why there is none.
#[derive(Debug)]
pub struct NoSocket {
    pub problem: Problem,
    /// Whether to try again makes sense.
    pub again: bool,
    /// Whether a WebSocket can come of it at all: not where something between knows none, or takes the wish for one out
    /// of the request.
    pub upgrades: bool,
    /// Whether it is the token that is refused, so that another one may help.
    pub token_refused: bool,
}

/// The answers of what knows no WebSockets: of the hub itself, which was not asked for one by what reached it; of
/// servers that have no such route or method; of those that want another protocol; and any success that is no upgrade.
const fn knows_no_sockets(status: u16) -> bool {
    matches!(status, 200..=299 | 400 | 404 | 405 | 426 | 501)
}

/// Where to, as whom, by which protocol, and with what else.
type Hello<'a> = (&'a [&'a str], &'a SecretString, &'a str, &'a [(&'static str, &'a str)]);

impl HubPlace {
    /// Opens a WebSocket as whom `token` names, to the first node that does not send elsewhere.
    pub async fn socket(
        &self,
        path: &[&str],
        token: &SecretString,
        protocol: &str,
        headers: &[(&'static str, &str)],
    ) -> Result<HubSocket, NoSocket> {
        let asked = (path, token, protocol, headers);
        self.nodes.each(async || self.one_socket(asked).await, |no| no.again).await
    }

    async fn one_socket(&self, asked: Hello<'_>) -> Result<HubSocket, NoSocket> {
        if self.nodes.now().scheme() == "http" {
            let opened = timeout(TIMEOUT, self.plain_socket(asked)).await;
            match opened {
                Ok(Ok(socket)) => return Ok(socket),
                Ok(Err(tungstenite::Error::Io(error))) => return Err(self.lost(Unheard::from(error))),
                // What it says instead is asked for, and read, below.
                Ok(Err(_)) => {}
                Err(_) => return Err(self.lost(Unheard::Lost("it did not answer in time".to_owned()))),
            }
        }
        let no_client = |problem| NoSocket { problem, again: false, upgrades: true, token_refused: false };
        self.client().map_err(no_client)?.one_socket(asked).await
    }

    async fn plain_socket(&self, (path, token, protocol, headers): Hello<'_>) -> Result<HubSocket, tungstenite::Error> {
        let url = below(self.nodes.now(), path);
        let mut request = format!("ws{}", url.as_str().trim_start_matches("http")).into_client_request()?;
        let authorization = format!("Bearer {}", token.expose_secret());
        let known = [("authorization", authorization.as_str()), ("sec-websocket-protocol", protocol)];
        for (name, value) in known.iter().chain(headers) {
            request.headers_mut().insert(*name, HeaderValue::from_str(value)?);
        }
        let port = url.port_or_known_default().unwrap_or_default();
        let stream = TcpStream::connect((url.host_str().unwrap_or_default().trim_matches(['[', ']']), port)).await?;
        stream.set_nodelay(true)?;
        let wire: Box<dyn Wire> = Box::new(stream);
        Ok(tokio_tungstenite::client_async_with_config(request, wire, Some(config())).await?.0)
    }

    fn lost(&self, unheard: Unheard) -> NoSocket {
        let address = self.nodes.now().as_str().trim_end_matches('/');
        NoSocket { problem: unheard.problem(address), again: true, upgrades: true, token_refused: false }
    }
}

impl HubClient {
    /// The token that it was found with, as it is now.
    pub fn token(&self) -> SecretString {
        self.token.now()
    }

    async fn one_socket(&self, (path, token, protocol, headers): Hello<'_>) -> Result<HubSocket, NoSocket> {
        let lost = |unheard: Unheard| {
            let problem = unheard.problem(self.address());
            NoSocket { problem, again: true, upgrades: true, token_refused: false }
        };
        let url = self.url_of(path, &[]);
        let mut request = self.carrier(&url).request(Method::GET, url).bearer_auth(token.expose_secret());
        let handshake = [
            (CONNECTION, "Upgrade".to_owned()),
            (UPGRADE, "websocket".to_owned()),
            (SEC_WEBSOCKET_VERSION, "13".to_owned()),
            (SEC_WEBSOCKET_KEY, generate_key()),
            (SEC_WEBSOCKET_PROTOCOL, protocol.to_owned()),
        ];
        for (name, value) in handshake {
            request = request.header(name, value);
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let opened = async {
            let response = request.send().await?;
            let status = response.status();
            if status == StatusCode::SWITCHING_PROTOCOLS {
                return Ok(Ok(response.upgrade().await?));
            }
            Ok(Err((status.as_u16(), response.text().await?)))
        };
        let opened = timeout(TIMEOUT, opened).await;
        let opened = opened.map_err(|_| lost(Unheard::Lost("it did not answer in time".to_owned())))?;
        match opened.map_err(|error: reqwest::Error| lost(Unheard::from(error)))? {
            Ok(upgraded) => {
                let wire: Box<dyn Wire> = Box::new(upgraded);
                Ok(WebSocketStream::from_raw_socket(wire, Role::Client, Some(config())).await)
            }
            Err((status, text)) => {
                let again = matches!(status, 429 | 500..);
                let upgrades = !knows_no_sockets(status);
                let (problem, token_refused) = refused_at_the_door(status, &text, self.address());
                Err(NoSocket { problem, again, upgrades, token_refused })
            }
        }
    }
}

fn config() -> WebSocketConfig {
    WebSocketConfig::default()
        .read_buffer_size(READ_BUFFER)
        .write_buffer_size(0)
        .max_message_size(Some(LARGEST))
        .max_frame_size(Some(LARGEST))
}
