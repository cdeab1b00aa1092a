//! The connection to the hub, and how it is found again.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures_util::{SinkExt as _, StreamExt as _};
use secrecy::SecretString;
use tokio::time::{sleep, timeout};
use tokio_tungstenite::tungstenite::Message;

use super::http::HttpLink;
use super::pending_request::UNAVAILABLE;
use super::pipes::note;
use crate::client::{HubPlace, HubSocket, NoSocket};
use crate::credential::{Bearer, Credential};
use crate::domain::ids::AgentId;
use crate::domain::tool_set::ToolSets;
use crate::domain::wire::PING_EVERY;
use crate::exit::Exit;
use crate::ids::Ids;
use crate::place::{GlobalArgs, variable};
use crate::problem::Problem;

/// The first pause after a connection was lost, and the longest.
const PAUSES: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(5));

/// How long a token that was good and is refused may take to be followed by another one in its file, and how often the
/// file is looked at: who rotates it writes it down a moment after the hub has changed it.
const ROTATED_WITHIN: Duration = Duration::from_secs(5);
const LOOKS: u32 = 20;

/// How long a hub may take to hear that its client ends.
const CLOSE_WITHIN: Duration = Duration::from_millis(300);

#[derive(Debug)]
pub(super) struct Hub {
    place: HubPlace,
    credential: Credential,
    agent: AgentId,
    instance: String,
    session: Option<String>,
    /// The sets of tools that are listed, where they are chosen by name.
    tools: Option<String>,
    /// Something between lets no WebSocket pass: none is tried again.
    refused: AtomicBool,
    /// The hub let this proxy in before.
    known: AtomicBool,
}

#[derive(Debug)]
pub(super) enum Link {
    Socket(HubSocket),
    Http(HttpLink),
}

/// Why there is no connection, and none comes by trying again.
#[derive(Debug)]
pub(super) struct KeptOut {
    pub(super) problem: Problem,
    /// For who is to tell it from other reasons.
    pub(super) code: &'static str,
    /// The token that was good once and is refused now: another one may come.
    pub(super) refused: Option<SecretString>,
}

impl Hub {
    /// The hub that the flag, the environment or the data directory names.
    pub(super) fn find(globals: &GlobalArgs, agent: &AgentId, tools: Option<&ToolSets>) -> Result<Self, Problem> {
        let place = HubPlace::find(globals)?;
        let credential = Credential::of(&place, globals, Bearer::Agent(agent.clone()))?;
        let instance = format!("proxy-{}", Ids::random().request());
        let (session, refused) = (variable("CALLBOARD_SESSION_ID"), AtomicBool::new(false));
        let known = AtomicBool::new(false);
        let tools = tools.map(ToString::to_string);
        Ok(Self { place, credential, agent: agent.clone(), instance, session, tools, refused, known })
    }

    /// The name of this proxy, whatever its connection.
    pub(super) fn instance(&self) -> &str {
        &self.instance
    }

    /// A connection, however long that takes. Fails when the hub lets nobody in with this token, or is none.
    pub(super) async fn reach(&self) -> Result<Link, KeptOut> {
        let mut pause = PAUSES.0;
        let mut told = false;
        loop {
            let (tried, connected) = match self.token().await {
                Ok(token) => {
                    let connected = self.connect(&token).await;
                    (Some(token), connected)
                }
                Err(no) => (None, Err(no)),
            };
            match connected {
                Ok(link) => {
                    self.known.store(true, Ordering::Relaxed);
                    if told {
                        note("the hub is there");
                    }
                    return Ok(link);
                }
                Err(NoSocket { again: false, token_refused: true, .. }) if self.is_rotated(tried.as_ref()).await => {
                    note("the hub refuses the token, and there is another one now");
                }
                Err(NoSocket { problem, again: false, token_refused: true, .. }) => {
                    let problem = self.credential.refused(problem, &Bearer::Agent(self.agent.clone()));
                    let refused = tried.filter(|_| self.known.load(Ordering::Relaxed));
                    return Err(KeptOut { problem, code: "UNAUTHENTICATED", refused });
                }
                // Whatever else it is says by itself what to do.
                Err(NoSocket { problem, again: false, token_refused: false, .. }) => {
                    return Err(KeptOut { problem, code: UNAVAILABLE, refused: None });
                }
                Err(NoSocket { problem, again: true, .. }) => {
                    if !told {
                        note(problem.words().trim_end());
                        told = true;
                    }
                }
            }
            // No deadline of the hub's: it is not there. Many proxies that lost it together come back one by one.
            sleep(jittered(pause)).await;
            pause = (pause * 2).min(PAUSES.1);
        }
    }

