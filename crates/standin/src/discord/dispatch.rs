//! What sessions hear of a change: an event with a sequence number, kept for a RESUME, for those with the intent.

use serde_json::{Value, json};

use super::model::message::Message;
use super::model::permission_bits::VIEW_CHANNEL;
use super::model::session::{Gateway, Push, Session, take};
use super::model::snowflake::Id;
use super::model::world::World;
use super::{permission, render};

/// Servers, roles, channels, threads.
pub(super) const GUILDS: u64 = 1;
/// Members that come, change and go. Privileged.
pub(super) const GUILD_MEMBERS: u64 = 1 << 1;
/// Messages in servers.
pub(super) const GUILD_MESSAGES: u64 = 1 << 9;
/// Reactions in servers.
pub(super) const GUILD_MESSAGE_REACTIONS: u64 = 1 << 10;
/// Messages in direct channels.
pub(super) const DIRECT_MESSAGES: u64 = 1 << 12;
/// Reactions in direct channels.
pub(super) const DIRECT_MESSAGE_REACTIONS: u64 = 1 << 13;
/// The text of what others wrote. Privileged.
pub(super) const MESSAGE_CONTENT: u64 = 1 << 15;

/// An event of a server for sessions with `intent`, if the bot is in it.
pub(super) fn in_guild(world: &mut World, name: &str, intent: u64, guild: Id, event: &Value) {
    if world.bot_is_in(guild) {
        to_all(&mut world.gateway, name, intent, event, event);
    }
}

/// An event for every session, whatever its intents: interactions, and what concerns the bot itself.
pub(super) fn to_everybody(world: &mut World, name: &str, event: &Value) {
    to_all(&mut world.gateway, name, 0, event, event);
}

/// An event of a channel that the bot sees.
pub(super) fn in_channel(world: &mut World, name: &str, intent: u64, channel: Id, event: &Value) {
    if permission::in_channel(world, world.bot, channel) & VIEW_CHANNEL != 0 {
        to_all(&mut world.gateway, name, intent, event, event);
    }
}

/// `MESSAGE_CREATE` or `MESSAGE_UPDATE`.
pub(super) fn message(world: &mut World, name: &str, channel: Id, message: Id) {
    let Some(known) = world.message(channel, message) else { return };
    if known.ephemeral_for.is_some() || permission::in_channel(world, world.bot, channel) & VIEW_CHANNEL == 0 {
        return;
    }
    let guild = world.channels.get(&channel).and_then(|channel| channel.guild);
    let [full, blank] = [true, false].map(|sees| event_of(world, known, guild, sees));
    let intent = if guild.is_some() { GUILD_MESSAGES } else { DIRECT_MESSAGES };
    to_all(&mut world.gateway, name, intent, &full, &blank);
}

/// `MESSAGE_DELETE`.
pub(super) fn deleted(world: &mut World, channel: Id, message: Id) {
    let guild = world.channels.get(&channel).and_then(|channel| channel.guild);
    let mut event = json!({ "id": render::id(message), "channel_id": render::id(channel) });
    if let Some(guild) = guild {
        event["guild_id"] = render::id(guild);
    }
    let intent = if guild.is_some() { GUILD_MESSAGES } else { DIRECT_MESSAGES };
    in_channel(world, "MESSAGE_DELETE", intent, channel, &event);
}

/// `MESSAGE_DELETE_BULK`, which there is in servers alone.
pub(super) fn purged(world: &mut World, channel: Id, messages: &[Id]) {
    let guild = world.channels.get(&channel).and_then(|channel| channel.guild);
    let ids: Value = messages.iter().map(|id| render::id(*id)).collect();
    let event = json!({ "ids": ids, "channel_id": render::id(channel), "guild_id": guild.map(render::id) });
    in_channel(world, "MESSAGE_DELETE_BULK", GUILD_MESSAGES, channel, &event);
}

/// In servers an event carries the server and the member beside the message.
fn event_of(world: &World, message: &Message, guild: Option<Id>, sees_content: bool) -> Value {
    let mut event = render::message(world, message, sees_content);
    let Some(guild) = guild else { return event };
    event["guild_id"] = render::id(guild);
    if message.webhook.is_none()
        && world.guilds.get(&guild).is_some_and(|guild| guild.members.contains_key(&message.author))
    {
        event["member"] = render::partial_member(world, guild, message.author);
    }
    event
}

fn to_all(gateway: &mut Gateway, name: &str, intent: u64, full: &Value, blank: &Value) {
    let ids: Vec<_> = gateway.sessions.keys().cloned().collect();
    let twice = !ids.is_empty() && take(&mut gateway.pending.duplicate);
    for id in ids {
        let Some(session) = gateway.sessions.get_mut(&id) else { continue };
        if intent != 0 && session.intents & intent == 0 {
            continue;
        }
        let event = if session.intents & MESSAGE_CONTENT == 0 { blank } else { full };
        let text = next(session, name, event);
        if let Some(connection) = session.connection {
            for _ in 0..=u8::from(twice) {
                gateway.push(connection, Push::Text(text.clone()));
            }
        }
    }
}

/// An event under the next sequence number of the session, kept for a RESUME.
pub(super) fn next(session: &mut Session, name: &str, event: &Value) -> String {
    session.sequence += 1;
    let text = json!({ "op": 0, "t": name, "s": session.sequence, "d": event }).to_string();
    session.sent.push_back((session.sequence, text.clone()));
    text
}
