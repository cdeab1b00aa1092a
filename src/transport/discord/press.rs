//! What is behind a press: the verb, and what is said of it to who pressed.

use serde_json::{Value, json};

use super::door::DiscordDoor;
use super::interaction_data::Interaction;
use super::retry::until_taken;
use crate::actors::HubRef;
use crate::actors::discord::called;
use crate::domain::discord::{Press, quoted, state_words, sure_to_answer, sure_to_cancel};
use crate::domain::ids::{QuestionId, TaskId};
use crate::domain::refusal::{Audience, advice};
use crate::domain::review::Review;
use crate::domain::session::question::{QuestionView, Reply};
use crate::domain::task::TaskStateName;
use crate::domain::time::Timestamp;
use crate::tools::Refusal;
use crate::tools::people::{DiscordAnswer, DiscordOrder, OnDiscord};

/// What is said of a button that the hub does not know, or that brings what none of its own can.
pub(super) const FOREIGN: &str = "⚠️ This button is not one of the hub's own any more.";

#[derive(Debug)]
pub(super) struct PressReply {
    pub(super) text: String,
    pub(super) components: Value,
}

impl From<String> for PressReply {
    fn from(text: String) -> Self {
        Self { text, components: json!([]) }
    }
}

pub(super) async fn done(door: &DiscordDoor, interaction: &Interaction, press: Press) -> PressReply {
    let person = match door.person(&interaction.author, interaction.guild) {
        Ok(person) => person,
        Err(refusal) => return said(&door.hub, None, &refusal).into(),
    };
    let once = interaction.id.to_string();
    let text = || interaction.entered("text");
    let order = |task: TaskId, order| order_of(door, &person, (task.to_string(), order), &once);
    let answer = |question: String, given| answer(door, &person, question, given, &once);
    let answer_safely = |question: QuestionId, given| answer_safely(door, &person, question.to_string(), given, &once);
    let told = match press {
        Press::Cancel(task) => match is_under_way(door, &person, &task).await {
            Some(asks) => return asks,
            None => order(task, DiscordOrder::Cancel).await,
        },
        Press::CancelAnyway(task) => order(task, DiscordOrder::Cancel).await,
        Press::Retry(task) => {
            let told = order(task.clone(), DiscordOrder::Retry).await;
            ends_buttons(door, interaction, &task).await;
            told
        }
        Press::Approve(task, round) => order(task, DiscordOrder::Approve(round)).await,
        Press::Changes(task, round) => wishes(door, &person, &task, (text(), round), &once).await,
        Press::Option(question, at) => return answer_safely(question, DiscordAnswer::Option(at)).await,
        Press::OptionAnyway(question, at) => answer(question.to_string(), DiscordAnswer::Option(at)).await,
        Press::Default(question) => answer(question.to_string(), DiscordAnswer::Default).await,
        Press::Words(question) => return answer_safely(question, DiscordAnswer::Words(text())).await,
        Press::Assign(_) => FOREIGN.to_owned(),
        Press::Select(question) => {
            let chosen = interaction.data.pointer("/values/0").and_then(Value::as_str);
            match chosen.and_then(|at| at.parse().ok()) {
                Some(at) => return answer_safely(question, DiscordAnswer::Option(at)).await,
                None => FOREIGN.to_owned(),
            }
        }
    };
    told.into()
}

/// A task is tried again by the message of its newest failure: what was pressed before has no button any more. The
/// status message stays: its buttons follow the task.
async fn ends_buttons(door: &DiscordDoor, interaction: &Interaction, task: &TaskId) {
    let Some(message) = interaction.on else { return };
    let place = (interaction.channel, message);
    let is_over = door.hub.task(task).await.is_ok_and(|found| {
        found.is_some_and(|task| !matches!(task.state.name(), TaskStateName::Failed | TaskStateName::Timeout))
    });
    if is_over && door.shared.message(&format!("task:{task}")) != Some(place) {
        door.note(door.rest.edit(place.0, place.1, &json!({"components": []})).await);
    }
}

