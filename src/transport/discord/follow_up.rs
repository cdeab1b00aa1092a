//! A reply to the hub or to a request, or words in a task's thread: an answer where it asks, else a comment.

use std::time::Duration;

use super::callees;
use super::door::DiscordDoor;
use super::press::{may_destroy, said};
use super::retry::until_taken;
use super::turn::Turn;
use crate::domain::discord::{DiscordMessage, MentionRequest, is_thanks, quoted, shortened};
use crate::domain::ids::{QuestionId, TaskId};
use crate::domain::session::question::{Question, QuestionSpec, Reply, Resolution, ResolutionType};
use crate::domain::task::{BlockedOn, TaskState};
use crate::journal::{PageRequest, QuestionFilter};
use crate::tools::Refusal;
use crate::tools::people::{DiscordAnswer, DiscordOrder, OnDiscord};

/// For how long after an answer the name of another option means the same question, and comes too late.
const JUST_BEFORE: Duration = Duration::from_secs(60);
const WHICH: &str = "Several ask here: reply to the question that you mean.";

#[derive(Debug)]
pub(super) enum FollowUp {
    Question(Box<Question>),
    /// Open tasks: it is a word about them.
    Tasks(Vec<TaskId>),
    /// Tasks that are over, of which this is the newest: nobody works on them who could hear it.
    Ended(TaskId),
    Several,
}

/// What a message follows up, if anything; and whether it stands where a task was that is over.
pub(super) async fn of(door: &DiscordDoor, heard: &DiscordMessage) -> (Option<FollowUp>, bool) {
    // In a channel that is no thread of a task people speak with each other, and in a direct message they call.
    let is_thread = !door.places.at(heard.channel).is_empty();
    if let Some(message) = heard.replied_to.as_ref().map(|to| to.id) {
        let question = about(door, message, "question:").and_then(|id| QuestionId::parse(&id).ok());
        if let Some(id) = question
            && let Ok(Some(question)) = door.hub.journal.read(move |reader| reader.question(&id)).await
        {
            return (Some(FollowUp::Question(Box::new(question))), is_thread);
        }
        let task = about(door, message, "task:").and_then(|task| TaskId::parse(&task).ok());
        // A call under a request is a call that knows of it.
        let of_request = || if is_thread || heard.text.contains("<@") { Vec::new() } else { door.places.at(message) };
        let is_own = task.is_some();
        let tasks = task.map_or_else(of_request, |task| vec![task]);
        if !tasks.is_empty() {
            let followed = of_tasks(door, heard, tasks, false).await;
            // Under a request that is done people speak with each other.
            return (followed.filter(|followed| is_own || !matches!(followed, FollowUp::Ended(_))), is_thread);
        }
    }
    if !is_thread && heard.guild.is_some() {
        return (None, false);
    }
    (of_tasks(door, heard, door.places.in_room(heard.channel), !is_thread).await, is_thread)
}

/// The one of these that asks, or of their parts; else all that are open and no one asks.
async fn of_tasks(
    door: &DiscordDoor,
    heard: &DiscordMessage,
    tasks: Vec<TaskId>,
    only_asking: bool,
) -> Option<FollowUp> {
    let (mut questions, mut blocked, mut open) = (Vec::new(), Vec::new(), Vec::new());
    for id in door.places.with_parts(tasks.clone()) {
        let Ok(Some(task)) = door.hub.task(&id).await else { continue };
        if let Some(question) = open_question(door, &id).await {
            questions.push(question);
        } else if !tasks.contains(&id) {
            continue;
        } else if matches!(task.state, TaskState::Blocked { on: BlockedOn::Answer { .. }, .. }) {
            blocked.push(id.clone());
        }
        if tasks.contains(&id) && !task.state.name().is_closed() {
            open.push(id);
        }
    }
    match (questions.len(), blocked.len()) {
        (1, 0) => questions.pop().map(|question| FollowUp::Question(Box::new(question))),
        (0, 1) => Some(FollowUp::Tasks(blocked)),
        (0, 0) if only_asking => None,
        (0, 0) if open.is_empty() => tasks.into_iter().next_back().map(FollowUp::Ended),
        (0, 0) => match answered_before(door, heard, &open).await {
            Some(question) => Some(FollowUp::Question(Box::new(question))),
            None => Some(FollowUp::Tasks(open)),
        },
        (_, _) => Some(FollowUp::Several),
    }
}

