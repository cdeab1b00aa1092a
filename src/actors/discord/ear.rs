//! What the connection hears: each event is passed on to the door, and names, and who the hub is, are kept.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::Value;

use super::event::GatewayEvent;
use super::memory::{Guild, Memory, Shared};
use super::pending::Pending;
use crate::clock::Clock;

/// How many heartbeats may pass without anything being heard.
const SILENT_BEATS: u64 = 3;

/// Kinds of channels in which people write: text, announcements, and threads of both.
const WRITTEN_IN: [Option<u64>; 5] = [Some(0), Some(5), Some(10), Some(11), Some(12)];

#[derive(Debug)]
pub struct Ear {
    shared: Shared,
    door: Pending<GatewayEvent>,
    clock: Clock,
    /// No session began or was resumed yet.
    first: bool,
}

impl Ear {
    pub const fn new(shared: Shared, door: Pending<GatewayEvent>, clock: Clock) -> Self {
        Self { shared, door, clock, first: true }
    }

    /// One payload of the gateway. For a HELLO it says how long silence is no fault from now on.
    pub fn hears(
        &mut self,
        text: &str,
        session: Option<(String, u64)>,
        resume_url: Option<String>,
    ) -> Option<Duration> {
        let now = self.clock.now();
        self.shared.health.send_modify(|health| health.last_event = Some(now));
        let mut event = serde_json::from_str::<Value>(text).ok()?;
        let beat = event.pointer("/d/heartbeat_interval").and_then(Value::as_u64);
        let silence = beat.map(|beat| Duration::from_millis(beat.saturating_mul(SILENT_BEATS).max(1_000)));
        let Some(name) = event.get("t").and_then(Value::as_str).map(str::to_owned) else { return silence };
        let data = event.get_mut("d").map(Value::take).unwrap_or_default();
        let (ready, resumed) = (name == "READY", name == "RESUMED");
        if ready || resumed {
            tracing::info!("connected to Discord{}", if resumed { ", where it was left" } else { "" });
            self.shared.health.send_modify(|health| {
                health.session_since = if ready { Some(now) } else { health.session_since.or(Some(now)) };
            });
            self.shared.stands("ready", true);
        }
        self.shared.memory.send_if_modified(|memory| {
            let learnt = learn(memory, &name, &data);
            remember(memory, session, resume_url) || learnt
        });
        // What this process resumes, the one before may have heard and not done.
        if ready || (resumed && std::mem::take(&mut self.first)) {
            self.first = false;
            self.door.put(GatewayEvent::Began);
        }
        self.door.put(GatewayEvent::Happened(name, data));
        silence
    }
}

/// What a restart goes on from. Whether it is new.
pub(super) fn remember(memory: &mut Memory, session: Option<(String, u64)>, resume_url: Option<String>) -> bool {
    let changed = memory.session != session || memory.resume_url != resume_url;
    (memory.session, memory.resume_url) = (session, resume_url);
    changed
}

/// Names, and who the hub is. Whether anything is new.
fn learn(memory: &mut Memory, event: &str, data: &Value) -> bool {
    let id = |path: &str| data.pointer(path).and_then(Value::as_str).and_then(|id| id.parse::<u64>().ok());
    let name = |path: &str| data.pointer(path).and_then(Value::as_str).unwrap_or_default().to_owned();
    match event {
        "READY" => {
            let before = (memory.bot, memory.application);
            memory.bot = id("/user/id").unwrap_or(memory.bot);
            memory.application = id("/application/id").unwrap_or(memory.application);
            before != (memory.bot, memory.application)
        }
        "MESSAGE_CREATE" => memory.hears_itself(data),
        "GUILD_CREATE" => id("/id").is_some_and(|guild| {
            let mut channels = named(data.get("channels"));
            channels.extend(named(data.get("threads")));
            let lists = ["channels", "threads"].into_iter().filter_map(|list| data.get(list)?.as_array()).flatten();
            let parents = lists.filter_map(parent).collect();
            let now = Guild { roles: named(data.get("roles")), channels, parents };
            let before = memory.guilds.insert(guild, now);
            let begun = memory.begins_channels(places(data));
            before.as_ref() != memory.guilds.get(&guild) || begun
        }),
        // An outage names the guild, too, and takes nothing away. With the bot its commands are gone.
        "GUILD_DELETE" if data.get("unavailable").and_then(Value::as_bool) != Some(true) => {
            id("/id").is_some_and(|guild| {
                let commands = memory.commands.remove(&guild).is_some();
                memory.guilds.remove(&guild).is_some() || commands
            })
        }
        "GUILD_ROLE_CREATE" | "GUILD_ROLE_UPDATE" => {
            let known = id("/guild_id").zip(id("/role/id"));
            known.is_some_and(|(guild, role)| put(&mut guild_of(memory, guild).roles, role, name("/role/name")))
        }
        "GUILD_ROLE_DELETE" => {
            let known = id("/guild_id").zip(id("/role_id"));
            known.is_some_and(|(guild, role)| guild_of(memory, guild).roles.remove(&role).is_some())
        }
        "CHANNEL_CREATE" | "CHANNEL_UPDATE" | "THREAD_CREATE" | "THREAD_UPDATE" => {
            let known = id("/guild_id").zip(id("/id"));
            known.is_some_and(|(guild, channel)| {
                let guild = guild_of(memory, guild);
                let moved = parent(data).is_some_and(|(own, parent)| guild.parents.insert(own, parent) != Some(parent));
                put(&mut guild.channels, channel, name("/name")) || moved
            })
        }
        "CHANNEL_DELETE" | "THREAD_DELETE" => {
            let known = id("/guild_id").zip(id("/id"));
            known.is_some_and(|(guild, channel)| {
                let guild = guild_of(memory, guild);
                guild.parents.remove(&channel).is_some() | guild.channels.remove(&channel).is_some()
            })
        }
        _ => false,
    }
}

/// The channels and threads in which people write, each with its last message, or itself where there is none.
fn places(guild: &Value) -> Vec<(u64, u64)> {
    let id = |place: &Value, field: &str| place.get(field).and_then(Value::as_str).and_then(|id| id.parse().ok());
    let lists = ["channels", "threads"].into_iter().filter_map(|list| guild.get(list)?.as_array());
    let written = lists.flatten().filter(|place| WRITTEN_IN.contains(&place.get("type").and_then(Value::as_u64)));
    written.filter_map(|place| id(place, "id").map(|own| (own, id(place, "last_message_id").unwrap_or(own)))).collect()
}

/// A channel or thread, and what it is in.
fn parent(place: &Value) -> Option<(u64, u64)> {
    let id = |field: &str| place.get(field)?.as_str()?.parse().ok();
    id("id").zip(id("parent_id"))
}

fn guild_of(memory: &mut Memory, guild: u64) -> &mut Guild {
    memory.guilds.entry(guild).or_default()
}

fn put(names: &mut BTreeMap<u64, String>, id: u64, name: String) -> bool {
    let before = names.insert(id, name);
    before.as_ref() != names.get(&id)
}

fn named(list: Option<&Value>) -> BTreeMap<u64, String> {
    let all = list.and_then(Value::as_array).into_iter().flatten();
    let pair = |one: &Value| {
        let id = one.get("id")?.as_str()?.parse().ok()?;
        Some((id, one.get("name").and_then(Value::as_str).unwrap_or_default().to_owned()))
    };
    all.filter_map(pair).collect()
}
