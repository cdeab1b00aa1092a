//! How a draft becomes a message: for the routes of messages, of interactions and of webhooks.

use serde_json::{Value, json};

use super::error::ApiError;
use super::form::Draft;
use crate::discord::model::message::{EPHEMERAL, Message, MessageKind};
use crate::discord::model::permission_bits::{ATTACH_FILES, EMBED_LINKS};
use crate::discord::model::snowflake::Id;
use crate::discord::model::world::World;
use crate::discord::{dispatch, mention, permission};

/// Puts a message of the bot into a channel, and tells every session.
pub(crate) fn put(world: &mut World, channel: Id, draft: Draft) -> Result<Id, ApiError> {
    put_as(world, channel, draft, |_| {})
}

/// As [`put`]; `finish` adds what only some messages have.
pub(crate) fn put_as(
    world: &mut World,
    channel: Id,
    draft: Draft,
    finish: impl FnOnce(&mut Message),
) -> Result<Id, ApiError> {
    if draft.is_empty() {
        return Err(ApiError::known(50_006));
    }
    let may = permission::in_channel(world, world.bot, channel);
    if !draft.attachments.is_empty() && may & ATTACH_FILES == 0 {
        return Err(ApiError::known(50_013));
    }
    let replied =
        draft.reply_to.map(|(id, must_exist)| (world.message(channel, id).map(|found| found.author), id, must_exist));
    if let Some((None, _, true)) = replied {
        return Err(ApiError::form("message_reference", "REPLIES_UNKNOWN_MESSAGE", "Unknown message"));
    }
    let (id, bot, now) = (world.id(), world.bot, world.now);
    let mut message = Message::new(id, channel, bot, &draft.content, now);
    message.mentions = mention::mentions(world, bot, channel, &draft.content, &draft.allowed);
    message.embeds = if may & EMBED_LINKS == 0 { Vec::new() } else { draft.embeds };
    message.attachments = files(world, channel, draft.attachments);
    message.components = draft.components;
    message.flags = draft.flags;
    message.nonce = draft.nonce;
    if let Some((Some(author), replied, _)) = replied {
        message.kind = MessageKind::Reply;
        message.reply_to = Some((channel, replied));
        if draft.allowed.replied_user && author != bot {
            message.mentions.pinged.insert(author);
        }
        if !message.mentions.users.contains(&author) && draft.allowed.replied_user {
            message.mentions.users.push(author);
        }
    }
    finish(&mut message);
    let is_seen = message.flags & EPHEMERAL == 0;
    if let Some(place) = world.channels.get_mut(&channel) {
        place.messages.insert(id, message);
        place.archived = false;
    }
    if is_seen {
        dispatch::message(world, "MESSAGE_CREATE", channel, id);
    }
    Ok(id)
}

/// Files as the attachments that Discord makes of them.
pub(crate) fn files(world: &mut World, channel: Id, files: Vec<Value>) -> Vec<Value> {
    let address = world.address;
    let mut made = Vec::new();
    for file in files {
        let id = world.id();
        let name = file["filename"].as_str().unwrap_or("file");
        let url = format!("http://{address}/attachments/{channel}/{id}/{name}");
        made.push(json!({
            "id": id.to_string(), "filename": name, "size": file["size"], "url": url, "proxy_url": url,
            "content_type": "text/plain; charset=utf-8", "text": file["text"],
        }));
    }
    made
}

/// Changes a message as a PATCH wants it: only the fields that the body has.
pub(crate) fn change(world: &mut World, channel: Id, message: Id, body: &Value, draft: Draft) -> Result<(), ApiError> {
    let mentions = mention::mentions(world, world.bot, channel, &draft.content, &draft.allowed);
    let files = files(world, channel, draft.attachments);
    let now = world.now;
    let Some(known) = world.message_mut(channel, message) else { return Err(ApiError::known(10_008)) };
    let mut changed = known.clone();
    if body.get("content").is_some() {
        changed.content = draft.content;
        changed.mentions.users = mentions.users;
        changed.mentions.roles = mentions.roles;
    }
    if body.get("embeds").is_some() {
        changed.embeds = draft.embeds;
    }
    if body.get("components").is_some() {
        changed.components = draft.components;
    }
    if body.get("attachments").is_some() {
        changed.attachments.clear();
    }
    changed.attachments.extend(files);
    let all = [&changed.embeds, &changed.components, &changed.attachments];
    if changed.content.trim().is_empty() && all.iter().all(|list| list.is_empty()) {
        return Err(ApiError::known(50_006));
    }
    changed.edited = Some(now);
    *known = changed;
    dispatch::message(world, "MESSAGE_UPDATE", channel, message);
    Ok(())
}
