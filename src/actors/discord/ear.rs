//! What the connection hears: each event is passed on to the door, and names, and who the hub is, are kept.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::Value;

use super::event::GatewayEvent;
use super::memory::{Guild, Memory, Shared};
use super::pending::Pending;
use crate::clock::Clock;
use crate::domain::discord::Overwrite;

/// How many heartbeats may pass without anything being heard.
const SILENT_BEATS: u64 = 3;

/// Kinds of channels in which people write: text, announcements, and threads of both.
const WRITTEN_IN: [Option<u64>; 5] = [Some(0), Some(5), Some(10), Some(11), PRIVATE_THREAD];
const PRIVATE_THREAD: Option<u64> = Some(12);

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
            let (parents, changes) =
                (lists.clone().filter_map(parent).collect(), lists.filter_map(|it| changes(guild, it)).collect());
            let rights = data.get("roles").and_then(Value::as_array).into_iter().flatten().filter_map(rights).collect();
            let now = Guild { roles: named(data.get("roles")), channels, parents, rights, changes };
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
            known.is_some_and(|(guild, role)| {
                let guild = guild_of(memory, guild);
                let may = data.get("role").and_then(rights).is_some_and(|(id, may)| put(&mut guild.rights, id, may));
                put(&mut guild.roles, role, name("/role/name")) || may
            })
        }
        "GUILD_ROLE_DELETE" => {
            let known = id("/guild_id").zip(id("/role_id"));
            known.is_some_and(|(guild, role)| {
                let guild = guild_of(memory, guild);
                guild.rights.remove(&role).is_some() | guild.roles.remove(&role).is_some()
            })
        }
        "CHANNEL_CREATE" | "CHANNEL_UPDATE" | "THREAD_CREATE" | "THREAD_UPDATE" => {
            let known = id("/guild_id").zip(id("/id"));
            known.is_some_and(|(id, channel)| {
                let guild = guild_of(memory, id);
                let moved = parent(data).is_some_and(|(own, parent)| put(&mut guild.parents, own, parent));
                let rules = changes(id, data).is_some_and(|(own, rules)| put(&mut guild.changes, own, rules));
                put(&mut guild.channels, channel, name("/name")) | moved | rules
            })
        }
        "CHANNEL_DELETE" | "THREAD_DELETE" => {
            let known = id("/guild_id").zip(id("/id"));
            known.is_some_and(|(guild, channel)| {
                let guild = guild_of(memory, guild);
                drop((guild.parents.remove(&channel), guild.changes.remove(&channel)));
                guild.channels.remove(&channel).is_some()
            })
        }
        _ => false,
    }
}

/// The channels and threads in which people write, each with its last message, or itself where there is none.
fn places(guild: &Value) -> Vec<(u64, u64)> {
    let lists = ["channels", "threads"].into_iter().filter_map(|list| guild.get(list)?.as_array());
    let written = lists.flatten().filter(|place| WRITTEN_IN.contains(&place.get("type").and_then(Value::as_u64)));
    written.filter_map(|it| number(it, "id").map(|own| (own, number(it, "last_message_id").unwrap_or(own)))).collect()
}

/// A channel or thread, and what it is in.
fn parent(place: &Value) -> Option<(u64, u64)> {
    number(place, "id").zip(number(place, "parent_id"))
}

/// The rights of a role.
fn rights(role: &Value) -> Option<(u64, u64)> {
    Some((number(role, "id")?, number(role, "permissions")?))
}

/// A channel, and what it changes of those rights: a private thread is hidden from all but who are in it, and a thread
/// that is open to all of its channel says nothing.
fn changes(guild: u64, place: &Value) -> Option<(u64, Vec<Overwrite>)> {
    let one = |one: &Value| {
        Some(Overwrite { whom: number(one, "id")?, allow: number(one, "allow")?, deny: number(one, "deny")? })
    };
    let changes = match place.get("permission_overwrites").and_then(Value::as_array) {
        Some(all) => all.iter().filter_map(one).collect(),
        None if place.get("type").and_then(Value::as_u64) == PRIVATE_THREAD => vec![Overwrite::hides(guild)],
        None => return None,
    };
    Some((number(place, "id")?, changes))
}

/// A number that is written as text.
fn number(of: &Value, field: &str) -> Option<u64> {
    of.get(field)?.as_str()?.parse().ok()
}

fn guild_of(memory: &mut Memory, guild: u64) -> &mut Guild {
    memory.guilds.entry(guild).or_default()
}

fn put<T: PartialEq>(known: &mut BTreeMap<u64, T>, id: u64, now: T) -> bool {
    let before = known.insert(id, now);
    before.as_ref() != known.get(&id)
}

fn named(list: Option<&Value>) -> BTreeMap<u64, String> {
    let all = list.and_then(Value::as_array).into_iter().flatten();
    let pair = |one: &Value| {
        Some((number(one, "id")?, one.get("name").and_then(Value::as_str).unwrap_or_default().to_owned()))
    };
    all.filter_map(pair).collect()
}
