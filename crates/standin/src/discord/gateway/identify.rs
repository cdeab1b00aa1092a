//! IDENTIFY and RESUME.

use std::collections::VecDeque;
use std::time::Duration;

use serde_json::{Value, json};

use crate::discord::dispatch::{GUILD_MEMBERS, MESSAGE_CONTENT, next};
use crate::discord::model::session::{Push, Session, take};
use crate::discord::model::world::World;
use crate::discord::render;

/// The highest bit of an intent that exists.
const INTENTS: u64 = (1 << 26) - 1;
const GUILD_PRESENCES: u64 = 1 << 8;
/// IDENTIFYs of one application are this far apart.
const BETWEEN_IDENTIFIES: Duration = Duration::from_secs(5);

pub(super) fn identify(world: &mut World, number: u64, data: &Value) {
    if let Some(refusal) = refused(world, data) {
        return world.gateway.close(number, refusal);
    }
    let now = world.now;
    let too_soon = world.gateway.identified_at.is_some_and(|then| now.since(then) < BETWEEN_IDENTIFIES);
    if too_soon && world.options.usual_limits {
        return world.gateway.push_json(number, &json!({ "op": 9, "s": null, "t": null, "d": false }));
    }
    if world.gateway.identifies_left == 0 {
        // More than 1,000 in a day: Discord ends all sessions and resets the token.
        world.options.token = format!("reset-{}", world.id());
        world.gateway.sessions.clear();
        return world.gateway.close(number, Push::Close(4_004, "Authentication failed."));
    }
    world.gateway.identifies_left -= 1;
    world.gateway.identified_at = Some(now);
    world.gateway.counts.identifies += 1;
    if take(&mut world.gateway.pending.no_ready) {
        return;
    }
    let id = format!("{:032x}", world.id());
    let ready = ready(world, &id);
    let guilds: Vec<_> = world.guilds.keys().copied().filter(|guild| world.bot_is_in(*guild)).collect();
    let guilds: Vec<_> = guilds.into_iter().map(|guild| render::guild_create(world, guild)).collect();
    let intents = data["intents"].as_u64().unwrap_or_default();
    let sent = VecDeque::new();
    let mut session = Session { intents, sequence: 0, sent, connection: Some(number) };
    let mut texts = vec![next(&mut session, "READY", &ready)];
    if intents & 1 != 0 {
        texts.extend(guilds.iter().map(|guild| next(&mut session, "GUILD_CREATE", guild)));
    }
    if let Some(pause) = world.gateway.pending.slow_ready.take() {
        world.gateway.push(number, Push::Pause(pause));
    }
    world.gateway.sessions.insert(id.clone(), session);
    for text in texts {
        world.gateway.push(number, Push::Text(text));
    }
    if take(&mut world.gateway.pending.end_sessions) {
        world.gateway.sessions.remove(&id);
        world.gateway.close(number, Push::Close(4_000, "Unknown error."));
    }
}

/// The close code of an IDENTIFY that is not taken.
fn refused(world: &World, data: &Value) -> Option<Push> {
    let known = |field: &str| data["properties"][field].is_string();
    if !data.is_object() || !["os", "browser", "device"].into_iter().all(known) || data["token"].as_str().is_none() {
        return Some(Push::Close(4_002, "Error while decoding payload."));
    }
    let token = data["token"].as_str().unwrap_or_default();
    if token.strip_prefix("Bot ").unwrap_or(token) != world.options.token {
        return Some(Push::Close(4_004, "Authentication failed."));
    }
    let shard = data.get("shard").filter(|shard| !shard.is_null());
    let shard_is_good = shard.is_none_or(|shard| match (shard[0].as_u64(), shard[1].as_u64()) {
        (Some(which), Some(of)) => which < of,
        (None, _) | (_, None) => false,
    });
    if !shard_is_good {
        return Some(Push::Close(4_010, "Invalid shard."));
    }
    let Some(intents) = data["intents"].as_u64().filter(|intents| *intents <= INTENTS) else {
        return Some(Push::Close(4_013, "Invalid intent(s)."));
    };
    let switched_on = if world.options.message_content { MESSAGE_CONTENT } else { 0 };
    let privileged = GUILD_MEMBERS | GUILD_PRESENCES | MESSAGE_CONTENT;
    (intents & privileged & !switched_on != 0).then_some(Push::Close(4_014, "Disallowed intent(s)."))
}

fn ready(world: &World, session: &str) -> Value {
    let guilds = world.guilds.keys().filter(|guild| world.bot_is_in(**guild));
    let guilds: Value = guilds.map(|guild| json!({ "id": render::id(*guild), "unavailable": true })).collect();
    json!({
        "v": 10, "user": render::current_user(world), "guilds": guilds, "session_id": session, "session_type": "normal",
        "resume_gateway_url": format!("ws://{}", world.address), "shard": [0, 1],
        "application": { "id": render::id(world.bot), "flags": 0 },
    })
}

pub(super) fn resume(world: &mut World, number: u64, data: &Value) {
    let token = data["token"].as_str().unwrap_or_default();
    if token.strip_prefix("Bot ").unwrap_or(token) != world.options.token {
        return world.gateway.close(number, Push::Close(4_004, "Authentication failed."));
    }
    if let Some(code) = world.gateway.pending.close_resume.take() {
        let id = data["session_id"].as_str().unwrap_or_default();
        world.gateway.sessions.remove(id);
        return world.gateway.close(number, Push::Close(code, "The session cannot be resumed."));
    }
    let known = data["session_id"].as_str().and_then(|id| world.gateway.sessions.get_mut(id));
    let Some((session, heard)) = known.zip(data["seq"].as_u64()) else {
        return world.gateway.push_json(number, &json!({ "op": 9, "s": null, "t": null, "d": false }));
    };
    if heard > session.sequence {
        return world.gateway.close(number, Push::Close(4_007, "Invalid seq."));
    }
    let before = session.connection.replace(number);
    let missed: Vec<_> =
        session.sent.iter().filter(|(number, _)| *number > heard).map(|(_, text)| text.clone()).collect();
    let resumed = next(session, "RESUMED", &json!({ "_trace": [] }));
    if let Some(before) = before {
        world.gateway.push(before, Push::Close(4_000, "Resumed elsewhere."));
    }
    world.gateway.counts.resumes += 1;
    let early = std::mem::take(&mut world.gateway.pending.early_resumed);
    let (first, last) = if early { (Some(resumed), None) } else { (None, Some(resumed)) };
    for text in first.into_iter().chain(missed).chain(last) {
        world.gateway.push(number, Push::Text(text));
    }
}
