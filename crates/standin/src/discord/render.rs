//! Users, roles, channels and messages as JSON, as Discord writes them.

use serde_json::{Value, json};

use super::model::message::{COMPONENTS_V2, Message};
use super::model::permission_bits::VIEW_CHANNEL;
use super::model::place::{Channel, ChannelKind};
use super::model::snowflake::{Id, made_at, written};
use super::model::world::World;
use super::people::write::Extra;
use super::permission;

pub(super) fn id(id: Id) -> Value {
    Value::String(id.to_string())
}

pub(super) fn ids(ids: &[Id]) -> Value {
    ids.iter().map(|one| id(*one)).collect()
}

pub(super) fn user(world: &World, whom: Id) -> Value {
    let (name, bot) = world.users.get(&whom).map_or(("deleted", false), |user| (user.name.as_str(), user.bot));
    json!({
        "id": id(whom), "username": name, "global_name": name, "discriminator": "0", "avatar": null, "bot": bot,
        "public_flags": 0, "flags": 0, "banner": null, "accent_color": null, "avatar_decoration_data": null,
    })
}

/// The bot's own user, which has more fields.
pub(super) fn current_user(world: &World) -> Value {
    let mut user = user(world, world.bot);
    user["mfa_enabled"] = json!(true);
    user["verified"] = json!(true);
    user["email"] = Value::Null;
    user
}

pub(super) fn member(world: &World, guild: Id, whom: Id) -> Value {
    let mut member = partial_member(world, guild, whom);
    member["user"] = user(world, whom);
    member
}

/// A member without its user, as messages carry it.
pub(super) fn partial_member(world: &World, guild: Id, whom: Id) -> Value {
    let roles = world.guilds.get(&guild).and_then(|guild| guild.members.get(&whom));
    let roles: Value = roles.into_iter().flatten().map(|role| id(*role)).collect();
    json!({
        "roles": roles, "nick": null, "avatar": null, "banner": null, "deaf": false,
        "mute": false, "pending": false, "flags": 0, "joined_at": written(made_at(guild)), "premium_since": null,
        "communication_disabled_until": null,
    })
}

pub(super) fn role(world: &World, guild: Id, role: Id) -> Value {
    let Some(known) = world.guilds.get(&guild).and_then(|guild| guild.roles.get(&role)) else { return Value::Null };
    json!({
        "id": id(role), "name": known.name, "color": 0,
        "colors": { "primary_color": 0, "secondary_color": null, "tertiary_color": null },
        "hoist": false, "icon": null, "unicode_emoji": null, "position": u8::from(role != guild),
        "permissions": known.permissions.to_string(), "managed": false, "mentionable": known.mentionable, "flags": 0,
    })
}

pub(super) fn roles(world: &World, guild: Id) -> Value {
    let known = world.guilds.get(&guild).map(|guild| guild.roles.keys());
    known.into_iter().flatten().map(|one| role(world, guild, *one)).collect()
}

/// Channels of `guild` that are no threads.
pub(super) fn channels(world: &World, guild: Id) -> Value {
    let of = |known: &&Channel| known.guild == Some(guild) && known.kind != ChannelKind::Thread;
    world.channels.values().filter(of).map(|known| channel(world, known)).collect()
}

/// Open threads of `guild` that the bot sees.
pub(super) fn threads(world: &World, guild: Id) -> Value {
    let of = |known: &&Channel| {
        known.guild == Some(guild)
            && known.kind == ChannelKind::Thread
            && !known.archived
            && permission::in_channel(world, world.bot, known.id) & VIEW_CHANNEL != 0
    };
    world.channels.values().filter(of).map(|known| channel(world, known)).collect()
}

pub(super) fn channel(world: &World, known: &Channel) -> Value {
    let last = known.messages.keys().next_back().map(|last| id(*last));
    let mut shown = json!({ "id": id(known.id), "type": known.kind as u8, "flags": 0, "last_message_id": last });
    if let Some(guild) = known.guild {
        shown["guild_id"] = id(guild);
        shown["name"] = json!(known.name);
        shown["parent_id"] = known.parent.map_or(Value::Null, id);
        shown["rate_limit_per_user"] = json!(0);
    }
    match known.kind {
        ChannelKind::Direct => {
            shown["recipients"] =
                known.recipients.iter().filter(|one| **one != world.bot).map(|one| user(world, *one)).collect();
        }
        ChannelKind::Thread => {
            shown["owner_id"] = id(known.owner);
            shown["message_count"] = json!(known.messages.len());
            shown["total_message_sent"] = json!(known.messages.len());
            shown["member_count"] = json!(1);
            shown["thread_metadata"] = json!({
                "archived": known.archived, "locked": known.locked, "auto_archive_duration": known.auto_archive,
                "archive_timestamp": written(made_at(known.id)), "create_timestamp": written(made_at(known.id)),
            });
        }
        ChannelKind::Text | ChannelKind::Category => {
            let over = known.overwrites.iter().map(|over| {
                let (allow, deny) = (over.allow.to_string(), over.deny.to_string());
                json!({ "id": id(over.whom), "type": u8::from(over.is_member), "allow": allow, "deny": deny })
            });
            shown["permission_overwrites"] = over.collect();
            shown["position"] = json!(0);
            shown["nsfw"] = json!(false);
            shown["topic"] = Value::Null;
        }
    }
    shown
}

