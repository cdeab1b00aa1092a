//! A deleted or edited request: not yet taken, it counts as it stands; later, for as long as nobody has its task.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::timeout;

use super::callees;
use super::door::DiscordDoor;
use super::follow_up;
use super::retry::until_taken;
use crate::actors::discord::{Call, Fail};
use crate::domain::discord::{Author, DiscordMessage, DiscordOrigin, MentionRequest, written_at};
use crate::domain::task::TaskStateName;
use crate::tools::people::DiscordOrder;

/// A message that comes later than this after it was written may have changed since: it is looked at again.
const AT_ONCE: Duration = Duration::from_secs(5);
/// How long an edit waits for what is under way in its channel.
const TAKEN_WITHIN: Duration = Duration::from_secs(200);
/// Discord's code where there is no such message.
const UNKNOWN_MESSAGE: u64 = 10_008;
/// Of how many messages it is known that they were deleted.
const GONE: usize = 10_000;
/// How many requests are looked at when a session began.
const LOOKED_AT: usize = 100;

/// Notes what an event deletes, before anything of it is done: its request may be under way.
pub(super) fn note_gone(door: &DiscordDoor, event: &str, data: &Value) {
    if matches!(event, "MESSAGE_DELETE" | "MESSAGE_DELETE_BULK") {
        door.gone.send_modify(|gone| {
            gone.extend(ids(data));
            while gone.len() > GONE {
                gone.pop_first();
            }
        });
    }
}

/// Requests were deleted, one or many at once: a task that nobody has yet is called off.
pub(super) async fn deleted(door: &DiscordDoor, data: &Value) {
    for message in ids(data) {
        call_off(door, message).await;
    }
}

fn ids(data: &Value) -> BTreeSet<u64> {
    let many = data.get("ids").and_then(Value::as_array).into_iter().flatten();
    data.get("id").into_iter().chain(many).filter_map(|id| id.as_str()?.parse().ok()).collect()
}

pub(super) async fn call_off(door: &DiscordDoor, message: u64) {
    for task in door.places.at(message) {
        let Some(place) = door.places.of(&task).filter(|place| place.goes_with_message()) else { continue };
        // What somebody took up is not asked for: each decision about rights stands in the audit.
        if let Ok(Some(found)) = door.hub.task(&task).await
            && found.state.name() != TaskStateName::Queued
        {
            continue;
        }
        // Discord says not who deleted it: it counts as the author's own word.
        let author = Author { id: place.author, ..Default::default() };
        let Ok(person) = door.person(&author, None) else { continue };
        let once = format!("deleted:{message}:{task}");
        if let Err(refusal) = until_taken(|| person.direct(task.as_str(), DiscordOrder::Withdraw, &once)).await {
            tracing::debug!("a request was deleted, and its task goes on: {}", refusal.message);
        }
    }
}

/// Looks at the requests of what nobody has: they may have been deleted or edited while nobody listened.
pub(super) async fn look_again(door: &DiscordDoor) {
    let Ok(open) = door.hub.journal.read(|reader| reader.open_tasks()).await else { return };
    let queued = open.iter().filter(|task| task.state.name() == TaskStateName::Queued);
    let places = queued.filter_map(|task| door.places.of(&task.spec.id)).map(|place| (place.message, place.channel));
    let places: BTreeSet<_> = places.collect();
    for (message, channel) in places.into_iter().rev().take(LOOKED_AT) {
        match door.rest.call(Call::Message { channel, message }, &Value::Null).await {
            Err(Fail::No { code: UNKNOWN_MESSAGE, .. }) => call_off(door, message).await,
            Err(_) => {}
            Ok(mut found) => {
                found["guild_id"] = json!(door.guild_of(channel).map(|guild| guild.to_string()));
                edited(door, &found).await;
            }
        }
    }
}

/// A request as it stands now; none where it was deleted.
pub(super) async fn as_it_stands(door: &DiscordDoor, heard: &DiscordMessage) -> Option<DiscordMessage> {
    if door.is_gone(heard.id) {
        return None;
    }
    // Events overtake one another: what was edited is read again, and what is not quite new.
    if heard.edited.is_none() && door.hub.clock.machine_now().since(written_at(heard.id)) <= AT_ONCE {
        return Some(heard.clone());
    }
    let call = Call::Message { channel: heard.channel, message: heard.id };
    let found = match door.rest.call(call, &Value::Null).await {
        Ok(found) => DiscordMessage::read(&found),
        Err(Fail::No { code: UNKNOWN_MESSAGE, .. }) => return None,
        // What came counts where Discord does not say.
        Err(_) => None,
    };
    let Some(DiscordMessage { text, roles, users, attachments, edited, .. }) = found else {
        return Some(heard.clone());
    };
    Some(DiscordMessage { text, roles, users, attachments, edited, ..heard.clone() })
}

/// A request was edited: its task asks for the new words, as long as nobody has read the old ones.
pub(super) async fn edited(door: &DiscordDoor, data: &Value) {
    let Some(heard) = DiscordMessage::read(data) else { return };
    let is_call = heard.mentions_somebody() || !door.places.at(heard.id).is_empty();
    // A preview of a link comes in the same event, and is no edit.
    if heard.edited.is_none() || heard.author.is_program || !door.listens(heard.guild, heard.channel) {
        return;
    }
    if !is_call {
        return follow_up::edited(door, &heard).await;
    }
    let mut under_way = door.under_way.subscribe();
    let taken = under_way.wait_for(|under_way| !under_way.contains_key(&heard.channel));
    drop(timeout(TAKEN_WITHIN, taken).await);
    let Some(heard) = as_it_stands(door, &heard).await.filter(|heard| !heard.text.is_empty()) else { return };
    let Ok(person) = door.person(&heard.author, heard.guild) else { return };
    let text = match callees::called(door, &heard).await {
        MentionRequest::Work { text, .. } => door.named(&text, &heard),
        MentionRequest::Nothing => door.named(&heard.text, &heard),
        MentionRequest::Hint(..) => return,
    };
    let (mut taken, mut late, mut room) = (Vec::new(), Vec::new(), heard.channel);
    for id in door.places.at(heard.id) {
        // What a command asked for has words of its own.
        let is_own = |place: &DiscordOrigin| place.author == heard.author.id && place.written_by.is_none();
        let Some(place) = door.places.of(&id).filter(is_own) else { continue };
        room = place.room();
        let once = format!("edited:{}:{}:{id}", heard.edited.unwrap_or_default(), heard.id);
        let order = || DiscordOrder::Edit(text.clone(), heard.edited);
        match until_taken(|| person.direct(id.as_str(), order(), &once)).await {
            Ok(after) if after.changed => taken.push(door.who(id.as_str()).await),
            Err(refusal) if refusal.code == "TASK_WRONG_STATE" => late.push(door.who(id.as_str()).await),
            Ok(_) | Err(_) => {}
        }
    }
    if !taken.is_empty() {
        let text = format!("✏️ {} gets the new words.", taken.join(", "));
        door.reply_as('e', heard.channel, heard.id, &text).await;
    }
    let hint = format!("hint:edited:{}", heard.id);
    if !late.is_empty() && door.shared.message(&hint).is_none() {
        let place = if room == heard.channel { "reply here with".to_owned() } else { format!("write in <#{room}>") };
        let text = format!("{} has the earlier words already: {place} what is different.", late.join(", "));
        door.reply_as('l', heard.channel, heard.id, &text).await;
        door.shared.keep_message(hint, heard.channel, heard.id);
    }
}