/// Says it, and shows that it arrived.
pub(super) async fn say(
    door: &DiscordDoor,
    person: &OnDiscord,
    heard: &DiscordMessage,
    followed: FollowUp,
    turn: Turn,
) {
    let named = door.with_names(heard);
    let words = DiscordAnswer::Words(named.text.clone());
    if let FollowUp::Question(question) = &followed
        && !heard.is_forwarded
        && let Some(asks) = may_destroy(person, question.spec.id.as_str(), &words).await
    {
        return door.ask_back(&question.spec.id, heard, &asks.text, &asks.components).await;
    }
    let done = match &followed {
        FollowUp::Several => return door.reply(heard.channel, heard.id, WHICH).await,
        FollowUp::Ended(task) => return say_ended(door, heard, task).await,
        FollowUp::Tasks(tasks) => comment(person, &named, tasks, "").await,
        FollowUp::Question(question) => answer(door, person, &named, question).await,
    };
    // What is said of it now may take its time.
    drop(turn);
    match done {
        Ok(()) => {
            door.sign(heard.channel, heard.id, "✅").await;
            if let FollowUp::Tasks(tasks) = &followed {
                passed_on(door, heard, tasks).await;
            }
        }
        Err(refusal) if refusal.code == "NOT_PERMITTED" => {
            door.tell_seldom(None, heard, &said(&door.hub, Some(person), &refusal)).await;
        }
        Err(refusal) => door.reply(heard.channel, heard.id, &said(&door.hub, Some(person), &refusal)).await,
    }
}

/// Words that were edited into one of the options: they are the answer now, where the question is still open.
pub(super) async fn edited(door: &DiscordDoor, heard: &DiscordMessage, turn: Turn) {
    turn.comes().await;
    let (Some(FollowUp::Question(question)), _) = of(door, heard).await else { return };
    let is_option = matches!(question.spec.read_reply(&heard.text), Reply::Option(_));
    let Ok(person) = door.person(&heard.author, heard.guild) else { return };
    if question.is_open() && is_option && !heard.is_forwarded {
        say(door, &person, heard, FollowUp::Question(question), turn).await;
    }
}

/// Says once for a task that it is over, and how another one begins; thanks need no answer.
async fn say_ended(door: &DiscordDoor, heard: &DiscordMessage, task: &TaskId) {
    let hint = format!("hint:{task}");
    let is_thanks = heard.attachments.is_empty() && is_thanks(&heard.text);
    if is_thanks || door.shared.message(&hint).is_some() {
        return;
    }
    let who = door.who(task.as_str()).await;
    let text = format!("This task has ended: nobody reads this. For another one mention @{who}, or use /task.");
    door.reply(heard.channel, heard.id, &text).await;
    door.shared.keep_message(hint, heard.channel, heard.id);
}

/// Answers where the words are an answer; all else is a comment on the question's task.
async fn answer(
    door: &DiscordDoor,
    person: &OnDiscord,
    heard: &DiscordMessage,
    question: &Question,
) -> Result<(), Refusal> {
    let spec = &question.spec;
    let tasks: Vec<TaskId> = spec.task_id.iter().cloned().collect();
    let says_nothing = heard.is_forwarded || heard.text.trim().is_empty();
    let reply = if says_nothing { Reply::Talk } else { spec.read_reply(&heard.text) };
    let (words, more) = match reply {
        // Its files are a comment: the answer is the option.
        Reply::Option(option) => (option, !heard.attachments.is_empty()),
        Reply::Words(_) => (heard.with_files(), false),
        Reply::Talk => {
            comment(person, heard, &tasks, "").await?;
            if !says_nothing && question.is_open() {
                names_buttons(door, heard, spec).await;
            }
            return Ok(());
        }
    };
    // What was edited is said in other words than before.
    let once = heard.edited.map_or_else(|| heard.id.to_string(), |edited| format!("{}:{}", heard.id, edited.0));
    let answered = || person.answer(spec.id.as_str(), DiscordAnswer::Words(words.clone()), &once);
    until_taken(answered).await?;
    if more { comment(person, heard, &tasks, ":files").await } else { Ok(()) }
}

