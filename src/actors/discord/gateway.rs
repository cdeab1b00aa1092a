//! The gateway: one connection, resumed where that goes, never in a hurry.
//!
//! ```text
//!   connecting ──► identifying or resuming ──► ready ──► lost (closed, silent, refused) ──pause──► connecting
//!                                                  └──► stopped: the token or an intent is refused (4004, 4013, 4014)
//! ```
//!
//! Deadlines: three heartbeats without any event end a connection. A pause grows while connections end within a minute
//! (`domain::discord::reconnect_pause`), and no more than 900 identifications are made within 24 hours.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use futures_util::{FutureExt as _, StreamExt as _};
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::{Value, json};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout};
use twilight_gateway::error::ReceiveMessageErrorType;
use twilight_gateway::{CloseFrame, ConfigBuilder, Message, Session, Shard, ShardId};

use super::intents::{Turnstile, intents, take_identify};
use super::memory::{Guild, Memory, Shared};
use super::pending::Pending;
use crate::actors::service::{Look, Service};
use crate::clock::Clock;
use crate::domain::discord::{IDENTIFIES_A_DAY, reconnect_pause};
use crate::ids::Ids;
use crate::settings::DiscordSettings;

/// How long to wait for HELLO, and for any event before HELLO said how often the heart beats.
const HELLO_WITHIN: Duration = Duration::from_secs(140);

/// What the gateway tells the door.
#[derive(Debug, Clone)]
pub enum GatewayEvent {
    /// A session began: what was said before it must be read.
    Began,
    /// Something happened: the name of the event, and what came with it.
    Happened(String, Value),
}

/// The service.
#[derive(Debug)]
pub struct Gateway {
    /// The bot's token.
    pub token: Arc<SecretString>,
    /// `hub.yaml: discord`.
    pub settings: DiscordSettings,
    /// What is remembered.
    pub shared: Shared,
    /// Where events go.
    pub door: Pending<GatewayEvent>,
    /// The hub's clock.
    pub clock: Clock,
    /// The hub's chance.
    pub ids: Ids,
}

impl Service for Gateway {
    fn run(&self) -> BoxFuture<'static, String> {
        let connection = Connection {
            token: Arc::clone(&self.token),
            settings: self.settings.clone(),
            shared: self.shared.clone(),
            door: self.door.clone(),
            clock: self.clock,
            ids: self.ids.clone(),
            silence: HELLO_WITHIN,
            first: true,
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
        Look { state: health.state.clone(), detail, errors: Vec::new() }
    }
}

/// How a connection ended.
enum End {
    /// It was lost, and is tried again.
    Lost(String),
    /// It is of no use to try again before somebody changed something.
    Stopped(String),
}

struct Connection {
    token: Arc<SecretString>,
    settings: DiscordSettings,
    shared: Shared,
    door: Pending<GatewayEvent>,
    clock: Clock,
    ids: Ids,
    /// How long nothing may be heard.
    silence: Duration,
    /// No session began or was resumed yet.
    first: bool,
}

impl Connection {
    /// Keeps a connection until the hub ends.
    async fn keep(mut self) -> String {
        let mut ended_at_once = 0;
        loop {
            let began = Instant::now();
            let why = match self.connect().await {
                End::Lost(why) => why,
                End::Stopped(why) => {
                    tracing::error!("{why}");
                    self.shared.health.send_modify(|health| health.last_error = Some(why.clone()));
                    self.stands("stopped", false);
                    return std::future::pending().await;
                }
            };
            let (after, pause) = reconnect_pause(ended_at_once, began.elapsed(), self.ids.chance());
            ended_at_once = after;
            tracing::warn!("the connection to Discord was lost: {why}; it is tried again in {pause:?}");
            self.shared.failed(why);
            self.stands("connecting", false);
            sleep(pause).await;
        }
    }

