//! What was said while the hub was away: read when a session began that is no continuation of the one before.

use serde_json::{Value, json};

use super::door::DiscordDoor;
use super::message;
use crate::actors::discord::Call;
use crate::domain::discord::Heard;

/// The longest absence that is made up for, in milliseconds: 15 minutes.
const LONGEST: u64 = 15 * 60 * 1_000;
/// The most channels and threads, those first in which something was said last.
const CHANNELS: usize = 50;
/// The most messages of one channel, in pages of 100.
const PAGES: usize = 5;
/// Discord's first moment, in milliseconds: ids count from it.
const FIRST_MOMENT: u64 = 1_420_070_400_000;
const AWAY: &str = "I was away when you wrote this; please say it again.";

/// Reads each channel behind the last message that was heard there, oldest first.
pub(super) async fn read(door: &DiscordDoor) {
    let mut heard: Vec<_> = door.shared.memory.borrow().heard.iter().map(|(channel, last)| (*last, *channel)).collect();
    heard.sort_unstable_by(|one, other| other.cmp(one));
    for (last, channel) in heard.into_iter().take(CHANNELS) {
        let mut after = last;
        for _ in 0..PAGES {
            let read = door.rest.call(Call::Read { channel, after }, &json!(null)).await;
            let Ok(Value::Array(mut messages)) = read else { break };
            messages.sort_by_key(id);
            let Some(newest) = messages.last().map(id) else { break };
            let full = messages.len() == 100;
            for one in messages {
                take(door, channel, one).await;
            }
            after = newest;
            if !full {
                break;
            }
        }
    }
}

async fn take(door: &DiscordDoor, channel: u64, mut one: Value) {
    let guild = door
        .shared
        .memory
        .borrow()
        .guilds
        .iter()
        .find_map(|(guild, names)| names.channels.contains_key(&channel).then(|| guild.to_string()));
    if one.get("guild_id").is_none()
        && let Some(guild) = guild
    {
        one["guild_id"] = json!(guild);
    }
    let Some(heard) = Heard::read(&one) else { return };
    let age = door.hub.clock.now().0.saturating_sub((heard.id >> 22) + FIRST_MOMENT);
    if age <= LONGEST {
        return message::heard(door, &heard).await;
    }
    let callees = super::callees::of_guild(door, heard.guild).await;
    if crate::domain::discord::asked(&heard, &callees) != crate::domain::discord::Asked::Nothing {
        door.reply(heard.channel, heard.id, AWAY).await;
    }
}

fn id(message: &Value) -> u64 {
    message.get("id").and_then(Value::as_str).and_then(|id| id.parse().ok()).unwrap_or_default()
}
