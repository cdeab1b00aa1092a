//! A message: a request, a follow-up, or nothing.

use std::time::Duration;

use serde_json::{Value, json};

use super::callees;
use super::changed;
use super::door::DiscordDoor;
use super::follow_up::{self, FollowUp};
use super::press::said;
use super::retry::until_taken;
use super::turn::Turn;
use crate::broken::{self, Break};
use crate::domain::discord::{Callees, DiscordMessage, DiscordOrigin, Hint, MentionRequest, asked, written_at};
use crate::domain::task::Priority;
use crate::settings::DirectMessages;
use crate::tools::people::{DiscordWork, OnDiscord};

/// Older messages are never taken: a task's key prevents repeats for 24 hours, and half of that is a safe margin.
const NO_OLDER: Duration = Duration::from_secs(12 * 60 * 60);
/// Of how many messages it is known that this process took them; a page of what is read back has 100.
const LATELY: usize = 10_000;
pub(super) const AWAY: &str = "I was away when you wrote this; please say it again.";

/// Somebody wrote something. The connection and the backfill may both tell it: the first counts.
pub(super) async fn heard(door: &DiscordDoor, heard: &DiscordMessage, turn: Turn) {
    let new = door.lately.send_if_modified(|lately| {
        let new = lately.insert(heard.id);
        while lately.len() > LATELY {
            lately.pop_first();
        }
        new
    });
    if !new && !broken::by(Break::HearsTwice) {
        return;
    }
    begins(door, heard.channel, heard.id);
    turn.comes().await;
    if door.hub.clock.machine_now().since(written_at(heard.id)) <= NO_OLDER {
        take(door, heard, turn).await;
    } else if calls(door, heard).await {
        door.reply(heard.channel, heard.id, AWAY).await;
    }
    ended(door, heard.channel);
}

pub(super) async fn calls(door: &DiscordDoor, heard: &DiscordMessage) -> bool {
    door.listens(heard.guild, heard.channel) && callees::called(door, heard).await != MentionRequest::Nothing
}

async fn take(door: &DiscordDoor, heard: &DiscordMessage, turn: Turn) {
    if heard.author.is_program || !door.listens(heard.guild, heard.channel) {
        return;
    }
    let person = match door.person(&heard.author, heard.guild) {
        Ok(person) => person,
        Err(refusal) => return door.reply(heard.channel, heard.id, &said(&door.hub, None, &refusal)).await,
    };
    let direct = heard.guild.is_none();
    if direct && (door.settings().dm == DirectMessages::Off || !person.is_listed()) {
        return;
    }
    let (followed, closed) = follow_up::of(door, heard).await;
    let call = callees::called(door, heard).await;
    let has_ended = matches!(followed, Some(FollowUp::Ended(_)));
    if heard.is_unreadable {
        if (followed.is_some() && !has_ended) || direct {
            let odd = callees::how(door, &person, Hint::Unreadable, "").await;
            door.tell_seldom(Some(Hint::Unreadable), heard, &odd).await;
        }
        return;
    }
    // In a direct message nobody needs to mention anybody: whom it names is called, although somebody else asks.
    let names_somebody = direct && heard.replied_to.is_none() && names_callee(door, heard).await;
    let calls_anew = names_somebody || (has_ended && call != MentionRequest::Nothing);
    if let Some(followed) = followed.filter(|_| !calls_anew) {
        return follow_up::say(door, &person, heard, followed, turn).await;
    }
    match call {
        MentionRequest::Nothing => {}
        MentionRequest::Hint(hint, name) => {
            door.tell_seldom(Some(hint), heard, &callees::how(door, &person, hint, &name).await).await;
        }
        MentionRequest::Work { .. } => {
            let Some(heard) = &changed::as_it_stands(door, heard).await else { return };
            let MentionRequest::Work { targets, text } = callees::called(door, heard).await else { return };
            // In a thread, and in a direct message, no thread can begin.
            let thread = door.settings().thread_per_task && !direct && !closed;
            let (channel, message, author) = (heard.channel, heard.id, heard.author.id);
            let place = DiscordOrigin { channel, message, author, thread, direct, written_by: None };
            let text = door.named(&text, heard);
            for target in targets {
                assign(door, &person, heard, place, target, text.clone()).await;
            }
        }
    }
}

/// Whether a message names whom it is for, and is not for whoever is called by default.
async fn names_callee(door: &DiscordDoor, heard: &DiscordMessage) -> bool {
    let callees = Callees { by_default: None, ..callees::of_guild(door, heard.guild).await };
    matches!(asked(heard, &callees), MentionRequest::Work { .. })
}

async fn assign(
    door: &DiscordDoor,
    person: &OnDiscord,
    heard: &DiscordMessage,
    place: DiscordOrigin,
    target: String,
    text: String,
) {
    let work = DiscordWork {
        target,
        text,
        priority: Priority::Normal,
        context: context(place, heard),
        once: if broken::by(Break::HearsTwice) { door.hub.ids.request() } else { heard.id.to_string() },
    };
    let hand_out = || async {
        // It may go while the hub cannot take it.
        if door.is_gone(heard.id) {
            return Ok(());
        }
        person.hand_out(work.clone()).await?;
        if door.is_gone(heard.id) {
            changed::call_off(door, heard.id).await;
        }
        Ok(())
    };
    if let Err(refusal) = until_taken(hand_out).await {
        let text = said(&door.hub, Some(person), &refusal);
        if refusal.code == "NOT_PERMITTED" {
            door.tell_seldom(None, heard, &text).await;
        } else {
            door.reply(heard.channel, heard.id, &text).await;
        }
    }
}

/// What stands beside the text: where it was asked for, what was attached, what the message answers.
fn context(place: DiscordOrigin, heard: &DiscordMessage) -> Value {
    let mut context = json!({ "discord": place.to_context() });
    if !heard.attachments.is_empty() {
        context["attachments"] = files(&heard.attachments);
    }
    if let Some(to) = &heard.replied_to {
        context["repliedTo"] = json!({"author": to.author, "text": to.text});
        if !to.attachments.is_empty() {
            context["repliedTo"]["attachments"] = files(&to.attachments);
        }
    }
    context
}

pub(super) fn files(attachments: &[(String, String)]) -> Value {
    attachments.iter().map(|(name, url)| json!({"name": name, "url": url})).collect()
}

/// Something of a channel is under way, up to this message.
pub(super) fn begins(door: &DiscordDoor, channel: u64, message: u64) {
    door.under_way.send_modify(|under_way| {
        let (count, most) = under_way.entry(channel).or_default();
        (*count, *most) = (*count + 1, message.max(*most));
    });
}

/// Moves the channel's watermark once nothing is under way there, so that what a crash cut short is read again.
pub(super) fn ended(door: &DiscordDoor, channel: u64) {
    let mut newest = None;
    door.under_way.send_modify(|under_way| {
        let Some((count, most)) = under_way.get_mut(&channel) else { return };
        *count = count.saturating_sub(1);
        if *count == 0 {
            newest = Some(*most);
            under_way.remove(&channel);
        }
    });
    let Some(newest) = newest else { return };
    door.shared.memory.send_if_modified(|memory| {
        let before = memory.heard.get(&channel).copied().unwrap_or_default();
        memory.heard.insert(channel, newest.max(before));
        memory.forgets_channels();
        newest > before
    });
}