    /// One connection, from its beginning to its end.
    async fn connect(&mut self) -> End {
        let (wishes, mut wished) = mpsc::unbounded_channel::<oneshot::Sender<()>>();
        let mut shard = self.shard(Turnstile(wishes));
        let mut turns = JoinSet::new();
        self.silence = HELLO_WITHIN;
        let end = loop {
            tokio::select! {
                item = timeout(self.silence, shard.next()) => match item {
                    Err(_) => break End::Lost(format!("nothing was heard for {:?}", self.silence)),
                    Ok(None) => break End::Lost("it was closed for good".to_owned()),
                    Ok(Some(Err(error))) => {
                        let text = error.to_string();
                        if !matches!(error.kind(), ReceiveMessageErrorType::Deserializing { .. }) {
                            break End::Lost(text);
                        }
                        // One event that cannot be read is no reason to hang up.
                        self.shared.failed(text);
                    }
                    Ok(Some(Ok(Message::Close(frame)))) => break closed(frame),
                    Ok(Some(Ok(Message::Text(text)))) => self.heard(&text, &shard),
                },
                Some(go) = wished.recv() => match take_identify(&self.shared, self.clock) {
                    Ok(pause) => drop(turns.spawn(async move {
                        sleep(pause).await;
                        let _ = go.send(());
                    })),
                    Err(pause) => {
                        let why = format!("{IDENTIFIES_A_DAY} identifications within 24 hours: Discord would reset \
                                           the token after 1000; the next one is in {pause:?}");
                        tracing::error!("{why}");
                        self.shared.failed(why);
                        self.stands("waits for its budget", false);
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
        let session = shard.session().map(|session| (session.id().to_owned(), session.sequence()));
        let url = shard.resume_url().map(str::to_owned);
        self.shared.memory.send_if_modified(|memory| {
            let changed = memory.session != session || memory.resume_url != url;
            (memory.session, memory.resume_url) = (session, url);
            changed
        });
    }

    /// One event of the connection.
    fn heard(&mut self, text: &str, shard: &Shard<Turnstile>) {
        let now = self.clock.now();
        self.shared.health.send_modify(|health| health.last_event = Some(now));
        let Ok(mut event) = serde_json::from_str::<Value>(text) else { return };
        if let Some(beat) = event.pointer("/d/heartbeat_interval").and_then(Value::as_u64) {
            self.silence = Duration::from_millis(beat.saturating_mul(3).max(1_000));
        }
        let Some(name) = event.get("t").and_then(Value::as_str).map(str::to_owned) else { return };
        let data = event.get_mut("d").map(Value::take).unwrap_or_default();
        let (ready, resumed) = (name == "READY", name == "RESUMED");
        if ready || resumed {
            tracing::info!("connected to Discord{}", if resumed { ", where it was left" } else { "" });
            self.shared.health.send_modify(|health| {
                health.session_since = if ready { Some(now) } else { health.session_since.or(Some(now)) };
            });
            self.stands("ready", true);
        }
        self.shared.memory.send_if_modified(|memory| learn(memory, &name, &data));
        self.remember(shard);
        // What this process resumes, the one before may have heard and not done.
        if ready || (resumed && std::mem::take(&mut self.first)) {
            self.first = false;
            self.door.put(GatewayEvent::Began);
        }
        self.door.put(GatewayEvent::Happened(name, data));
    }

    fn stands(&self, state: &str, ready: bool) {
        self.shared.health.send_modify(|health| (health.state, health.ready) = (state.to_owned(), ready));
    }
}

/// What a close means.
fn closed(frame: Option<CloseFrame<'_>>) -> End {
    let Some(frame) = frame else { return End::Lost("it was closed without a reason".to_owned()) };
    match frame.code {
        4004 => End::Stopped(
            "Discord refuses the token (4004): reset it in the developer portal under Bot, give the new one by \
             DISCORD_TOKEN, and restart the hub; agents go on working without Discord"
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

/// Names, and who the hub is. Whether anything is new: most events are not about names, and a guild may have thousands.
fn learn(memory: &mut Memory, event: &str, data: &Value) -> bool {
    let id = |path: &str| id_at(data, path);
    let name = |path: &str| data.pointer(path).and_then(Value::as_str).unwrap_or_default().to_owned();
    match event {
        "READY" => {
            let before = (memory.bot, memory.application);
            memory.bot = id("/user/id").unwrap_or(memory.bot);
            memory.application = id("/application/id").unwrap_or(memory.application);
            before != (memory.bot, memory.application)
        }
        "GUILD_CREATE" => {
            let Some(guild) = id("/id") else { return false };
            let mut channels = named(data.get("channels"));
            channels.extend(named(data.get("threads")));
            let told = Guild { roles: named(data.get("roles")), channels };
            let is_new = memory.guilds.get(&guild) != Some(&told);
            memory.guilds.insert(guild, told);
            is_new
        }
        // An outage names the guild, too, and takes nothing away.
        "GUILD_DELETE" if data.get("unavailable").and_then(Value::as_bool) != Some(true) => {
            id("/id").is_some_and(|guild| memory.guilds.remove(&guild).is_some())
        }
        "GUILD_ROLE_CREATE" | "GUILD_ROLE_UPDATE" => match (guild_of(memory, data), id("/role/id")) {
            (Some(guild), Some(role)) => put(&mut guild.roles, role, name("/role/name")),
            _ => false,
        },
        "GUILD_ROLE_DELETE" => match (guild_of(memory, data), id("/role_id")) {
            (Some(guild), Some(role)) => guild.roles.remove(&role).is_some(),
            _ => false,
        },
        "CHANNEL_CREATE" | "CHANNEL_UPDATE" | "THREAD_CREATE" => match (guild_of(memory, data), id("/id")) {
            (Some(guild), Some(channel)) => put(&mut guild.channels, channel, name("/name")),
            _ => false,
        },
        "CHANNEL_DELETE" | "THREAD_DELETE" => match (guild_of(memory, data), id("/id")) {
            (Some(guild), Some(channel)) => guild.channels.remove(&channel).is_some(),
            _ => false,
        },
        _ => false,
    }
}

/// The guild that an event is about.
fn guild_of<'a>(memory: &'a mut Memory, data: &Value) -> Option<&'a mut Guild> {
    id_at(data, "/guild_id").map(|guild| memory.guilds.entry(guild).or_default())
}

fn id_at(data: &Value, path: &str) -> Option<u64> {
    data.pointer(path)?.as_str()?.parse().ok()
}

/// Whether it had another name, or none.
fn put(names: &mut BTreeMap<u64, String>, id: u64, name: String) -> bool {
    let is_new = names.get(&id) != Some(&name);
    names.insert(id, name);
    is_new
}

/// Names by id, of a list of things that have both.
fn named(list: Option<&Value>) -> BTreeMap<u64, String> {
    let all = list.and_then(Value::as_array).into_iter().flatten();
    let pair = |one: &Value| {
        let id = one.get("id")?.as_str()?.parse().ok()?;
        Some((id, one.get("name").and_then(Value::as_str).unwrap_or_default().to_owned()))
    };
    all.filter_map(pair).collect()
}
