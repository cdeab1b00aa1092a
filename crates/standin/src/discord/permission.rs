//! How Discord computes what a member may do in a channel.
//!
//! Order: the roles of the server are united; `ADMINISTRATOR` ends it; then the overwrites of the channel (for
//! everybody, for roles, for the member), each first denying and then allowing. A thread has those of its parent.

use super::model::permission_bits::{ADMINISTRATOR, VIEW_CHANNEL};
use super::model::place::Overwrite;
use super::model::snowflake::Id;
use super::model::world::World;

/// What `user` may in `channel`; everything in direct messages, nothing outside the server.
pub(super) fn in_channel(world: &World, user: Id, channel: Id) -> u64 {
    let Some(channel) = world.channels.get(&channel) else { return 0 };
    let Some(guild) = channel.guild else { return if channel.recipients.contains(&user) { u64::MAX } else { 0 } };
    let place = channel.parent.and_then(|parent| world.channels.get(&parent)).unwrap_or(channel);
    let base = in_guild(world, user, guild);
    let Some(roles) = world.guilds.get(&guild).and_then(|guild| guild.members.get(&user)) else { return 0 };
    if base & ADMINISTRATOR != 0 {
        return u64::MAX;
    }
    let of = |wanted: &dyn Fn(&Overwrite) -> bool| {
        let found = place.overwrites.iter().filter(|over| wanted(over));
        found.fold((0, 0), |(allow, deny), over| (allow | over.allow, deny | over.deny))
    };
    let steps = [
        of(&|over| over.whom == guild),
        of(&|over| !over.is_member && over.whom != guild && roles.contains(&over.whom)),
        of(&|over| over.is_member && over.whom == user),
    ];
    let permissions = steps.iter().fold(base, |permissions, (allow, deny)| (permissions & !deny) | allow);
    if permissions & VIEW_CHANNEL == 0 { 0 } else { permissions }
}

/// What the roles of `user` give in `guild`.
pub(super) fn in_guild(world: &World, user: Id, guild: Id) -> u64 {
    let Some(inside) = world.guilds.get(&guild) else { return 0 };
    let Some(roles) = inside.members.get(&user) else { return 0 };
    let given = |role: &Id| inside.roles.get(role).map_or(0, |role| role.permissions);
    roles.iter().chain([&guild]).map(given).fold(0, |all, permissions| all | permissions)
}
