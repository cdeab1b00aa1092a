//! What a request must be to become a socket. Who may ask at all, the guard has said before: host, origin, credential
//! and rate are the same as for every request, and a socket without a credential never exists.

use axum::extract::ws::WebSocketUpgrade;
use axum::extract::{FromRequestParts as _, Request};
use axum::response::Response;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use super::socket::Socket;
use super::upgrade_slot::UpgradeSlot;
use crate::transport::web::{ApiError, ApiResult};

/// What a socket's reader holds while nothing comes, in bytes: a request of an agent fits, a larger one grows it.
const READ_BUFFER: usize = 2 * 1024;

/// Makes the connection of `request` a socket that speaks `protocol` in messages of at most `largest` bytes; `talk`
/// goes on with it, until the hub goes down and beyond that for a moment.
///
/// Fails with `INVALID_REQUEST` when this is no upgrade, or does not offer the protocol.
pub async fn upgrade<F>(
    request: Request,
    protocol: &'static str,
    largest: usize,
    talk: impl FnOnce(Socket, CancellationToken) -> F + Send + 'static,
) -> ApiResult<Response>
where
    F: Future<Output = ()> + Send + 'static,
{
    let (mut parts, _) = request.into_parts();
    let upgrade_slot = parts.extensions.remove::<UpgradeSlot>();
    let asked = WebSocketUpgrade::from_request_parts(&mut parts, &()).await;
    let asked = asked.map_err(|rejection| {
        ApiError::new("INVALID_REQUEST", format!("this route is for WebSockets: {}", rejection.body_text()))
            .advise("Connect with a WebSocket client, or use MCP over Streamable HTTP at /mcp.")
    })?;
    let upgrade_slot =
        upgrade_slot.ok_or_else(|| ApiError::new("UNAVAILABLE", "this connection cannot become a WebSocket"))?;
    let asked = asked
        .read_buffer_size(READ_BUFFER)
        .write_buffer_size(0)
        .max_frame_size(largest)
        .max_message_size(largest)
        .protocols([protocol]);
    if asked.selected_protocol().is_none() {
        let message = format!("the header `Sec-WebSocket-Protocol` must offer `{protocol}`");
        return Err(ApiError::new("INVALID_REQUEST", message)
            .advise(&format!("Offer the subprotocol `{protocol}` when you connect.")));
    }
    let (became, socket) = oneshot::channel();
    let end = upgrade_slot.end();
    upgrade_slot.leave(async move {
        // Without a socket the connection broke before it became one.
        if let Ok(socket) = socket.await {
            talk(Socket::new(socket, largest), end).await;
        }
    });
    Ok(asked.on_upgrade(|socket| async move { drop(became.send(socket)) }))
}