/// Why a form is not opened: whoever may not do it is told before they type.
pub(super) async fn is_refused(door: &DiscordDoor, interaction: &Interaction, press: &Press) -> Option<String> {
    let person = door.person(&interaction.author, interaction.guild);
    let may = match (person, press) {
        (Ok(person), Press::Words(question)) => person.may_answer(question.as_str()).await.map(drop),
        (Ok(person), Press::Changes(task, round)) => {
            person.may_direct(task.as_str(), &DiscordOrder::Change(String::new(), *round)).await.map(drop)
        }
        (person, _) => person.map(drop),
    };
    may.err().map(|refusal| said(&door.hub, None, &refusal))
}

/// The question whether a task is called off that somebody has; none where nobody does, or it may not be called off.
pub(super) async fn is_under_way(door: &DiscordDoor, person: &OnDiscord, task: &TaskId) -> Option<PressReply> {
    let (found, _) = person.may_direct(task.as_str(), &DiscordOrder::Cancel).await.ok()?;
    let is_had = !found.state.name().is_closed() && found.state.name() != TaskStateName::Queued;
    let who = called(&found, Some(&door.hub.settings()));
    let text = format!("{who} works on it. Cancel it all the same?");
    is_had.then(|| PressReply { text, components: sure_to_cancel(task) })
}

/// The question whether an option is chosen that may destroy something; none where it may not, or needs no answer.
pub(super) async fn may_destroy(person: &OnDiscord, question: &str, given: &DiscordAnswer) -> Option<PressReply> {
    let found = person.may_answer(question).await.ok()?;
    let spec = &found.spec;
    let at = match given {
        DiscordAnswer::Option(at) => *at,
        DiscordAnswer::Words(words) => {
            let Reply::Option(named) = spec.read_reply(words) else { return None };
            spec.options.iter().position(|option| *option == named)?
        }
        DiscordAnswer::Default => return None,
    };
    let option = spec.options.get(at).filter(|option| spec.may_destroy(option))?;
    let text = format!("⚠️ This may destroy something. Answer **{}** all the same?", quoted(option, 300));
    found.resolution().is_none().then(|| PressReply { text, components: sure_to_answer(&spec.id, at, option) })
}

/// Answers; what may destroy something is asked about once more.
pub(super) async fn answer_safely(
    door: &DiscordDoor,
    person: &OnDiscord,
    question: String,
    given: DiscordAnswer,
    once: &str,
) -> PressReply {
    match may_destroy(person, &question, &given).await {
        Some(asks) => asks,
        None => answer(door, person, question, given, once).await.into(),
    }
}

/// Answers, and says what came of it: also when somebody else was first.
async fn answer(door: &DiscordDoor, person: &OnDiscord, question: String, answer: DiscordAnswer, once: &str) -> String {
    match person.answer(&question, answer, once).await {
        Ok(QuestionView { resolution: Some(resolution), .. }) => {
            format!("✅ Answered: {}", quoted(&resolution.value, 300))
        }
        Ok(_) => "✅ Answered.".to_owned(),
        Err(refusal) => said(&door.hub, Some(person), &refusal),
    }
}

/// Wants changes. Where that comes too late, the words are kept as a comment, or given back.
async fn wishes(
    door: &DiscordDoor,
    person: &OnDiscord,
    task: &TaskId,
    (words, round): (String, Option<u32>),
    once: &str,
) -> String {
    let order = || ordered(door, person, (task.to_string(), DiscordOrder::Change(words.clone(), round)), once);
    let refusal = match until_taken(order).await {
        Ok(told) => return told,
        Err(refusal) => refusal,
    };
    let last = review(door, task)
        .await
        .and_then(|review| review.rounds.into_iter().rev().find_map(|round| round.verdicts.into_iter().next_back()));
    let why = match last.filter(|_| refusal.code.starts_with("TASK_")) {
        Some(verdict) => format!("⚠️ **{}** was faster.", quoted(&verdict.by.display_name, 80)),
        None => said(&door.hub, Some(person), &refusal),
    };
    let once = format!("{once}:kept");
    match until_taken(|| person.direct(task.as_str(), DiscordOrder::Comment(words.clone()), &once)).await {
        Ok(_) => format!("{why} Your words were kept as a comment."),
        Err(_) => format!("{why} Your words could not be kept: {}", quoted(&words, 1_500)),
    }
}

