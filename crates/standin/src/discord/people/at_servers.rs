//! What administrators change: roles, channels, members, and whether the bot is there.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::discord::dispatch::{self, GUILD_MEMBERS, GUILDS};
use crate::discord::model::permission_bits::BY_DEFAULT;
use crate::discord::model::place::{ChannelKind, Overwrite, Role};
use crate::discord::model::snowflake::{Id, written};
use crate::discord::model::world::World;
use crate::discord::render;
use crate::discord::rest::channel;

pub(crate) fn add_guild(world: &mut World, name: &str) -> Id {
    let guild = world.add_guild(name);
    let event = render::guild_create(world, guild);
    dispatch::in_guild(world, "GUILD_CREATE", GUILDS, guild, &event);
    guild
}

pub(crate) fn add_role(world: &mut World, guild: Id, name: &str, mentionable: bool) -> Id {
    let id = world.id();
    if let Some(known) = world.guilds.get_mut(&guild) {
        known.roles.insert(id, Role { name: name.into(), permissions: 0, mentionable });
    }
    role_event(world, "GUILD_ROLE_CREATE", guild, id);
    id
}

/// Changes a role, and tells it.
pub(crate) fn change_role(world: &mut World, role: Id, change: impl FnOnce(&mut Role)) {
    let found = world.guilds.iter_mut().find_map(|(guild, known)| Some((*guild, known.roles.get_mut(&role)?)));
    let Some((guild, known)) = found else { return };
    change(known);
    role_event(world, "GUILD_ROLE_UPDATE", guild, role);
}

pub(crate) fn delete_role(world: &mut World, role: Id) {
    let Some(guild) = world.guilds.iter().find(|(_, known)| known.roles.contains_key(&role)).map(|(id, _)| *id) else {
        return;
    };
    if let Some(known) = world.guilds.get_mut(&guild) {
        known.roles.remove(&role);
        for roles in known.members.values_mut() {
            roles.remove(&role);
        }
    }
    let event = json!({ "guild_id": render::id(guild), "role_id": render::id(role) });
    dispatch::in_guild(world, "GUILD_ROLE_DELETE", GUILDS, guild, &event);
}

fn role_event(world: &mut World, name: &str, guild: Id, role: Id) {
    let event = json!({ "guild_id": render::id(guild), "role": render::role(world, guild, role) });
    dispatch::in_guild(world, name, GUILDS, guild, &event);
}

pub(crate) fn add_channel(world: &mut World, guild: Id, name: &str, kind: ChannelKind) -> Id {
    let id = world.add_channel(kind, name, Some(guild));
    channel::announce(world, "CHANNEL_CREATE", id);
    id
}

pub(crate) fn add_thread(world: &mut World, parent: Id, name: &str) -> Id {
    let guild = world.channels.get(&parent).and_then(|parent| parent.guild);
    let id = world.add_channel(ChannelKind::Thread, name, guild);
    if let Some(known) = world.channels.get_mut(&id) {
        (known.parent, known.auto_archive) = (Some(parent), 1_440);
    }
    channel::announce(world, "THREAD_CREATE", id);
    id
}

/// Deletes a channel with its threads, or one thread.
pub(crate) fn delete_channel(world: &mut World, id: Id) {
    let below: Vec<_> =
        world.channels.values().filter(|known| known.parent == Some(id)).map(|known| known.id).collect();
    let is_thread = world.channels.get(&id).is_some_and(|known| known.kind == ChannelKind::Thread);
    channel::announce(world, if is_thread { "THREAD_DELETE" } else { "CHANNEL_DELETE" }, id);
    for gone in below.into_iter().chain([id]) {
        world.channels.remove(&gone);
    }
}

/// A thread is archived or locked, or opened again.
pub(crate) fn set_thread(world: &mut World, thread: Id, archived: bool, locked: bool) {
    if let Some(known) = world.channels.get_mut(&thread) {
        (known.archived, known.locked) = (archived, locked);
    }
    channel::announce(world, "THREAD_UPDATE", thread);
}

/// What `whom` (a role or a user) may not in a channel; 0 takes that back.
pub(crate) fn deny(world: &mut World, channel: Id, whom: Id, deny: u64) {
    let is_member = world.users.contains_key(&whom);
    if let Some(known) = world.channels.get_mut(&channel) {
        known.overwrites.retain(|over| over.whom != whom);
        if deny != 0 {
            known.overwrites.push(Overwrite { whom, is_member, allow: 0, deny });
        }
    }
    channel::announce(world, "CHANNEL_UPDATE", channel);
}

/// What the bot may not in a whole server: taken from `@everyone`.
pub(crate) fn deny_everyone(world: &mut World, guild: Id, deny: u64) {
    change_role(world, guild, |everyone| everyone.permissions = BY_DEFAULT & !deny);
}

pub(crate) fn add_member(world: &mut World, guild: Id, name: &str, roles: &[Id], bot: bool) -> Id {
    let id = world.add_user(name, bot);
    join(world, guild, id, roles);
    id
}

pub(crate) fn join(world: &mut World, guild: Id, whom: Id, roles: &[Id]) {
    if let Some(known) = world.guilds.get_mut(&guild) {
        known.members.insert(whom, roles.iter().copied().collect());
    }
    member_event(world, "GUILD_MEMBER_ADD", guild, whom);
}

pub(crate) fn set_roles(world: &mut World, guild: Id, whom: Id, change: impl FnOnce(&mut BTreeSet<Id>)) {
    if let Some(roles) = world.guilds.get_mut(&guild).and_then(|guild| guild.members.get_mut(&whom)) {
        change(roles);
    }
    member_event(world, "GUILD_MEMBER_UPDATE", guild, whom);
}

pub(crate) fn leave(world: &mut World, guild: Id, whom: Id) {
    if let Some(known) = world.guilds.get_mut(&guild) {
        known.members.remove(&whom);
    }
    let event = json!({ "guild_id": render::id(guild), "user": render::user(world, whom) });
    dispatch::in_guild(world, "GUILD_MEMBER_REMOVE", GUILD_MEMBERS, guild, &event);
}

fn member_event(world: &mut World, name: &str, guild: Id, whom: Id) {
    let mut event = render::member(world, guild, whom);
    event["guild_id"] = render::id(guild);
    event["joined_at"] = json!(written(world.now));
    dispatch::in_guild(world, name, GUILD_MEMBERS, guild, &event);
}

/// The bot is removed from a server. Commands are gone with it.
pub(crate) fn kick_bot(world: &mut World, guild: Id) {
    let bot = world.bot;
    if let Some(known) = world.guilds.get_mut(&guild) {
        known.members.remove(&bot);
        known.commands.clear();
    }
    dispatch::to_everybody(world, "GUILD_DELETE", &json!({ "id": render::id(guild) }));
}

pub(crate) fn invite_bot(world: &mut World, guild: Id) {
    let bot = world.bot;
    if let Some(known) = world.guilds.get_mut(&guild) {
        known.members.insert(bot, BTreeSet::new());
    }
    let event: Value = render::guild_create(world, guild);
    dispatch::in_guild(world, "GUILD_CREATE", GUILDS, guild, &event);
}

/// An outage of Discord's own: the server is gone for a while, and the bot is still in it.
pub(crate) fn outage(world: &mut World, guild: Id, is_over: bool) {
    if is_over {
        let event = render::guild_create(world, guild);
        dispatch::in_guild(world, "GUILD_CREATE", GUILDS, guild, &event);
    } else {
        let event = json!({ "id": render::id(guild), "unavailable": true });
        dispatch::in_guild(world, "GUILD_DELETE", GUILDS, guild, &event);
    }
}
