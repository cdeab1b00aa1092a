//! One connection of a host: its messages in their order, and what it is told.

use std::future::poll_fn;
use std::time::Duration;

use axum::extract::ws::Utf8Bytes;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::actors::HubRef;
use crate::actors::on_call::{ConnectionLost, HostCaller, HostConnection, HostMeans};
use crate::domain::on_call::{FromHost, Hello, Numbered, ToHost};
use crate::transport::web::Pass;
use crate::transport::ws::{Ending, Socket, SocketEvent};

/// How long a host may take to say who it is, or to end once it was refused.
const INTRODUCTION: Duration = Duration::from_secs(5);

pub(super) struct Talk {
    pub(super) hub: HubRef,
    pub(super) caller: HostCaller,
    pub(super) pass: Pass,
    pub(super) means: HostMeans,
}

impl Talk {
    /// Goes on until either side ends it.
    pub(super) async fn goes_on(self, mut socket: Socket, end: CancellationToken) {
        let good = self.pass.ended();
        let ending = tokio::select! {
            ending = self.talk(&mut socket) => ending,
            () = good => Ending::Revoked,
            () = end.cancelled_owned() => Ending::GoingDown,
        };
        tracing::debug!("the WebSocket of a host of agents on call ends: {ending:?}");
        socket.end(&ending).await;
    }

    async fn talk(self, socket: &mut Socket) -> Ending {
        let Some(hello) = introduction(socket).await else { return Ending::Silent };
        let (host, prefix) = (hello.host.clone(), hello.prefix.clone());
        let mut connection = match HostConnection::open(self.hub, self.caller, hello, self.means).await {
            Ok((connection, welcome)) => {
                say(socket, &welcome);
                connection
            }
            Err(refused) => {
                if let ToHost::Refused { code, .. } = &refused {
                    tracing::debug!("a host of agents on call is refused: {code}");
                }
                say(socket, &refused);
                // It ends the connection itself, once it has read why.
                let ends = async { while !matches!(hear(socket).await, SocketEvent::Ended(_)) {} };
                drop(timeout(INTRODUCTION, ends).await);
                return Ending::Closed;
            }
        };
        tracing::info!("host `{host}` is connected: agents `{prefix}-N` are on call");
        loop {
            let told = tokio::select! {
                heard = hear(socket) => match heard {
                    SocketEvent::Text(text) => heeds(&mut connection, &text).await,
                    SocketEvent::Bytes(_) => return Ending::Binary,
                    SocketEvent::Read(_) | SocketEvent::Alive => Ok(Vec::new()),
                    SocketEvent::Ended(ending) => return ending,
                },
                wake = connection.wakes() => connection.acts(wake).await,
            };
            match told {
                Ok(told) => told.iter().for_each(|message| say(socket, message)),
                Err(ConnectionLost::Replaced) => return Ending::Closed,
                Err(lost @ ConnectionLost::Fault(_)) => {
                    tracing::warn!("the connection of host `{host}` ends: {lost}");
                    return Ending::GoingDown;
                }
            }
        }
    }
}

async fn introduction(socket: &mut Socket) -> Option<Hello> {
    let SocketEvent::Text(text) = timeout(INTRODUCTION, hear(socket)).await.ok()? else { return None };
    match serde_json::from_str(&text) {
        Ok(Numbered { message: FromHost::Hello(hello), .. }) => Some(hello),
        Ok(_) => None,
        Err(error) => {
            let code = "INVALID_ARGUMENTS".to_owned();
            let error = format!("the first message of a host is no `hello`: {error}");
            let prompt = Some("Start the host with the hub's own program.".to_owned());
            say(socket, &ToHost::Refused { code, error, prompt });
            None
        }
    }
}

/// One message. A newer host may say more than this hub knows: what is not understood is answered, and nothing more.
async fn heeds(connection: &mut HostConnection, text: &str) -> Result<Vec<ToHost>, ConnectionLost> {
    match serde_json::from_str::<Numbered>(text) {
        Ok(said) => Ok(vec![connection.hears(said).await?]),
        Err(error) => {
            tracing::debug!("a message of a host is not understood: {error}");
            let number = serde_json::from_str::<serde_json::Value>(text).ok().and_then(|said| said["number"].as_u64());
            Ok(number.map(|number| ToHost::Kept { number, waits: false }).into_iter().collect())
        }
    }
}

async fn hear(socket: &mut Socket) -> SocketEvent {
    poll_fn(|cx| socket.poll_heard(cx, true)).await
}

fn say(socket: &mut Socket, message: &ToHost) {
    // Messages are made of texts and numbers, which JSON can always hold.
    if let Ok(text) = serde_json::to_string(message) {
        socket.say(Utf8Bytes::from(text), None);
    }
}