async fn review(door: &DiscordDoor, task: &TaskId) -> Option<Review> {
    let task = task.clone();
    door.hub.journal.read(move |reader| reader.review(&task)).await.ok().flatten()
}

/// Whose approvals a request for changes overruled, in a sentence; empty where nobody had approved.
async fn overruled(door: &DiscordDoor, task: &str) -> String {
    let Ok(task) = TaskId::parse(task) else { return String::new() };
    let review = review(door, &task).await;
    let who = review.iter().flat_map(Review::overruled).map(|name| format!("**{}**", quoted(name, 80)));
    let who = who.collect::<Vec<_>>().join(" and ");
    if who.is_empty() { who } else { format!(" {who} had approved it: that does not count any more.") }
}

pub(super) async fn order_of(
    door: &DiscordDoor,
    person: &OnDiscord,
    order: (String, DiscordOrder),
    once: &str,
) -> String {
    ordered(door, person, order, once).await.unwrap_or_else(|refusal| said(&door.hub, Some(person), &refusal))
}

async fn ordered(
    door: &DiscordDoor,
    person: &OnDiscord,
    (task, order): (String, DiscordOrder),
    once: &str,
) -> Result<String, Refusal> {
    let kind = order.clone();
    let after = person.direct(&task, order, once).await?;
    let who = door.who(&after.task_id).await;
    if !after.changed {
        let is_approved = matches!((&kind, after.state), (DiscordOrder::Approve(_), TaskStateName::InReview));
        let state = if is_approved { "approved" } else { state_words(after.state).1 };
        return Ok(format!("Nothing changed: the task is {state} already."));
    }
    Ok(match (kind, after.state) {
        (DiscordOrder::Cancel | DiscordOrder::Withdraw, _) => "✅ Cancelled.".to_owned(),
        (DiscordOrder::Retry, _) => format!("✅ Back in the queue for {who}."),
        (DiscordOrder::Approve(_), TaskStateName::Completed) => "✅ Approved.".to_owned(),
        (DiscordOrder::Approve(_), _) => format!("✅ Approved; {who} merges."),
        (DiscordOrder::Change(..), _) => format!("✅ Sent back to {who}.{}", overruled(door, &after.task_id).await),
        // Words are passed on where they are heard, and the sign on their message says so.
        (DiscordOrder::Say(_) | DiscordOrder::Comment(_) | DiscordOrder::Edit(..), _) => "✅ Done.".to_owned(),
    })
}

/// A refusal in plain words, for `person`: what is wrong, and what to do.
pub(super) fn said(hub: &HubRef, person: Option<&OnDiscord>, refusal: &Refusal) -> String {
    let of = |path: &str| refusal.details.get("resolution")?.pointer(path)?.as_str();
    match refusal.code {
        "NOT_PERMITTED" => format!("⛔ {}", refusal.message),
        "ALREADY_RESOLVED" => {
            let seconds = of("/at").and_then(Timestamp::parse).map_or(0, |at| hub.clock.now().since(at).as_secs());
            let ago = match seconds {
                0..5 => "just now".to_owned(),
                5..120 => format!("{seconds} s ago"),
                120..7_200 => format!("{} min ago", seconds / 60),
                _ => format!("{} h ago", seconds / 3_600),
            };
            let value = quoted(of("/value").unwrap_or_default(), 300);
            match of("/type") {
                Some("human") if person.is_some_and(|it| of("/by/principal") == Some(it.principal().as_str())) => {
                    format!("⚠️ Already done by you: {value}, {ago}.")
                }
                Some("human") => {
                    let who = quoted(of("/by/displayName").unwrap_or("Somebody"), 80);
                    format!("⚠️ **{who}** was faster: {value}, {ago}.")
                }
                Some("timeout") => format!("⚠️ Nobody answered in time, so {value} applies ({ago})."),
                _ => "⚠️ Nobody needs the answer any more.".to_owned(),
            }
        }
        code => {
            let state = refusal.details.get("state").and_then(Value::as_str).and_then(TaskStateName::parse);
            let plain = advice(code, Audience::Discord).unwrap_or(&refusal.message);
            format!("⚠️ {}", plain.replace("{state}", state.map_or("not open", |state| state_words(state).1)))
        }
    }
}
