//! A deleted or edited request: not yet taken, it counts as it stands; later, for as long as nobody has its task.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::timeout;

use super::callees;
use super::door::DiscordDoor;
use super::follow_up;
use super::retry::until_taken;
use super::turn::Turn;
use crate::actors::discord::{Call, Fail};
use crate::domain::discord::{Author, DiscordMessage, DiscordOrigin, Hint, MentionRequest, quoted, written_at};
use crate::domain::ids::TaskId;
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
            if found.is_open() {
                door.says_that_it_goes_on(place.room(), message).await;
            }
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
                found["guild_id"] = json!(door.shared.guild_of(channel).map(|guild| guild.to_string()));
                edited(door, &found, door.turn(channel)).await;
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
pub(super) async fn edited(door: &DiscordDoor, data: &Value, turn: Turn) {
    let Some(heard) = DiscordMessage::read(data) else { return };
    let is_call = heard.mentions_somebody() || !door.places.at(heard.id).is_empty();
    // A preview of a link comes in the same event, and is no edit.
    if heard.edited.is_none() || heard.author.is_program || !door.listens(heard.guild, heard.channel) {
        return;
    }
    if !is_call {
        return follow_up::edited(door, &heard, turn).await;
    }
    // It waits for all that is under way in its channel, and that may wait for turns.
    drop(turn);
    let mut under_way = door.under_way.subscribe();
    let taken = under_way.wait_for(|under_way| !under_way.contains_key(&heard.channel));
    drop(timeout(TAKEN_WITHIN, taken).await);
    let Some(heard) = as_it_stands(door, &heard).await.filter(|heard| !heard.text.is_empty()) else { return };
    let Ok(person) = door.person(&heard.author, heard.guild) else { return };
    // What a command asked for has words of its own.
    let is_own = |place: &DiscordOrigin| place.author == heard.author.id && place.written_by.is_none();
    let own = |id: TaskId| door.places.of(&id).filter(is_own).map(|place| (id, place.room()));
    let own: Vec<_> = door.places.at(heard.id).into_iter().filter_map(own).collect();
    let call = callees::called(door, &heard).await;
    if says_whom_else(door, &heard, &own, &call).await {
        return;
    }
    let MentionRequest::Work { text, .. } = call else { return };
    let text = door.named(&text, &heard);
    let (mut taken, mut late, mut room) = (Vec::new(), Vec::new(), heard.channel);
    for (id, of_task) in own {
        room = of_task;
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

/// Whether the edit calls others than those who were called, or nobody. As long as nobody has the work it is said once
/// that it changes nothing, and how to call it off: an edit changes words alone.
async fn says_whom_else(
    door: &DiscordDoor,
    heard: &DiscordMessage,
    own: &[(TaskId, u64)],
    call: &MentionRequest,
) -> bool {
    let mut tasks = Vec::new();
    for (id, _) in own {
        tasks.extend(door.hub.task(id).await.ok().flatten());
    }
    let targets: BTreeSet<_> = tasks.iter().map(|task| task.spec.target.to_string()).collect();
    let called = match call {
        MentionRequest::Work { targets, .. } => targets.iter().cloned().collect(),
        MentionRequest::Hint(Hint::NoWords, target) => BTreeSet::from([target.clone()]),
        MentionRequest::Nothing | MentionRequest::Hint(..) => BTreeSet::new(),
    };
    if tasks.iter().all(|task| task.state.name() != TaskStateName::Queued) || called == targets {
        return false;
    }
    let hint = format!("hint:calls:{}:{}", heard.id, heard.edited.unwrap_or_default());
    if door.shared.message(&hint).is_some() {
        return true;
    }
    let settings = door.hub.settings();
    let names = |targets: &BTreeSet<String>| {
        targets.iter().map(|target| quoted(&callees::shown(&settings, target), 80)).collect::<Vec<_>>().join(", ")
    };
    let (keeps, calls) = (names(&targets), names(&called));
    let (calls, more) = match calls.as_str() {
        "" => ("nobody", String::new()),
        calls => (calls, format!("; for {calls} write a new one")),
    };
    let text = format!(
        "⚠️ Your message calls {calls} now, and an edit changes the words alone: {keeps} keeps the words that it \
         has. To call it off, press Cancel or delete your message{more}."
    );
    door.reply_to_edit(heard, &text).await;
    door.shared.keep_message(hint, heard.channel, heard.id);
    true
}
