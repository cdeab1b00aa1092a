//! Messages of a channel: send, read, edit, delete, react.

use std::time::Duration;

use serde_json::{Value, json};

use super::call::{Call, Outcome, Reply};
use super::error::ApiError;
use super::{check, form, post};
use crate::discord::model::message::EPHEMERAL;
use crate::discord::model::permission_bits::{ADD_REACTIONS, MANAGE_MESSAGES, READ_MESSAGE_HISTORY};
use crate::discord::model::snowflake::{Id, made_at};
use crate::discord::model::world::World;
use crate::discord::{dispatch, permission, render};

/// From this age on a message may be edited a few times an hour only.
const OLD: Duration = Duration::from_secs(60 * 60);
/// A nonce is remembered for some minutes.
const NONCE_FOR: Duration = Duration::from_secs(5 * 60);
/// What a reaction is called in a path: these are percent-encoded.
const EMOJI_AT_MOST: usize = 32;

pub(crate) fn create(world: &mut World, call: &Call) -> Outcome {
    let channel = call.id("channel")?;
    check::writable(world, channel)?;
    let mut draft = form::read(call, "")?;
    draft.flags &= !EPHEMERAL;
    if draft.reply_to.is_some() && permission::in_channel(world, world.bot, channel) & READ_MESSAGE_HISTORY == 0 {
        return Err(ApiError::known(50_013));
    }
    if let Some(before) = same_nonce(world, channel, draft.enforce_nonce, draft.nonce.as_ref()) {
        return shown(world, channel, before);
    }
    let id = post::put(world, channel, draft)?;
    shown(world, channel, id)
}

/// The message that the bot sent with this nonce a short while ago.
fn same_nonce(world: &World, channel: Id, enforced: bool, nonce: Option<&Value>) -> Option<Id> {
    let nonce = nonce.filter(|_| enforced)?;
    let text = |nonce: &Value| nonce.as_str().map_or_else(|| nonce.to_string(), String::from);
    let messages = world.channels.get(&channel)?.messages.values();
    let mut recent = messages.filter(|known| known.author == world.bot && world.now.since(known.sent) < NONCE_FOR);
    recent.find(|known| known.nonce.as_ref().map(text) == Some(text(nonce))).map(|known| known.id)
}

fn shown(world: &World, channel: Id, id: Id) -> Outcome {
    let message = world.message(channel, id).ok_or_else(|| ApiError::known(10_008))?;
    Ok(Reply::ok(render::message(world, message, world.options.message_content)))
}

pub(crate) fn get(world: &mut World, call: &Call) -> Outcome {
    let (channel, message) = (call.id("channel")?, call.id("message")?);
    check::channel(world, channel, READ_MESSAGE_HISTORY)?;
    shown(world, channel, message)
}

/// Newest first; with `after` the oldest behind it, which are shown newest first as well.
pub(crate) fn list(world: &mut World, call: &Call) -> Outcome {
    let channel = call.id("channel")?;
    let known = check::channel(world, channel, 0)?;
    let number = |field: &str| call.query.get(field).map(|text| text.parse::<u64>());
    let wrong = |field: &str| ApiError::form(field, "NUMBER_TYPE_COERCE", "Value is not a number.");
    let limit = number("limit").unwrap_or(Ok(50)).map_err(|_| wrong("limit"))?;
    if !(1..=100).contains(&limit) {
        return Err(ApiError::form("limit", "NUMBER_TYPE_MAX", "int value should be between 1 and 100."));
    }
    let limit = usize::try_from(limit).unwrap_or(100);
    if permission::in_channel(world, world.bot, channel) & READ_MESSAGE_HISTORY == 0 {
        return Ok(Reply::ok(json!([])));
    }
    let after = number("after").transpose().map_err(|_| wrong("after"))?;
    let before = number("before").transpose().map_err(|_| wrong("before"))?;
    let all = known.messages.values().filter(|message| message.ephemeral_for.is_none());
    let mut found: Vec<_> = match (after, before) {
        (Some(after), _) => all.filter(|message| message.id > after).take(limit).collect(),
        (None, Some(before)) => all.filter(|message| message.id < before).collect(),
        (None, None) => all.collect(),
    };
    found.reverse();
    found.truncate(limit);
    Ok(Reply::ok(found.iter().map(|one| render::message(world, one, world.options.message_content)).collect()))
}

