//! Faults of the gateway, set off.

use serde_json::json;

use crate::discord::dispatch;
use crate::discord::model::session::{GatewayFault, Pending, Push};
use crate::discord::model::world::World;

/// Close codes after which a client may not RESUME.
const ENDS_THE_SESSION: [u16; 9] = [4_003, 4_004, 4_007, 4_009, 4_010, 4_011, 4_012, 4_013, 4_014];

pub(crate) fn set_off(world: &mut World, fault: GatewayFault) {
    let pending = &mut world.gateway.pending;
    match fault {
        GatewayFault::Refuse(times) => pending.refuse = times,
        GatewayFault::Duplicate(times) => pending.duplicate = times,
        GatewayFault::NoHello(times) => pending.no_hello = times,
        GatewayFault::NoAck(times) => pending.no_ack = times,
        GatewayFault::EndSessions(times) => pending.end_sessions = times,
        GatewayFault::SlowReady(pause) => pending.slow_ready = Some(pause),
        GatewayFault::NoReady(count) => pending.no_ready = count,
        GatewayFault::EarlyResumed => pending.early_resumed = true,
        GatewayFault::CloseResume(code) => pending.close_resume = Some(code),
        GatewayFault::DropTcp => end_all(world, &Push::Drop),
        GatewayFault::Close(code) => {
            if ENDS_THE_SESSION.contains(&code) {
                world.gateway.sessions.clear();
            }
            end_all(world, &Push::Close(code, "As the test wants it."));
        }
        GatewayFault::ForgetSessions => world.gateway.sessions.clear(),
        GatewayFault::Zombie => {
            for connection in world.gateway.connections.values_mut() {
                connection.is_zombie = true;
            }
        }
        GatewayFault::Malformed => {
            let event = json!({ "id": 17, "channel_id": [], "author": "nobody", "content": null });
            dispatch::to_everybody(world, "MESSAGE_CREATE", &event);
        }
        GatewayFault::Unknown => dispatch::to_everybody(world, "MOON_PHASE_UPDATE", &json!({ "phase": "full" })),
        GatewayFault::NotJson => say(world, "{\"op\": 0, \"t\": "),
        GatewayFault::Reconnect => say(world, r#"{"op":7,"s":null,"t":null,"d":null}"#),
        GatewayFault::WantHeartbeat => say(world, r#"{"op":1,"s":null,"t":null,"d":null}"#),
        GatewayFault::InvalidSession(resumable) => {
            if !resumable {
                world.gateway.sessions.clear();
            }
            say(world, &json!({ "op": 9, "s": null, "t": null, "d": resumable }).to_string());
        }
        GatewayFault::ResetToken(token) => {
            world.options.token = token;
            world.gateway.sessions.clear();
            end_all(world, &Push::Close(4_004, "Authentication failed."));
        }
    }
}

/// Nothing waits any more; connections that are zombies stay so until they are closed.
pub(crate) fn clear(world: &mut World) {
    world.gateway.pending = Pending::default();
}

fn say(world: &World, text: &str) {
    for connection in world.gateway.connections.keys() {
        world.gateway.push(*connection, Push::Text(text.into()));
    }
}

fn end_all(world: &mut World, how: &Push) {
    let open: Vec<_> = world.gateway.connections.keys().copied().collect();
    for connection in open {
        world.gateway.close(connection, how.clone());
    }
}
