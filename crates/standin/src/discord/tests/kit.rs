//! A server with a channel, a role and a member; and twilight on both ends of the API.

use std::sync::Once;
use std::time::Duration;

use serde_json::Value;
use twilight_gateway::{ConfigBuilder, EventTypeFlags, Intents, Shard, ShardId, StreamExt as _};
use twilight_http::Client;
use twilight_http::error::{Error, ErrorType};
use twilight_model::gateway::event::Event;
use twilight_model::gateway::payload::incoming::MessageCreate;
use twilight_model::id::Id as TwilightId;

use crate::discord::{Discord, Id, Options};

/// Everything that this hub would listen to.
pub(super) const INTENTS: Intents = Intents::GUILDS
    .union(Intents::GUILD_MESSAGES)
    .union(Intents::GUILD_MESSAGE_REACTIONS)
    .union(Intents::DIRECT_MESSAGES)
    .union(Intents::MESSAGE_CONTENT);

pub(super) struct Kit {
    pub(super) discord: Discord,
    pub(super) guild: Id,
    pub(super) role: Id,
    pub(super) dev: Id,
    pub(super) ann: Id,
    pub(super) http: Client,
}

impl Kit {
    pub(super) async fn new() -> Self {
        Self::with(Options::default()).await
    }

    pub(super) async fn with(options: Options) -> Self {
        static ONCE: Once = Once::new();
        ONCE.call_once(|| _ = rustls::crypto::ring::default_provider().install_default());
        let discord = Discord::start_with(options).await.unwrap();
        let guild = discord.guild("Acme");
        let role = discord.role(guild, "FullStack");
        let dev = discord.channel(guild, "dev");
        let ann = discord.member(guild, "ann", &[role]);
        let http = Client::builder().proxy(discord.address().to_string(), true).token(discord.token()).build();
        Self { discord, guild, role, dev, ann, http }
    }

    pub(super) fn shard(&self) -> Shard {
        self.shard_with(INTENTS)
    }

    pub(super) fn shard_with(&self, intents: Intents) -> Shard {
        let config = ConfigBuilder::new(self.discord.token(), intents).proxy_url(self.discord.gateway_url()).build();
        Shard::with_config(ShardId::ONE, config)
    }

    /// Calls the API past twilight's own checks.
    pub(super) async fn call(&self, method: &str, path: &str, body: Value) -> (u16, Value) {
        let method: reqwest::Method = method.parse().unwrap();
        let request = reqwest::Client::new().request(method, format!("{}/api/v10{path}", self.discord.api_base()));
        let request = request.header("authorization", format!("Bot {}", self.discord.token()));
        let request = if body.is_null() { request } else { request.json(&body) };
        let answer = request.send().await.unwrap();
        let status = answer.status().as_u16();
        (status, serde_json::from_slice(&answer.bytes().await.unwrap()).unwrap_or(Value::Null))
    }

    pub(super) async fn posts(&self, body: Value) -> (u16, Value) {
        self.call("POST", &format!("/channels/{}/messages", self.dev), body).await
    }
}

/// The next event that `wanted` takes; errors of single events are passed over, as a client does.
pub(super) async fn next<T>(shard: &mut Shard, mut wanted: impl FnMut(Event) -> Option<T>) -> T {
    let search = async {
        loop {
            let event = shard.next_event(EventTypeFlags::all()).await.expect("the stream goes on");
            if let Ok(event) = event
                && let Some(found) = wanted(event)
            {
                return found;
            }
        }
    };
    tokio::time::timeout(Duration::from_secs(60), search).await.expect("the event comes")
}

pub(super) async fn ready(shard: &mut Shard) {
    next(shard, |event| matches!(event, Event::GuildCreate(_)).then_some(())).await;
}

pub(super) async fn message(shard: &mut Shard) -> MessageCreate {
    next(shard, |event| if let Event::MessageCreate(message) = event { Some(*message) } else { None }).await
}

/// Status and code of a refusal.
pub(super) fn refusal(error: &Error) -> (u16, u64) {
    let ErrorType::Response { status, error, .. } = error.kind() else { panic!("no refusal: {error:?}") };
    let body = serde_json::to_value(error).unwrap_or_default();
    (status.get(), body["code"].as_u64().unwrap_or_default())
}

pub(super) fn id<T>(id: Id) -> TwilightId<T> {
    TwilightId::new(id)
}
