//! A message: a request, a follow-up, or nothing.

use serde_json::{Value, json};

use super::callees;
use super::door::DiscordDoor;
use super::follow_up;
use crate::domain::discord::{Asked, Heard, Place, asked};
use crate::domain::task::{Priority, TaskStateName};
use crate::settings::DirectMessages;
use crate::tools::people::{DiscordOrder, DiscordWork, OnDiscord};

/// Of how many channels and threads it is remembered up to where they were heard.
const CHANNELS: usize = 200;

/// Somebody wrote something, now or while the hub was away.
pub(super) async fn heard(door: &DiscordDoor, heard: &Heard) {
    door.under_way.send_modify(|under_way| {
        let (count, most) = under_way.entry(heard.channel).or_default();
        (*count, *most) = (*count + 1, heard.id.max(*most));
    });
    take(door, heard).await;
    remember(door, heard);
}

async fn take(door: &DiscordDoor, heard: &Heard) {
    if heard.author.is_program || !door.listens(heard.guild, heard.channel) {
        return;
    }
    let person = match door.person(&heard.author, heard.guild) {
        Ok(person) => person,
        Err(refusal) => return door.reply(heard.channel, heard.id, &refusal.message).await,
    };
    let direct = heard.guild.is_none();
    if direct && (door.settings().dm == DirectMessages::Off || !person.is_listed()) {
        return;
    }
    let (followed, closed) = follow_up::of(door, heard).await;
    if let Some(followed) = followed {
        return follow_up::say(door, &person, heard, followed).await;
    }
    match asked(heard, &callees::of_guild(door, heard.guild).await) {
        Asked::Nothing if closed => {
            let over = "This task is over. Mention a role in the channel to hand out another one.";
            door.tell_seldom(heard.author.id, heard.channel, heard.id, over).await;
        }
        Asked::Nothing => {}
        Asked::Hint(hint) => door.tell_seldom(heard.author.id, heard.channel, heard.id, hint).await,
        Asked::Work { targets, text } => {
            // In a thread, and in a direct message, no thread can begin.
            let thread = door.settings().thread_per_task && !direct && !closed;
            let place = Place { channel: heard.channel, message: heard.id, author: heard.author.id, thread };
            for target in targets {
                assign(door, &person, heard, place, target, text.clone()).await;
            }
        }
    }
}

async fn assign(door: &DiscordDoor, person: &OnDiscord, heard: &Heard, place: Place, target: String, text: String) {
    let work = DiscordWork {
        target,
        text,
        priority: Priority::Normal,
        context: context(place, heard),
        once: heard.id.to_string(),
    };
    if let Err(refusal) = person.hand_out(work).await {
        let text = format!("⛔ {}", refusal.message);
        if refusal.code == "NOT_PERMITTED" {
            door.tell_seldom(heard.author.id, heard.channel, heard.id, &text).await;
        } else {
            door.reply(heard.channel, heard.id, &text).await;
        }
    }
}

/// What stands beside the text: where it was asked for, what was attached, what the message answers.
fn context(place: Place, heard: &Heard) -> Value {
    let mut context = json!({ "discord": place.to_context() });
    if !heard.attachments.is_empty() {
        let files = heard.attachments.iter().map(|(name, url)| json!({"name": name, "url": url}));
        context["attachments"] = files.collect();
    }
    if let Some(to) = &heard.replied_to {
        context["repliedTo"] = json!({"author": to.author, "text": to.text});
    }
    context
}

/// A request was deleted: a task that nobody has yet is called off.
pub(super) async fn deleted(door: &DiscordDoor, data: &Value) {
    let id = data.get("id").and_then(Value::as_str).and_then(|id| id.parse().ok());
    let Some(message) = id else { return };
    for task in door.places.at(message) {
        let Some(place) = door.places.of(&task) else { continue };
        let Ok(Some(found)) = door.hub.task(&task).await else { continue };
        if found.state.name() != TaskStateName::Queued {
            continue;
        }
        // Discord says not who deleted it: it counts as the author's own word.
        let author = crate::domain::discord::Author { id: place.author, ..Default::default() };
        let Ok(person) = door.person(&author, None) else { continue };
        let once = format!("deleted:{message}:{task}");
        if let Err(refusal) = person.direct(task.as_str(), DiscordOrder::Cancel, &once).await {
            tracing::debug!("a request was deleted, and its task goes on: {}", refusal.message);
        }
    }
}

/// Up to which message a channel was heard: moved on once nothing of the channel is under way, so that what a crash
/// cut short is read again.
fn remember(door: &DiscordDoor, heard: &Heard) {
    let mut newest = None;
    door.under_way.send_modify(|under_way| {
        let Some((count, most)) = under_way.get_mut(&heard.channel) else { return };
        *count = count.saturating_sub(1);
        if *count == 0 {
            newest = Some(*most);
            under_way.remove(&heard.channel);
        }
    });
    let Some(newest) = newest else { return };
    door.shared.memory.send_if_modified(|memory| {
        let before = memory.heard.get(&heard.channel).copied().unwrap_or_default();
        memory.heard.insert(heard.channel, newest.max(before));
        while memory.heard.len() > CHANNELS {
            let oldest = memory.heard.iter().min_by_key(|(_, last)| **last).map(|(channel, _)| *channel);
            oldest.map(|channel| memory.heard.remove(&channel));
        }
        newest > before
    });
}
