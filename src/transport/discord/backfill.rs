//! What was said while the hub was away: read when a session began that is no continuation of the one before.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::{sleep, timeout};

use super::door::DiscordDoor;
use super::message;
use crate::actors::discord::{Call, Fail, Guild};
use crate::domain::discord::{DiscordMessage, written_at};

/// The longest absence that is made up for.
const LONGEST: Duration = Duration::from_secs(15 * 60);
/// The most channels and threads, those first in which something was said last.
const CHANNELS: usize = 50;
/// The most messages of one channel, in pages of 100.
const PAGES: usize = 5;
/// How long to wait before Discord is asked again where it did not answer, in seconds; then a minute each time.
const PAUSES: [u64; 5] = [1, 2, 5, 10, 30];
/// How long to wait until a session told the names of a guild.
const NAMES_WITHIN: Duration = Duration::from_secs(60);

/// Reads each channel behind the last message that was heard there, oldest first.
pub(super) async fn read(door: &DiscordDoor) {
    let mut left: Vec<_> = door.shared.memory.borrow().heard.iter().map(|(channel, last)| (*last, *channel)).collect();
    left.sort_unstable_by(|one, other| other.cmp(one));
    left.truncate(CHANNELS);
    // Until a channel is read, nothing newer of it counts as the last that was heard there.
    left.iter().for_each(|(last, channel)| message::begins(door, *channel, *last));
    let began = door.hub.clock.now();
    let mut pauses = PAUSES.into_iter();
    loop {
        let mut again = Vec::new();
        for (last, channel) in left {
            match behind(door, channel, last).await {
                Err(Fail::Later(why)) if door.hub.clock.now().since(began) < LONGEST => {
                    tracing::debug!("what was said in {channel} meanwhile is read later: {why}");
                    again.push((last, channel));
                    continue;
                }
                Err(fail) => tracing::debug!("what was said in {channel} meanwhile is not read: {fail}"),
                Ok(()) => {}
            }
            message::ended(door, channel);
        }
        if again.is_empty() {
            return;
        }
        left = again;
        sleep(Duration::from_secs(pauses.next().unwrap_or(60))).await;
    }
}

/// Reads one channel behind a message.
async fn behind(door: &DiscordDoor, channel: u64, last: u64) -> Result<(), Fail> {
    let mut after = last;
    let (mut guild, mut members) = (None, BTreeMap::new());
    for _ in 0..PAGES {
        let read = door.rest.call(Call::Read { channel, after }, &Value::Null).await?;
        let Value::Array(mut messages) = read else { break };
        messages.sort_by_key(id);
        let Some(newest) = messages.last().map(id) else { break };
        if guild.is_none() {
            guild = Some(guild_of(door, channel).await?);
        }
        let full = messages.len() == 100;
        for one in messages {
            take(door, guild.flatten(), one, &mut members).await;
        }
        after = newest;
        if !full {
            break;
        }
    }
    Ok(())
}

/// The guild of a channel, once its names are known; none of a direct message.
async fn guild_of(door: &DiscordDoor, channel: u64) -> Result<Option<u64>, Fail> {
    let has = |(guild, names): (&u64, &Guild)| names.channels.contains_key(&channel).then_some(*guild);
    let known = door.shared.memory.borrow().guilds.iter().find_map(has);
    if known.is_some() {
        return Ok(known);
    }
    let found = door.rest.call(Call::Channel { channel }, &Value::Null).await?;
    let Some(guild) = found.get("guild_id").and_then(Value::as_str).and_then(|id| id.parse().ok()) else {
        return Ok(None);
    };
    // A session tells the names right after it began.
    let mut memory = door.shared.memory.subscribe();
    let told = timeout(NAMES_WITHIN, memory.wait_for(|memory| memory.guilds.contains_key(&guild))).await.is_ok();
    told.then_some(Some(guild)).ok_or_else(|| Fail::Later("the names of its guild are not told".to_owned()))
}

/// What each author is in the guild; none where that cannot be read now.
type Members = BTreeMap<u64, Option<Value>>;

/// Takes a message of a list, which says neither its guild nor the roles of its author.
async fn take(door: &DiscordDoor, guild: Option<u64>, mut one: Value, members: &mut Members) {
    let Some(DiscordMessage { author, .. }) = DiscordMessage::read(&one) else { return };
    let mut author_is_known = true;
    if let Some(guild) = guild {
        one["guild_id"] = json!(guild.to_string());
        if !author.is_program {
            if let Entry::Vacant(entry) = members.entry(author.id) {
                entry.insert(member(door, guild, author.id).await);
            }
            let member = members.get(&author.id).cloned().flatten();
            author_is_known = member.is_some();
            one["member"] = member.unwrap_or_default();
        }
    }
    let Some(heard) = DiscordMessage::read(&one) else { return };
    let age = door.hub.clock.machine_now().since(written_at(heard.id));
    if age <= LONGEST && author_is_known {
        message::heard(door, &heard).await;
    } else {
        message::missed(door, &heard).await;
    }
}

/// Who somebody is in a guild; nobody who left it has a role there.
async fn member(door: &DiscordDoor, guild: u64, user: u64) -> Option<Value> {
    match door.rest.call(Call::Member { guild, user }, &Value::Null).await {
        Ok(member) => Some(member),
        Err(Fail::No { .. }) => Some(Value::Null),
        Err(Fail::Later(_)) => None,
    }
}

fn id(message: &Value) -> u64 {
    message.get("id").and_then(Value::as_str).and_then(|id| id.parse().ok()).unwrap_or_default()
}