/// What `GUILD_CREATE` and a GET have in common: a server without `members`, `channels` and `threads`.
pub(super) fn guild(world: &World, guild: Id) -> Value {
    let Some(known) = world.guilds.get(&guild) else { return Value::Null };
    json!({
        "id": id(guild), "name": known.name, "owner_id": id(known.owner), "icon": null, "splash": null, "banner": null,
        "discovery_splash": null, "afk_channel_id": null, "afk_timeout": 300, "application_id": null,
        "description": null, "default_message_notifications": 1, "explicit_content_filter": 0, "emojis": [],
        "features": [], "stickers": [], "mfa_level": 0, "nsfw_level": 0, "preferred_locale": "en-US",
        "premium_progress_bar_enabled": false, "premium_tier": 0, "premium_subscription_count": 0,
        "public_updates_channel_id": null, "rules_channel_id": null, "safety_alerts_channel_id": null,
        "system_channel_flags": 0, "system_channel_id": null, "vanity_url_code": null, "verification_level": 0,
        "widget_enabled": false, "roles": roles(world, guild),
    })
}

pub(super) fn guild_create(world: &World, guild_id: Id) -> Value {
    let mut shown = guild(world, guild_id);
    let members = world.guilds.get(&guild_id).map_or(0, |guild| guild.members.len());
    shown["joined_at"] = json!(written(made_at(guild_id)));
    shown["large"] = json!(false);
    shown["unavailable"] = json!(false);
    shown["member_count"] = json!(members);
    shown["members"] = json!([member(world, guild_id, world.bot)]);
    shown["channels"] = channels(world, guild_id);
    shown["threads"] = threads(world, guild_id);
    for empty in ["presences", "voice_states", "stage_instances", "guild_scheduled_events", "soundboard_sounds"] {
        shown[empty] = json!([]);
    }
    shown
}

/// Whether the application sees the text without the intent: it wrote it, is mentioned, or it is a direct message.
fn is_for_the_bot(world: &World, message: &Message) -> bool {
    let direct = world.channels.get(&message.channel).is_some_and(|channel| channel.guild.is_none());
    direct || message.author == world.bot || message.mentions.users.contains(&world.bot)
}

/// A message. Without the intent, what others wrote is empty.
pub(super) fn message(world: &World, message: &Message, sees_content: bool) -> Value {
    let mut shown = alone(world, message, sees_content);
    if let Some((channel, replied)) = message.reply_to {
        let found = world.message(channel, replied);
        shown["referenced_message"] = found.map_or(Value::Null, |found| alone(world, found, sees_content));
    }
    shown
}

/// A message without the one that it answers.
fn alone(world: &World, message: &Message, sees_content: bool) -> Value {
    let sees = sees_content || is_for_the_bot(world, message);
    let seen = |list: &[Value]| if sees { json!(list) } else { json!([]) };
    let mentions = message.mentions.users.iter().map(|whom| user(world, *whom));
    let mut shown = json!({
        "id": id(message.id), "channel_id": id(message.channel), "type": message.kind as u8, "tts": false,
        "author": user(world, message.author), "content": if sees { message.content.as_str() } else { "" },
        "timestamp": written(message.sent), "edited_timestamp": message.edited.map(written), "flags": message.flags,
        "mentions": mentions.collect::<Value>(), "mention_roles": ids(&message.mentions.roles),
        "mention_everyone": message.mentions.everyone, "pinned": false, "attachments": seen(&message.attachments),
        "embeds": seen(&message.embeds), "components": seen(&message.components),
    });
    match message.extra {
        Some(Extra::Sticker) => {
            shown["sticker_items"] = json!([{ "id": "749054660769218631", "name": "Wave", "format_type": 3 }]);
        }
        Some(Extra::Poll) => {
            shown["poll"] = json!({ "question": { "text": "Which?" }, "answers": [], "allow_multiselect": false });
        }
        Some(Extra::Voice) | None => {}
    }
    if let Some(nonce) = &message.nonce {
        shown["nonce"] = nonce.clone();
    }
    if let Some(webhook) = message.webhook {
        shown["webhook_id"] = id(webhook);
        shown["author"]["id"] = id(webhook);
        shown["author"]["bot"] = json!(true);
    }
    let guild = world.channels.get(&message.channel).and_then(|channel| channel.guild);
    let reference = |kind: u8, channel: Id, message: Id| {
        let mut reference = json!({ "type": kind, "channel_id": id(channel), "message_id": id(message) });
        if let Some(guild) = guild {
            reference["guild_id"] = id(guild);
        }
        reference
    };
    if let Some((channel, replied)) = message.reply_to {
        shown["message_reference"] = reference(0, channel, replied);
    }
    if let Some((channel, forwarded, copy)) = &message.forward {
        shown["message_reference"] = reference(1, *channel, *forwarded);
        let snapshots = json!([{ "message": copy }]);
        shown["message_snapshots"] = if sees { snapshots } else { json!([]) };
    }
    let reactions = message.reactions.iter().map(|(emoji, who)| {
        let count = who.len();
        json!({
            "emoji": { "id": null, "name": emoji }, "count": count, "count_details": { "burst": 0, "normal": count },
            "me": who.contains(&world.bot), "me_burst": false, "burst_colors": [],
        })
    });
    if !message.reactions.is_empty() {
        shown["reactions"] = reactions.collect();
    }
    if let Some(thread) = world.channels.get(&message.id) {
        shown["thread"] = channel(world, thread);
    }
    if message.author == world.bot && message.flags & COMPONENTS_V2 == 0 && message.interaction.is_some() {
        shown["application_id"] = id(world.bot);
    }
    shown
}

/// The copy of a message that a forward carries.
pub(super) fn snapshot(world: &World, message: &Message) -> Value {
    let mentions = message.mentions.users.iter().map(|whom| user(world, *whom));
    json!({
        "content": message.content, "timestamp": written(message.sent), "edited_timestamp": message.edited.map(written),
        "type": message.kind as u8, "flags": message.flags, "attachments": message.attachments,
        "embeds": message.embeds, "components": message.components, "mentions": mentions.collect::<Value>(),
        "mention_roles": ids(&message.mentions.roles),
    })
}
