//! The gateway: one connection, resumed where that goes, never in a hurry.
//!
//! ```text
//!   connecting ──► identifying or resuming ──► ready ──► lost (closed, silent, refused) ──pause──► connecting
//!                                                  ├──► the token is refused (4004) ──growing pause──► connecting
//!                                                  └──► stopped: an intent is refused (4013, 4014)
//! ```
//!
//! Deadlines: a session begins within two minutes of being asked for, and three heartbeats without any event end a
//! connection. A pause grows while connections end within a minute
//! (`domain::discord::reconnect_pause`), and no more than 900 identifications are made within 24 hours.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use futures_util::{FutureExt as _, StreamExt as _};
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::json;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, sleep_until, timeout};
use twilight_gateway::error::ReceiveMessageErrorType;
use twilight_gateway::{CloseFrame, ConfigBuilder, Message, Session, Shard, ShardId};

use super::ear::{Ear, remember};
use super::event::GatewayEvent;
use super::intents::{Turnstile, intents, take_identify};
use super::memory::{Shared, token_pause};
use super::pending::Pending;
use crate::actors::service::{Look, Service};
use crate::clock::Clock;
use crate::domain::discord::{IDENTIFIES_A_DAY, reconnect_pause};
use crate::domain::text::with_causes;
use crate::ids::Ids;
use crate::settings::DiscordSettings;

/// How long to wait for a connection and its HELLO, which says how often the heart beats.
const HELLO_WITHIN: Duration = Duration::from_secs(30);
/// How long to wait for READY or RESUMED behind HELLO, while heartbeats are answered. After an outage of Discord
/// sessions begin late: 30 s was seen.
const READY_WITHIN: Duration = Duration::from_secs(120);
/// How it stands while the token is refused by either interface.
const TOKEN_REFUSED: &str = "the token is refused";

#[derive(Debug)]
pub struct Gateway {
    pub token: Arc<SecretString>,
    pub settings: DiscordSettings,
    pub shared: Shared,
    pub door: Pending<GatewayEvent>,
    pub clock: Clock,
    pub ids: Ids,
}

impl Service for Gateway {
    fn run(&self) -> BoxFuture<'static, String> {
        let connection = Connection {
            token: Arc::clone(&self.token),
            settings: self.settings.clone(),
            shared: self.shared.clone(),
            ear: Ear::new(self.shared.clone(), self.door.clone(), self.clock.clone()),
            clock: self.clock.clone(),
            ids: self.ids.clone(),
            silence: HELLO_WITHIN,
        };
        connection.keep().boxed()
    }

    fn look(&self) -> Look {
        let (health, memory) = (self.shared.health.borrow(), self.shared.memory.borrow());
        let now = self.clock.now();
        let age = |at: crate::domain::time::Timestamp| now.since(at).as_secs();
        let detail = json!({
            "ready": health.ready,
            "lastEventAgeSeconds": health.last_event.map(age),
            "sessionAgeSeconds": health.session_since.map(age),
            "identifies24h": memory.identifies.count(now),
            "identifyBudget": IDENTIFIES_A_DAY,
            "lastError": health.last_error,
        });
        // The connection goes on under a token that the other interface refuses.
        let refused = health.refused.filter(|_| health.ready);
        let state = refused.map_or_else(|| health.state.clone(), |_| TOKEN_REFUSED.to_owned());
        Look { state, detail, errors: Vec::new() }
    }
}

enum End {
    Lost(String),
    /// The token was refused: it is tried again after a growing pause.
    Refused(String),
    /// It is of no use to try again before somebody changed something.
    Stopped(String),
}

struct Connection {
    token: Arc<SecretString>,
    settings: DiscordSettings,
    shared: Shared,
    ear: Ear,
    clock: Clock,
    ids: Ids,
    silence: Duration,
}

impl Connection {
    async fn keep(mut self) -> String {
        let (mut ended_at_once, mut refused) = (0, 0);
        loop {
            let began = Instant::now();
            let why = match self.connect().await {
                End::Lost(why) => why,
                // One that was refused by mistake, or in an outage of Discord, is taken again later.
                End::Refused(why) => {
                    if refused == 0 {
                        tracing::error!("{why}");
                    }
                    self.shared.failed(why);
                    self.shared.stands(TOKEN_REFUSED, false);
                    sleep(token_pause(refused)).await;
                    refused += 1;
                    continue;
                }
                End::Stopped(why) => {
                    tracing::error!("{why}");
                    self.shared.health.send_modify(|health| health.last_error = Some(why.clone()));
                    self.shared.stands("stopped", false);
                    return std::future::pending().await;
                }
            };
            refused = 0;
            let (after, pause) = reconnect_pause(ended_at_once, began.elapsed(), self.ids.chance());
            ended_at_once = after;
            tracing::warn!("the connection to Discord was lost: {why}; it is tried again in {pause:?}");
            self.shared.failed(why);
            self.shared.stands("connecting", false);
            sleep(pause).await;
        }
    }

