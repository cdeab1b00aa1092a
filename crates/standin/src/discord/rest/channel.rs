//! Channels and threads.

use serde_json::json;

use super::call::{Call, Outcome, Reply};
use super::error::ApiError;
use super::{check, component};
use crate::discord::model::message::{HAS_THREAD, Message, MessageKind};
use crate::discord::model::permission_bits::{
    CREATE_PUBLIC_THREADS, MANAGE_THREADS, READ_MESSAGE_HISTORY, SEND_MESSAGES_IN_THREADS,
};
use crate::discord::model::place::{Channel, ChannelKind};
use crate::discord::model::snowflake::Id;
use crate::discord::model::world::World;
use crate::discord::{dispatch, permission, render};

pub(crate) fn get(world: &mut World, call: &Call) -> Outcome {
    let known = check::channel(world, call.id("channel")?, 0)?;
    Ok(Reply::ok(render::channel(world, known)))
}

/// PATCH: threads only, their name, and whether they are archived or locked.
pub(crate) fn edit(world: &mut World, call: &Call) -> Outcome {
    let id = call.id("channel")?;
    let known = check::channel(world, id, 0)?;
    if known.kind != ChannelKind::Thread {
        return Err(ApiError::known(50_013));
    }
    let (archived, locked) = (call.body["archived"].as_bool(), call.body["locked"].as_bool());
    let is_own = known.owner == world.bot;
    let manages = permission::in_channel(world, world.bot, id) & MANAGE_THREADS != 0;
    let reopens_by_writing = archived == Some(false) && locked.is_none() && call.body.get("name").is_none();
    let may_reopen = reopens_by_writing
        && !known.locked
        && permission::in_channel(world, world.bot, id) & SEND_MESSAGES_IN_THREADS != 0;
    if !(manages || (is_own && locked.is_none() && !known.locked) || may_reopen) {
        return Err(ApiError::known(50_013));
    }
    if known.archived && archived != Some(false) {
        return Err(ApiError::known(50_083));
    }
    if call.body.get("name").is_some() {
        component::text(&call.body, "", "name", 1, 100)?;
    }
    let auto_archive = auto_archive(call, known.auto_archive)?;
    if let Some(thread) = world.channels.get_mut(&id) {
        if let Some(name) = call.body["name"].as_str() {
            thread.name = name.into();
        }
        thread.archived = archived.unwrap_or(thread.archived);
        thread.locked = locked.unwrap_or(thread.locked);
        thread.auto_archive = auto_archive;
    }
    announce(world, "THREAD_UPDATE", id);
    get(world, call)
}

/// POST: a thread that hangs on a message, and has its id.
pub(crate) fn begin_on(world: &mut World, call: &Call) -> Outcome {
    let (channel, message) = (call.id("channel")?, call.id("message")?);
    let place = check::channel(world, channel, CREATE_PUBLIC_THREADS | READ_MESSAGE_HISTORY)?;
    if place.kind != ChannelKind::Text {
        return Err(ApiError::known(50_024));
    }
    if world.message(channel, message).is_none() {
        return Err(ApiError::known(10_008));
    }
    if world.channels.contains_key(&message) {
        return Err(ApiError::known(160_004));
    }
    begin(world, call, channel, message)?;
    if let Some(known) = world.message_mut(channel, message) {
        known.flags |= HAS_THREAD;
    }
    dispatch::message(world, "MESSAGE_UPDATE", channel, message);
    created(world, message)
}

/// POST: a thread of its own.
pub(crate) fn begin_alone(world: &mut World, call: &Call) -> Outcome {
    let channel = call.id("channel")?;
    let place = check::channel(world, channel, CREATE_PUBLIC_THREADS)?;
    if place.kind != ChannelKind::Text {
        return Err(ApiError::known(50_024));
    }
    if call.body.get("type").is_some_and(|kind| kind != 11) {
        return Err(ApiError::form("type", "BASE_TYPE_CHOICES", "The stand-in has public threads only."));
    }
    let id = world.id();
    begin(world, call, channel, id)?;
    let (note, bot, now) = (world.id(), world.bot, world.now);
    let name = call.body["name"].as_str().unwrap_or_default();
    let mut message = Message::new(note, channel, bot, name, now);
    message.kind = MessageKind::ThreadCreated;
    if let Some(place) = world.channels.get_mut(&channel) {
        place.messages.insert(note, message);
    }
    dispatch::message(world, "MESSAGE_CREATE", channel, note);
    created(world, id)
}

fn begin(world: &mut World, call: &Call, parent: Id, id: Id) -> Result<(), ApiError> {
    component::text(&call.body, "", "name", 1, 100)?;
    let auto_archive = auto_archive(call, 1_440)?;
    let name = call.body["name"].as_str().unwrap_or_default();
    let guild = world.channels.get(&parent).and_then(|parent| parent.guild);
    let mut thread = Channel::new(id, ChannelKind::Thread, name, guild);
    (thread.parent, thread.owner, thread.auto_archive) = (Some(parent), world.bot, auto_archive);
    world.channels.insert(id, thread);
    announce(world, "THREAD_CREATE", id);
    Ok(())
}

fn auto_archive(call: &Call, before: u64) -> Result<u64, ApiError> {
    match call.body["auto_archive_duration"].as_u64() {
        None => Ok(before),
        Some(minutes @ (60 | 1_440 | 4_320 | 10_080)) => Ok(minutes),
        Some(_) => {
            Err(ApiError::form("auto_archive_duration", "BASE_TYPE_CHOICES", "Must be 60, 1440, 4320 or 10080."))
        }
    }
}

fn created(world: &World, id: Id) -> Outcome {
    let thread = world.channels.get(&id).ok_or_else(|| ApiError::known(10_003))?;
    Ok(Reply::created(render::channel(world, thread)))
}

/// An event that carries the whole channel.
pub(crate) fn announce(world: &mut World, name: &str, channel: Id) {
    let Some(known) = world.channels.get(&channel) else { return };
    let (mut event, guild) = (render::channel(world, known), known.guild);
    if name == "THREAD_CREATE" {
        event["newly_created"] = json!(true);
    }
    if guild.is_some() {
        dispatch::in_channel(world, name, dispatch::GUILDS, channel, &event);
    }
}

/// The bot joins a thread; typing. Both change nothing that anybody asks for.
pub(crate) fn noted(world: &mut World, call: &Call) -> Outcome {
    check::channel(world, call.id("channel")?, 0)?;
    Ok(Reply::nothing())
}

/// The direct channel with somebody.
pub(crate) fn direct(world: &mut World, call: &Call) -> Outcome {
    let whom = call.body["recipient_id"].as_str().and_then(|id| id.parse::<Id>().ok());
    let wrong = || ApiError::form("recipient_id", "NUMBER_TYPE_COERCE", "Value is not snowflake.");
    let whom = whom.ok_or_else(wrong)?;
    match world.users.get(&whom) {
        None => return Err(ApiError::known(10_013)),
        Some(user) if user.bot => return Err(ApiError::known(50_007)),
        Some(_) => {}
    }
    let id = world.direct(whom);
    let known = world.channels.get(&id).ok_or_else(|| ApiError::known(10_003))?;
    Ok(Reply::ok(render::channel(world, known)))
}
