//! Servers, their roles, channels and members; and what the bot is.

use serde_json::{Value, json};

use super::call::{Call, Outcome, Reply};
use super::check;
use super::error::ApiError;
use crate::discord::model::snowflake::Id;
use crate::discord::model::world::World;
use crate::discord::{permission, render};

/// Flags of an application with `MESSAGE_CONTENT` switched on, for one in fewer than a hundred servers.
const MESSAGE_CONTENT_LIMITED: u64 = 1 << 19;

pub(crate) fn gateway(world: &World) -> Reply {
    Reply::ok(json!({ "url": format!("ws://{}", world.address) }))
}

pub(crate) fn gateway_for_bots(world: &World) -> Reply {
    let left = world.gateway.identifies_left;
    let limit = json!({ "total": 1_000, "remaining": left, "reset_after": 14_400_000, "max_concurrency": 1 });
    let url = format!("ws://{}", world.address);
    Reply::ok(json!({ "url": url, "shards": 1, "session_start_limit": limit }))
}

pub(crate) fn me(world: &World) -> Reply {
    Reply::ok(render::current_user(world))
}

pub(crate) fn application(world: &World) -> Reply {
    let flags = if world.options.message_content { MESSAGE_CONTENT_LIMITED } else { 0 };
    Reply::ok(json!({
        "id": render::id(world.bot), "name": "Callboard", "icon": null, "description": "", "bot_public": false,
        "bot_require_code_grant": false, "verify_key": "0".repeat(64), "team": null, "flags": flags,
        "owner": render::user(world, world.bot), "bot": render::user(world, world.bot), "summary": "",
    }))
}

pub(crate) fn my_guilds(world: &World) -> Reply {
    let mine = world.guilds.iter().filter(|(guild, _)| world.bot_is_in(**guild));
    let shown = mine.map(|(guild, known)| {
        let permissions = permission::in_guild(world, world.bot, *guild).to_string();
        json!({
            "id": render::id(*guild), "name": known.name, "icon": null, "owner": false, "permissions": permissions,
            "features": [],
        })
    });
    Reply::ok(shown.collect())
}

pub(crate) fn get(world: &mut World, call: &Call) -> Outcome {
    about(world, call, render::guild)
}

pub(crate) fn roles(world: &mut World, call: &Call) -> Outcome {
    about(world, call, render::roles)
}

pub(crate) fn channels(world: &mut World, call: &Call) -> Outcome {
    about(world, call, render::channels)
}

pub(crate) fn threads(world: &mut World, call: &Call) -> Outcome {
    about(world, call, |world, guild| json!({ "threads": render::threads(world, guild), "members": [] }))
}

fn about(world: &World, call: &Call, shown: fn(&World, Id) -> Value) -> Outcome {
    let guild = call.id("guild")?;
    check::guild(world, guild)?;
    Ok(Reply::ok(shown(world, guild)))
}

pub(crate) fn member(world: &mut World, call: &Call) -> Outcome {
    let guild = call.id("guild")?;
    check::guild(world, guild)?;
    let whom = if call.param("user") == "@me" { world.bot } else { call.id("user")? };
    let members = world.guilds.get(&guild).map(|guild| &guild.members);
    if !world.users.contains_key(&whom) {
        return Err(ApiError::known(10_013));
    }
    if !members.is_some_and(|members| members.contains_key(&whom)) {
        return Err(ApiError::known(10_007));
    }
    Ok(Reply::ok(render::member(world, guild, whom)))
}
