//! A WebSocket to the hub, over the same HTTP client: its certificates, its proxies and its rules hold for both.

use std::time::Duration;

use reqwest::header::{CONNECTION, SEC_WEBSOCKET_KEY, SEC_WEBSOCKET_PROTOCOL, SEC_WEBSOCKET_VERSION, UPGRADE};
use reqwest::{Method, StatusCode, Upgraded};
use secrecy::{ExposeSecret as _, SecretString};
use tokio::time::timeout;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::handshake::client::generate_key;
use tokio_tungstenite::tungstenite::protocol::{Role, WebSocketConfig};

use super::find::HubClient;
use super::refusal::{Unheard, refused};
use crate::cli::problem::Problem;

/// How long a hub may take to let somebody in.
pub(super) const PATIENCE: Duration = Duration::from_secs(10);

/// The largest message of a hub, in bytes: an answer has each of its texts twice, and more around them.
const LARGEST: usize = 64 * 1024 * 1024;

/// What a reader holds while nothing comes, in bytes.
const READ_BUFFER: usize = 4 * 1024;

/// A WebSocket.
pub(in crate::cli) type HubSocket = WebSocketStream<Upgraded>;

/// Why there is none.
#[derive(Debug)]
pub(in crate::cli) struct NoSocket {
    /// In words.
    pub(in crate::cli) problem: Problem,
    /// Whether to try again makes sense.
    pub(in crate::cli) again: bool,
    /// Whether a WebSocket can come of it at all: not where something between knows none, or takes the wish for one out
    /// of the request.
    pub(in crate::cli) upgrades: bool,
}

/// The answers of what knows no WebSockets: of the hub itself, which was not asked for one by what reached it; of
/// servers that have no such route or method; of those that want another protocol; and any success that is no upgrade.
const fn knows_no_sockets(status: u16) -> bool {
    matches!(status, 200..=299 | 400 | 404 | 405 | 426 | 501)
}

impl HubClient {
    /// The token that it was found with.
    pub(in crate::cli) const fn token(&self) -> &SecretString {
        &self.token
    }

    /// Opens a WebSocket as whom `token` names.
    pub(in crate::cli) async fn socket(
        &self,
        path: &[&str],
        token: &SecretString,
        protocol: &str,
        headers: &[(&'static str, &str)],
    ) -> Result<HubSocket, NoSocket> {
        let lost =
            |unheard: Unheard| NoSocket { problem: unheard.problem(self.address()), again: true, upgrades: true };
        let mut request = self.http.request(Method::GET, self.url_of(path, &[])).bearer_auth(token.expose_secret());
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
        let opened = timeout(PATIENCE, opened).await;
        let opened = opened.map_err(|_| lost(Unheard::Lost("it did not answer in time".to_owned())))?;
        match opened.map_err(|error: reqwest::Error| lost(Unheard::from(error)))? {
            Ok(upgraded) => {
                let config = WebSocketConfig::default()
                    .read_buffer_size(READ_BUFFER)
                    .write_buffer_size(0)
                    .max_message_size(Some(LARGEST))
                    .max_frame_size(Some(LARGEST));
                Ok(WebSocketStream::from_raw_socket(upgraded, Role::Client, Some(config)).await)
            }
            Err((status, text)) => {
                let again = matches!(status, 429 | 500..);
                let upgrades = !knows_no_sockets(status);
                Err(NoSocket { problem: refused(status, &text, self.address()), again, upgrades })
            }
        }
    }
}