/// Says once for a question which buttons there are.
async fn names_buttons(door: &DiscordDoor, heard: &DiscordMessage, spec: &QuestionSpec) {
    let hint = format!("hint:{}", spec.id);
    if spec.options.is_empty() || door.shared.message(&hint).is_some() {
        return;
    }
    let options = spec.options.iter().map(|option| format!("**{}**", quoted(option, 80))).collect::<Vec<_>>();
    let text = format!("Passed on, but that is no answer. Press a button, or write one of: {}", options.join(" · "));
    door.reply(heard.channel, heard.id, &shortened(&text, 1_900)).await;
    door.shared.keep_message(hint, heard.channel, heard.id);
}

/// A comment on each of these tasks; words, and no forward and no file alone, answer what a task stands still for.
async fn comment(person: &OnDiscord, heard: &DiscordMessage, tasks: &[TaskId], mark: &str) -> Result<(), Refusal> {
    let text = heard.with_files();
    let is_comment = heard.is_forwarded || heard.text.trim().is_empty();
    for task in tasks {
        let of_task = if tasks.len() > 1 { format!(":{task}") } else { String::new() };
        let once = format!("{}{mark}{of_task}", heard.id);
        let order = || match is_comment {
            true => DiscordOrder::Comment(text.clone()),
            false => DiscordOrder::Say(text.clone()),
        };
        let said = || person.direct(task.as_str(), order(), &once);
        until_taken(said).await?;
    }
    Ok(())
}

/// Whoever calls somebody else in a task's thread hears that they were not called.
async fn passed_on(door: &DiscordDoor, heard: &DiscordMessage, tasks: &[TaskId]) {
    let MentionRequest::Work { targets, .. } = callees::called(door, heard).await else { return };
    let Some(task) = tasks.first() else { return };
    let Some(place) = door.places.of(task) else { return };
    let (settings, has) = (door.hub.settings(), door.who(task.as_str()).await);
    let others = targets.iter().map(|target| callees::shown(&settings, target)).filter(|name| *name != has);
    let others = others.collect::<Vec<_>>().join(", ");
    if !others.is_empty() {
        let text = format!("Passed on to {has}. For {others}, write in <#{}>.", place.channel);
        door.reply(heard.channel, heard.id, &text).await;
    }
}

/// What one of the hub's own messages is about.
fn about(door: &DiscordDoor, message: u64, kind: &str) -> Option<String> {
    let memory = door.shared.memory.borrow();
    let mut all = memory.messages.iter().filter(|(_, (_, id))| *id == message);
    // Of what several messages are about, all but the newest have their id behind it.
    all.find_map(|(about, _)| about.strip_prefix(kind)?.split('/').next().map(str::to_owned))
}

/// The question that these words answer, where somebody else answered it just before.
async fn answered_before(door: &DiscordDoor, heard: &DiscordMessage, tasks: &[TaskId]) -> Option<Question> {
    let now = door.hub.clock.now();
    for task in tasks {
        let found = newest_question(door, task, None).await;
        let is_new = |answer: &Resolution| answer.kind == ResolutionType::Human && now.since(answer.at) < JUST_BEFORE;
        let is_meant = |found: &Question| {
            found.resolution().is_some_and(is_new) && matches!(found.spec.read_reply(&heard.text), Reply::Option(_))
        };
        if let Some(found) = found.filter(is_meant) {
            return Some(found);
        }
    }
    None
}

/// The one open question of a task; the newest where there are several.
async fn open_question(door: &DiscordDoor, task: &TaskId) -> Option<Question> {
    newest_question(door, task, Some(true)).await
}

async fn newest_question(door: &DiscordDoor, task: &TaskId, open: Option<bool>) -> Option<Question> {
    let filter = QuestionFilter { open, task: Some(task.clone()), ..QuestionFilter::default() };
    let found = door.hub.journal.read(move |reader| reader.questions(&filter, &PageRequest::default())).await.ok()?;
    found.items.into_iter().next()
}
