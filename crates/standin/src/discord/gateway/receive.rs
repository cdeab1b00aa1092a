//! What a client sends over an open connection.

use std::time::Duration;

use serde_json::{Value, json};

use super::identify;
use crate::discord::model::session::{Connection, Push, take};
use crate::discord::model::world::World;

/// Frames that a client may send in a minute.
const FRAMES_AT_MOST: usize = 120;
const FRAMES_WITHIN: Duration = Duration::from_secs(60);
/// The longest payload that a client may send.
const PAYLOAD_AT_MOST: usize = 4_096;

/// A connection was opened; it hears HELLO.
pub(crate) fn opened(world: &mut World, number: u64, connection: Connection) {
    world.gateway.counts.connects += 1;
    world.gateway.connections.insert(number, connection);
    if take(&mut world.gateway.pending.no_hello) {
        return;
    }
    let interval = u64::try_from(world.options.heartbeat.as_millis()).unwrap_or(u64::MAX);
    let hello = json!({ "op": 10, "s": null, "t": null, "d": { "heartbeat_interval": interval } });
    world.gateway.push_json(number, &hello);
}

/// A connection ended. Codes 1000 and 1001 end the session, too: a client that says so will not be back.
pub(crate) fn ended(world: &mut World, number: u64, code: Option<u16>) {
    world.gateway.connections.remove(&number);
    world.gateway.closed_by_client = code.or(world.gateway.closed_by_client);
    let is_for_good = matches!(code, Some(1_000 | 1_001));
    world.gateway.sessions.retain(|_, session| !(is_for_good && session.connection == Some(number)));
    for session in world.gateway.sessions.values_mut().filter(|session| session.connection == Some(number)) {
        session.connection = None;
    }
}

/// A text came.
pub(crate) fn text(world: &mut World, number: u64, text: &str) {
    let now = world.now;
    let Some(connection) = world.gateway.connections.get_mut(&number) else { return };
    if connection.is_zombie || connection.is_closing {
        return;
    }
    connection.frames.push_back(now);
    connection.frames.retain(|then| now.since(*then) < FRAMES_WITHIN);
    if connection.frames.len() > FRAMES_AT_MOST {
        return world.gateway.close(number, Push::Close(4_008, "Rate limited."));
    }
    let payload = serde_json::from_str::<Value>(text).ok().filter(|_| text.len() <= PAYLOAD_AT_MOST);
    let Some(payload) = payload else {
        return world.gateway.close(number, Push::Close(4_002, "Error while decoding payload."));
    };
    let has_session = world.gateway.sessions.values().any(|session| session.connection == Some(number));
    match (payload["op"].as_u64(), has_session) {
        (Some(1), _) => heartbeat(world, number),
        (Some(2 | 6), true) => world.gateway.close(number, Push::Close(4_005, "Already authenticated.")),
        (Some(2), false) => identify::identify(world, number, &payload["d"]),
        (Some(6), false) => identify::resume(world, number, &payload["d"]),
        (Some(3 | 4 | 8 | 31), true) => {}
        (Some(3 | 4 | 8 | 31), false) => world.gateway.close(number, Push::Close(4_003, "Not authenticated.")),
        _ => world.gateway.close(number, Push::Close(4_001, "Unknown opcode.")),
    }
}

fn heartbeat(world: &mut World, number: u64) {
    world.gateway.counts.heartbeats += 1;
    if let Some(connection) = world.gateway.connections.get_mut(&number) {
        connection.heartbeat_at = world.now;
    }
    if !take(&mut world.gateway.pending.no_ack) {
        world.gateway.push_json(number, &json!({ "op": 11, "s": null, "t": null, "d": null }));
    }
}

/// Whether the client was silent for two intervals: Discord closes such a connection.
pub(crate) fn silent(world: &mut World, number: u64) {
    let (now, at_most) = (world.now, world.options.heartbeat * 2);
    let Some(connection) = world.gateway.connections.get(&number) else { return };
    if !connection.is_zombie && !connection.is_closing && now.since(connection.heartbeat_at) > at_most {
        world.gateway.close(number, Push::Close(4_009, "Session timed out."));
    }
}
