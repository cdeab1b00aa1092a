//! Somebody writes, edits, deletes, replies, forwards, reacts.

use serde_json::{Value, json};

use crate::discord::mention::{self, Allowed};
use crate::discord::model::message::{IS_VOICE, Message, MessageKind};
use crate::discord::model::snowflake::{Id, written};
use crate::discord::model::world::World;
use crate::discord::rest::{channel, post};
use crate::discord::{dispatch, render};

/// What somebody writes.
#[derive(Debug, Clone, Default)]
pub struct NewMessage {
    /// The text, with mentions as Discord writes them: `<@&role>`, `<@user>`.
    pub content: String,
    /// The message of the same channel that it answers.
    pub reply_to: Option<Id>,
    /// A reply pings whom it answers, unless this is set.
    pub silent_reply: bool,
    /// The message of any channel that it forwards.
    pub forward: Option<Id>,
    /// Files: name and text.
    pub files: Vec<(String, String)>,
    /// Besides its text: a `sticker_items`, `poll` or `voice` message.
    pub with: Option<Extra>,
    /// It comes from a webhook.
    pub webhook: bool,
    /// "… joined the server."
    pub joined: bool,
}

/// What a message can be besides text and files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extra {
    Sticker,
    Poll,
    /// A recording, which comes as a file.
    Voice,
}

pub(crate) fn post(world: &mut World, author: Id, channel: Id, post: NewMessage) -> Id {
    let (id, now) = (world.id(), world.now);
    let mut message = Message::new(id, channel, author, &post.content, now);
    message.mentions = mention::mentions(world, author, channel, &post.content, &Allowed::everything());
    let files = post.files.iter().map(|(name, text)| json!({ "filename": name, "size": text.len(), "text": text }));
    message.attachments = post::files(world, channel, files.collect());
    message.extra = post.with;
    if post.with == Some(Extra::Voice) {
        message.flags |= IS_VOICE;
    }
    message.webhook = post.webhook.then(|| world.id());
    if post.joined {
        message.kind = MessageKind::MemberJoined;
    }
    if let Some(replied) = post.reply_to {
        (message.kind, message.reply_to) = (MessageKind::Reply, Some((channel, replied)));
        let answered = world.message(channel, replied).map(|replied| replied.author);
        for whom in answered.into_iter().filter(|whom| !post.silent_reply && *whom != author) {
            if !message.mentions.users.contains(&whom) {
                message.mentions.users.push(whom);
            }
            message.mentions.pinged.insert(whom);
        }
    }
    let forwarded = post.forward.and_then(|id| Some((world.place_of(id)?, id)));
    if let Some((place, id)) = forwarded {
        let copy = world.message(place, id).map_or(Value::Null, |original| render::snapshot(world, original));
        message.forward = Some((place, id, copy));
    }
    let mut was_archived = false;
    if let Some(place) = world.channels.get_mut(&channel) {
        was_archived = std::mem::take(&mut place.archived);
        place.messages.insert(id, message);
    }
    if was_archived {
        channel::announce(world, "THREAD_UPDATE", channel);
    }
    dispatch::message(world, "MESSAGE_CREATE", channel, id);
    id
}

pub(crate) fn edit(world: &mut World, message: Id, content: &str) {
    let Some(channel) = world.place_of(message) else { return };
    let Some(author) = world.message(channel, message).map(|known| known.author) else { return };
    let mentions = mention::mentions(world, author, channel, content, &Allowed::everything());
    let now = world.now;
    if let Some(known) = world.message_mut(channel, message) {
        (known.content, known.mentions, known.edited) = (content.into(), mentions, Some(now));
    }
    dispatch::message(world, "MESSAGE_UPDATE", channel, message);
}

/// Discord shows a preview of a link: `MESSAGE_UPDATE`, though nobody edited anything.
pub(crate) fn unfurl(world: &mut World, message: Id) {
    let Some(channel) = world.place_of(message) else { return };
    let preview = json!({ "type": "link", "title": "A page", "url": "https://example.org/" });
    if let Some(known) = world.message_mut(channel, message) {
        known.embeds.push(preview);
    }
    dispatch::message(world, "MESSAGE_UPDATE", channel, message);
}

pub(crate) fn delete(world: &mut World, message: Id) {
    let Some(channel) = world.place_of(message) else { return };
    if let Some(place) = world.channels.get_mut(&channel) {
        place.messages.remove(&message);
    }
    dispatch::deleted(world, channel, message);
}

/// A moderator purges messages of one channel: one event names them all.
pub(crate) fn purge(world: &mut World, messages: &[Id]) {
    let Some(channel) = messages.first().and_then(|first| world.place_of(*first)) else { return };
    if let Some(place) = world.channels.get_mut(&channel) {
        place.messages.retain(|id, _| !messages.contains(id));
    }
    dispatch::purged(world, channel, messages);
}

/// Somebody types: nothing stays of it.
pub(crate) fn type_in(world: &mut World, whom: Id, channel: Id) {
    const GUILD_MESSAGE_TYPING: u64 = 1 << 11;
    let (seconds, at) = (world.now.0 / 1_000, written(world.now));
    let event = json!({
        "channel_id": render::id(channel), "user_id": render::id(whom), "timestamp": seconds, "at": at,
    });
    dispatch::in_channel(world, "TYPING_START", GUILD_MESSAGE_TYPING, channel, &event);
}
