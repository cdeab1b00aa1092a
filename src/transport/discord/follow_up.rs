//! A reply in a task's thread, or to one of its messages: an answer where something is asked, else a word to whoever
//! has the task.

use super::door::DiscordDoor;
use super::retry::until_taken;
use crate::domain::discord::DiscordMessage;
use crate::domain::ids::{QuestionId, TaskId};
use crate::journal::{PageRequest, QuestionFilter};
use crate::tools::people::{DiscordAnswer, DiscordOrder, OnDiscord};

/// What a message follows up.
#[derive(Debug)]
pub(super) enum FollowUp {
    /// A question: it is an answer.
    Question(QuestionId),
    /// An open task: it is a word about it.
    Task(TaskId),
}

/// What a message follows up, if anything; and whether it stands where a task was that is over.
pub(super) async fn of(door: &DiscordDoor, heard: &DiscordMessage) -> (Option<FollowUp>, bool) {
    let replied = heard.replied_to.as_ref().map(|to| to.id);
    let question = replied.and_then(|message| about(door, message, "question:"));
    if let Some(question) = question.and_then(|question| QuestionId::parse(&question).ok()) {
        return (Some(FollowUp::Question(question)), false);
    }
    let mut tasks = door.places.at(heard.channel);
    if let Some(message) = replied {
        tasks.extend(about(door, message, "task:").and_then(|task| TaskId::parse(&task).ok()));
    }
    let here = !tasks.is_empty();
    for task in tasks {
        if let Some(question) = open_question(door, &task).await {
            return (Some(FollowUp::Question(question)), false);
        }
        if let Ok(Some(found)) = door.hub.task(&task).await
            && !found.state.name().is_closed()
        {
            return (Some(FollowUp::Task(task)), false);
        }
    }
    (None, here)
}

/// Says it, and shows that it arrived.
pub(super) async fn say(door: &DiscordDoor, person: &OnDiscord, heard: &DiscordMessage, followed: FollowUp) {
    let (text, once) = (heard.text.trim().to_owned(), heard.id.to_string());
    let done = match followed {
        FollowUp::Question(question) => {
            let answer = || person.answer(question.as_str(), DiscordAnswer::Words(text.clone()), &once);
            until_taken(answer).await.map(drop)
        }
        FollowUp::Task(task) => {
            let say = || person.direct(task.as_str(), DiscordOrder::Say(text.clone()), &once);
            until_taken(say).await.map(drop)
        }
    };
    match done {
        Ok(()) => door.sign(heard.channel, heard.id, "✅").await,
        Err(refusal) if refusal.code == "NOT_PERMITTED" => {
            let text = format!("⛔ {}", refusal.message);
            door.tell_seldom(heard.author.id, heard.channel, heard.id, &text).await;
        }
        Err(refusal) => door.reply(heard.channel, heard.id, &format!("⚠️ {}", refusal.message)).await,
    }
}

/// What one of the hub's own messages is about.
fn about(door: &DiscordDoor, message: u64, kind: &str) -> Option<String> {
    let memory = door.shared.memory.borrow();
    let mut all = memory.messages.iter().filter(|(_, (_, id))| *id == message);
    all.find_map(|(about, _)| about.strip_prefix(kind).map(str::to_owned))
}

/// The one open question of a task; the newest where there are several.
async fn open_question(door: &DiscordDoor, task: &TaskId) -> Option<QuestionId> {
    let filter = QuestionFilter { open: Some(true), task: Some(task.clone()), ..QuestionFilter::default() };
    let found = door.hub.journal.read(move |reader| reader.questions(&filter, &PageRequest::default())).await.ok()?;
    found.items.into_iter().next().map(|question| question.spec.id)
}