    /// A connection by another token than this, as soon as there is one. The hub is not asked before. Fails
    /// as [`Self::reach`] does.
    pub(super) async fn reach_by_other(&self, refused: &SecretString) -> Result<Link, KeptOut> {
        let mut pause = PAUSES.0;
        while !self.credential.has_other(refused, &self.place) {
            sleep(pause).await;
            pause = (pause * 2).min(PAUSES.1);
        }
        note("there is another token now");
        self.reach().await
    }

    /// The token as it is now, which may be another one than before.
    async fn token(&self) -> Result<SecretString, NoSocket> {
        self.credential.token(&self.place).await.map_err(|problem| {
            let again = matches!(problem.exit(), Exit::Unreachable | Exit::Failed);
            NoSocket { problem, again, upgrades: true, token_refused: false }
        })
    }

    /// Whether there is another token than the one that was refused, or comes soon where that one was good.
    async fn is_rotated(&self, refused: Option<&SecretString>) -> bool {
        let Some(refused) = refused else { return false };
        let looks = if self.known.load(Ordering::Relaxed) { LOOKS } else { 1 };
        for look in 0..looks {
            if look > 0 {
                sleep(ROTATED_WITHIN / LOOKS).await;
            }
            if self.credential.has_other(refused, &self.place) {
                return true;
            }
        }
        false
    }

    async fn connect(&self, token: &SecretString) -> Result<Link, NoSocket> {
        let mut headers =
            vec![("callboard-agent", self.agent.as_str()), ("callboard-instance", self.instance.as_str())];
        headers.extend(self.session.as_deref().map(|session| ("callboard-session-id", session)));
        headers.extend(self.tools.as_deref().map(|tools| ("callboard-tools", tools)));
        if !self.refused.load(Ordering::Relaxed) {
            match self.place.socket(&["ws"], token, "mcp", &headers).await {
                Ok(socket) => return Ok(Link::Socket(socket)),
                Err(NoSocket { upgrades: false, .. }) => {}
                Err(no) => return Err(no),
            }
        }
        let client = self.place.client().map_err(|problem| NoSocket {
            problem,
            again: false,
            upgrades: false,
            token_refused: false,
        })?;
        client.lets_in(token, &headers).await?;
        let calls = client.calls(&["mcp"], token);
        if !self.refused.swap(true, Ordering::Relaxed) {
            note("no WebSocket is let through to the hub: each message goes by HTTP");
        }
        let headers = headers.into_iter().map(|(name, value)| (name, value.to_owned())).collect();
        Ok(Link::Http(HttpLink::new(calls, headers)))
    }
}

/// Between half of a pause and all of it.
pub(crate) fn jittered(pause: Duration) -> Duration {
    let chance = getrandom::u32().unwrap_or(u32::MAX);
    pause / 2 + (pause / 2).mul_f64(f64::from(chance) / f64::from(u32::MAX))
}

impl Link {
    /// The next message; none when the connection is lost. May be dropped and asked again.
    pub(super) async fn heard(&mut self) -> Option<String> {
        let socket = match self {
            Self::Socket(socket) => socket,
            Self::Http(link) => return link.heard().await,
        };
        // A hub that does not even ping is gone, whatever the network says.
        let silent = PING_EVERY * 2 + PING_EVERY / 4;
        loop {
            match timeout(silent, socket.next()).await.ok()?? {
                Ok(Message::Text(text)) => return Some(text.as_str().to_owned()),
                Ok(Message::Ping(_) | Message::Pong(_) | Message::Binary(_) | Message::Frame(_)) => {}
                Ok(Message::Close(_)) | Err(_) => return None,
            }
        }
    }

    /// Whether it could be said.
    pub(super) async fn say(&mut self, text: String) -> bool {
        match self {
            Self::Socket(socket) => socket.send(Message::text(text)).await.is_ok(),
            Self::Http(link) => link.say(text).await,
        }
    }

    pub(super) async fn close(self) {
        let mut socket = match self {
            Self::Socket(socket) => socket,
            Self::Http(link) => return drop(timeout(CLOSE_WITHIN, link.close()).await),
        };
        let close = async {
            socket.send(Message::Close(None)).await?;
            while let Some(Ok(_)) = socket.next().await {}
            Ok::<(), tokio_tungstenite::tungstenite::Error>(())
        };
        drop(timeout(CLOSE_WITHIN, close).await);
    }
}

#[cfg(test)]
mod tests;
