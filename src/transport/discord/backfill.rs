//! What was said while the hub was away: read when a session began that is no continuation of the one before.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::{sleep, timeout};

use super::door::DiscordDoor;
use super::message;
use crate::actors::discord::{Call, Fail};
use crate::domain::discord::{DiscordMessage, written_at};

/// The longest absence that is made up for.
const LONGEST: Duration = Duration::from_secs(15 * 60);
/// The most channels and threads, those first in which something was said last.
const CHANNELS: usize = 50;
/// The most messages of one channel, in pages of 100.
const PAGES: usize = 5;
/// The most messages that are named as to be said again.
const LINKS: usize = 10;
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
                Err(fail) if fail.is_later() && door.hub.clock.now().since(began) < LONGEST => {
                    tracing::debug!("what was said in {channel} meanwhile is read later: {fail}");
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

/// Reads one channel behind a message: the newest first, since they can still be done; handled in their order.
async fn behind(door: &DiscordDoor, channel: u64, last: u64) -> Result<(), Fail> {
    let (mut all, mut before, mut complete) = (Vec::new(), None, false);
    for _ in 0..PAGES {
        let read = door.rest.call(Call::Read { channel, before }, &Value::Null).await?;
        let Value::Array(page) = read else { break };
        before = page.iter().map(id).min();
        complete = page.len() < 100 || before.is_none_or(|oldest| oldest <= last);
        all.extend(page.into_iter().filter(|one| id(one) > last));
        if complete {
            break;
        }
    }
    let Some(newest) = all.iter().map(id).max() else { return Ok(()) };
    all.sort_by_key(id);
    let (guild, mut members, mut missed) = (guild_of(door, channel).await?, BTreeMap::new(), Vec::new());
    for one in all {
        missed.extend(take(door, guild, one, &mut members).await);
    }
    let unread = before.filter(|_| !complete && door.listens(guild, channel));
    say_again(door, (guild, channel), newest, &missed, unread).await;
    Ok(())
}

/// Says once in the channel what has to be said again: calls that are too old, and whatever nobody read.
async fn say_again(
    door: &DiscordDoor,
    (guild, channel): (Option<u64>, u64),
    newest: u64,
    missed: &[u64],
    unread: Option<u64>,
) {
    if let ([one], None) = (missed, unread) {
        return door.reply(channel, *one, message::AWAY).await;
    }
    let place = guild.map_or_else(|| "@me".to_owned(), |guild| guild.to_string());
    let link = |message: &u64| format!("https://discord.com/channels/{place}/{channel}/{message}");
    let mut said = Vec::new();
    if let Some(oldest) = unread {
        let until = written_at(oldest).0 / 1_000;
        said.push(format!(
            "I was away, and read back to <t:{until}:f> only. If you called me before that, say it again."
        ));
    }
    if !missed.is_empty() {
        let links = missed.iter().rev().take(LINKS).map(link).collect::<Vec<_>>();
        said.push(format!("I was away too long to do these; please say them again: {}", links.join(" ")));
    }
    if said.is_empty() {
        return;
    }
    let body = json!({"content": said.join("\n"), "allowed_mentions": {"parse": []}, "nonce": format!("w{newest}"),
        "enforce_nonce": true});
    door.note(door.rest.call(Call::Post { channel, file: None }, &body).await);
}

/// The guild of a channel, once its names are known; none of a direct message.
async fn guild_of(door: &DiscordDoor, channel: u64) -> Result<Option<u64>, Fail> {
    let known = door.shared.guild_of(channel);
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

/// Takes a listed message, which lacks guild and roles. Returns the id of a call that is too old to be done.
async fn take(door: &DiscordDoor, guild: Option<u64>, mut one: Value, members: &mut Members) -> Option<u64> {
    let DiscordMessage { author, .. } = DiscordMessage::read(&one)?;
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
    let heard = DiscordMessage::read(&one)?;
    let age = door.hub.clock.machine_now().since(written_at(heard.id));
    if age <= LONGEST && author_is_known {
        message::heard(door, &heard, door.turn(heard.channel)).await;
        return None;
    }
    let is_old_call = !heard.author.is_program && message::calls(door, &heard).await;
    is_old_call.then_some(heard.id)
}

async fn member(door: &DiscordDoor, guild: u64, user: u64) -> Option<Value> {
    match door.rest.call(Call::Member { guild, user }, &Value::Null).await {
        Ok(member) => Some(member),
        Err(fail) if fail.is_later() => None,
        Err(_) => Some(Value::Null),
    }
}

fn id(message: &Value) -> u64 {
    message.get("id").and_then(Value::as_str).and_then(|id| id.parse().ok()).unwrap_or_default()
}