    async fn connect(&mut self) -> End {
        let (wishes, mut wished) = mpsc::unbounded_channel::<oneshot::Sender<()>>();
        let mut shard = self.shard(Turnstile(wishes));
        let mut turns = JoinSet::new();
        self.silence = HELLO_WITHIN;
        let mut ready_until = Instant::now() + READY_WITHIN;
        let end = loop {
            let is_ready = self.shared.health.borrow().ready;
            tokio::select! {
                () = sleep_until(ready_until), if !is_ready => {
                    break End::Lost(format!("no session began within {READY_WITHIN:?}"));
                }
                item = timeout(self.silence, shard.next()) => match item {
                    Err(_) => break End::Lost(format!("nothing was heard for {:?}", self.silence)),
                    Ok(None) => break End::Lost("it was closed for good".to_owned()),
                    Ok(Some(Err(error))) => {
                        let text = with_causes(&error);
                        if !matches!(error.kind(), ReceiveMessageErrorType::Deserializing { .. }) {
                            break End::Lost(text);
                        }
                        // One event that cannot be read is no reason to hang up.
                        self.shared.failed(text);
                    }
                    Ok(Some(Ok(Message::Close(frame)))) => break closed(frame),
                    Ok(Some(Ok(Message::Text(text)))) => self.heard(&text, &shard),
                },
                Some(go) = wished.recv() => match take_identify(&self.shared, &self.clock) {
                    Ok(pause) => {
                        ready_until = Instant::now() + pause + READY_WITHIN;
                        drop(turns.spawn(async move {
                            sleep(pause).await;
                            let _ = go.send(());
                        }));
                    }
                    Err(pause) => {
                        let why = format!("{IDENTIFIES_A_DAY} identifications within 24 hours: Discord would reset \
                                           the token after 1000; the next one is in {pause:?}");
                        tracing::error!("{why}");
                        self.shared.failed(why);
                        self.shared.stands("waits for its budget", false);
                        sleep(pause).await;
                        break End::Lost("its budget was spent".to_owned());
                    }
                },
            }
        };
        self.remember(&shard);
        end
    }

    fn shard(&self, turnstile: Turnstile) -> Shard<Turnstile> {
        let token = self.token.expose_secret().to_owned();
        let mut config = ConfigBuilder::new(token, intents(&self.settings)).queue(turnstile);
        if let Some(url) = &self.settings.gateway_url {
            config = config.proxy_url(url.trim_end_matches('/').to_owned());
        }
        let memory = self.shared.memory.borrow();
        if let Some((id, sequence)) = &memory.session {
            config = config.session(Session::new(*sequence, id.clone()));
            // The library takes no address that is none.
            if let Some(url) = memory.resume_url.as_ref().filter(|url| http::Uri::try_from(url.as_str()).is_ok()) {
                config = config.resume_url(url.trim_end_matches('/').to_owned());
            }
        }
        Shard::with_config(ShardId::ONE, config.build())
    }

    /// What a restart goes on from.
    fn remember(&self, shard: &Shard<Turnstile>) {
        let (session, url) = left_off(shard);
        self.shared.memory.send_if_modified(|memory| remember(memory, session, url));
    }

    /// One payload of the connection.
    fn heard(&mut self, text: &str, shard: &Shard<Turnstile>) {
        let (session, url) = left_off(shard);
        if let Some(silence) = self.ear.hears(text, session, url) {
            self.silence = silence;
        }
    }
}

/// The session, with the number of its last event, and where it is resumed.
fn left_off(shard: &Shard<Turnstile>) -> (Option<(String, u64)>, Option<String>) {
    let session = shard.session().map(|session| (session.id().to_owned(), session.sequence()));
    (session, shard.resume_url().map(str::to_owned))
}

fn closed(frame: Option<CloseFrame<'_>>) -> End {
    let Some(frame) = frame else { return End::Lost("it was closed without a reason".to_owned()) };
    match frame.code {
        4004 => End::Refused(
            "Discord refuses the token (4004): it is tried again with growing pauses, and until then nobody is heard; \
             if it was reset, give the new one by DISCORD_TOKEN, and restart the hub; agents go on working without \
             Discord"
                .to_owned(),
        ),
        4014 => End::Stopped(
            "Discord refuses an intent (4014): switch on \"Message Content Intent\" in the developer portal under Bot, \
             Privileged Gateway Intents, or set `discord.messageContent: false`; then restart the hub. Without it \
             `/task`, replies and mentions of the bot carry text"
                .to_owned(),
        ),
        code @ (4010..=4013) => {
            End::Stopped(format!("Discord refuses how the hub connects ({code} {}): restart it", frame.reason))
        }
        code => End::Lost(format!("{code} {}", frame.reason)),
    }
}

#[cfg(test)]
mod tests;