pub(crate) fn edit(world: &mut World, call: &Call) -> Outcome {
    let (channel, message) = (call.id("channel")?, call.id("message")?);
    let place = check::channel(world, channel, 0)?;
    check::not_archived(place)?;
    let known = world.message(channel, message).filter(|known| known.ephemeral_for.is_none());
    let known = known.ok_or_else(|| ApiError::known(10_008))?;
    if known.author != world.bot {
        return Err(ApiError::known(50_005));
    }
    if known.is_system() {
        return Err(ApiError::known(50_021));
    }
    if world.now.since(made_at(message)) > OLD {
        return Err(ApiError::known(30_046));
    }
    let draft = form::read(call, "")?;
    post::change(world, channel, message, &call.body, draft)?;
    shown(world, channel, message)
}

pub(crate) fn delete(world: &mut World, call: &Call) -> Outcome {
    let (channel, message) = (call.id("channel")?, call.id("message")?);
    check::channel(world, channel, 0)?;
    let known = world.message(channel, message).ok_or_else(|| ApiError::known(10_008))?;
    if known.author != world.bot {
        check::channel(world, channel, MANAGE_MESSAGES)?;
    }
    if let Some(place) = world.channels.get_mut(&channel) {
        place.messages.remove(&message);
    }
    dispatch::deleted(world, channel, message);
    Ok(Reply::nothing())
}

/// PUT of a reaction of the bot.
pub(crate) fn react(world: &mut World, call: &Call) -> Outcome {
    let (channel, message, emoji) = (call.id("channel")?, call.id("message")?, call.param("emoji"));
    let place = check::channel(world, channel, READ_MESSAGE_HISTORY)?;
    check::not_archived(place)?;
    let known = world.message(channel, message).ok_or_else(|| ApiError::known(10_008))?;
    if emoji.is_ascii() || emoji.len() > EMOJI_AT_MOST {
        return Err(ApiError::known(10_014));
    }
    if !known.reactions.contains_key(emoji) {
        check::channel(world, channel, ADD_REACTIONS)?;
    }
    set_reaction(world, channel, message, emoji, world.bot, true);
    Ok(Reply::nothing())
}

/// DELETE of a reaction of the bot.
pub(crate) fn unreact(world: &mut World, call: &Call) -> Outcome {
    let (channel, message) = (call.id("channel")?, call.id("message")?);
    check::channel(world, channel, READ_MESSAGE_HISTORY)?;
    world.message(channel, message).ok_or_else(|| ApiError::known(10_008))?;
    set_reaction(world, channel, message, call.param("emoji"), world.bot, false);
    Ok(Reply::nothing())
}

/// Adds or takes a reaction of `whom`, and tells it.
pub(crate) fn set_reaction(world: &mut World, channel: Id, message: Id, emoji: &str, whom: Id, on: bool) {
    let Some(known) = world.message_mut(channel, message) else { return };
    let who = known.reactions.entry(emoji.into()).or_default();
    let changed = if on { who.insert(whom) } else { who.remove(&whom) };
    if who.is_empty() {
        known.reactions.remove(emoji);
    }
    if !changed {
        return;
    }
    let mut event = json!({
        "user_id": render::id(whom), "channel_id": render::id(channel), "message_id": render::id(message),
        "emoji": { "id": null, "name": emoji }, "burst": false, "type": 0,
    });
    let guild = world.channels.get(&channel).and_then(|channel| channel.guild);
    let intent = if guild.is_some() { dispatch::GUILD_MESSAGE_REACTIONS } else { dispatch::DIRECT_MESSAGE_REACTIONS };
    if let Some(guild) = guild {
        event["guild_id"] = render::id(guild);
        event["member"] = render::member(world, guild, whom);
    }
    let name = if on { "MESSAGE_REACTION_ADD" } else { "MESSAGE_REACTION_REMOVE" };
    dispatch::in_channel(world, name, intent, channel, &event);
}
