//! `/task /tasks /agents /cancel /answer`: set once for each guild, completed while they are typed, run.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::door::DiscordDoor;
use super::interaction_data::Interaction;
use super::press::{PressReply, answer_safely, is_under_way, order_of, said};
use super::{callees, message};
use crate::actors::discord::{Call, Fail, called};
use crate::audit::Digested;
use crate::domain::agent::AgentView;
use crate::domain::discord::{
    Act, Author, DiscordOrigin, Hint, agent_line, attachments, label, list, quoted, sort_agents, task_choice,
    task_line, waits_for_people,
};
use crate::domain::ids::{AgentId, RoleId, TaskId};
use crate::domain::permission::Whose;
use crate::domain::session::question::Question;
use crate::domain::task::{Priority, Task};
use crate::journal::{Page, QuestionFilter};
use crate::tools::Refusal;
use crate::tools::people::{DiscordAnswer, DiscordOrder, DiscordWork, OnDiscord, find_question, find_task};

/// The most choices that Discord shows.
const CHOICES: usize = 25;
/// The most characters of a request that are shown in its message.
const SHOWN: usize = 1_500;

/// What the commands of a guild are.
fn wanted() -> Value {
    let text = |name: &str, about: &str, required: bool, completes: bool| {
        let mut option = json!({"type": 3, "name": name, "description": about, "required": required});
        option["autocomplete"] = json!(completes);
        option
    };
    let mut priority = text("priority", "How urgent", false, false);
    priority["choices"] = json!(["normal", "high", "critical"].map(|name| json!({"name": name, "value": name})));
    json!([
        {"type": 1, "name": "task", "description": "Hand work to an agent", "options": [
            text("agent", "A role or an agent", true, true),
            text("prompt", "What is to be done", true, false),
            priority,
        ]},
        {"type": 1, "name": "tasks", "description": "Open tasks that were asked for on Discord"},
        {"type": 1, "name": "agents", "description": "Which agents are there, and what they do"},
        {"type": 1, "name": "cancel", "description": "Call a task off", "options": [
            text("task", "Which", true, true),
        ]},
        {"type": 1, "name": "answer", "description": "Answer what an agent asks", "options": [
            text("question", "Which", true, true),
            text("value", "One of the options, or your own words", true, false),
        ]},
        {"type": 3, "name": "Assign to agent…"},
    ])
}

/// Sets the commands of a guild that the hub listens to, where they are others than before.
pub(super) async fn set(door: &DiscordDoor, guild: &Value) {
    let Some(guild) = guild.get("id").and_then(Value::as_str).and_then(|id| id.parse::<u64>().ok()) else { return };
    let listed = door.settings().guilds;
    if !listed.is_empty() && listed.iter().all(|one| one.0 != guild) {
        return;
    }
    let wanted = wanted();
    let digest = Digested::of(&wanted.to_string()).sha256;
    let (application, known) = {
        let memory = door.shared.memory.borrow();
        (memory.application, memory.commands.get(&guild) == Some(&digest))
    };
    if known {
        return;
    }
    let done = door.rest.call(Call::Commands { application, guild }, &wanted).await;
    if done.is_ok() {
        door.shared.memory.send_modify(|memory| drop(memory.commands.insert(guild, digest)));
    }
    door.note(done);
}

pub(super) async fn complete(door: &DiscordDoor, interaction: &Interaction) -> Vec<Value> {
    let options = interaction.data.get("options").and_then(Value::as_array).into_iter().flatten();
    let Some(typing) = options.into_iter().find(|one| one.get("focused") == Some(&json!(true))) else {
        return Vec::new();
    };
    let begun = typing.get("value").and_then(Value::as_str).unwrap_or_default().to_lowercase();
    let Ok(person) = who(door, interaction) else { return Vec::new() };
    let all: Vec<(String, String)> = match typing.get("name").and_then(Value::as_str) {
        Some("agent") => callees::callable(door, &person).await,
        Some("task") => {
            let open = open_tasks(door, interaction, &person, &[Act::Cancel]).await.into_iter().flatten();
            let (settings, asking) = (door.hub.settings(), asking(door).await);
            let choice =
                |task: &Task| task_choice(task, &called(task, Some(&settings)), asking.contains(&task.spec.id));
            open.map(|task| (choice(&task), task.spec.id.to_string())).collect()
        }
        Some("question") => questions(door, interaction, &person).await,
        Some(_) | None => Vec::new(),
    };
    let fitting =
        all.into_iter().filter(|(name, value)| name.to_lowercase().contains(&begun) || value.contains(&begun));
    let shown = |(name, value): (String, String)| json!({"name": label(&name, 100), "value": value});
    fitting.take(CHOICES).map(shown).collect()
}

/// Runs a command; what is said to who typed it.
pub(super) async fn run(door: &DiscordDoor, interaction: &Interaction) -> PressReply {
    let given = |name: &str| {
        let all = interaction.data.get("options").and_then(Value::as_array).into_iter().flatten();
        let mut found = all.into_iter().filter(|one| one.get("name").and_then(Value::as_str) == Some(name));
        found.find_map(|one| one.get("value")?.as_str()).unwrap_or_default().to_owned()
    };
    let person = match who(door, interaction) {
        Ok(person) => person,
        Err(no) => return no.into(),
    };
    let once = interaction.id.to_string();
    let told = match interaction.data.get("name").and_then(Value::as_str) {
        Some("task") => task(door, interaction, &person, &given("agent"), given("prompt"), &given("priority")).await,
        Some("tasks") => tasks(door, interaction, &person).await,
        Some("agents") => agents(door, &person).await,
        Some("cancel") => return cancel(door, interaction, &person, given("task"), &once).await,
        Some("answer") => match hides_question(door, interaction, &given("question")).await {
            Some(no) => no,
            None => {
                let value = DiscordAnswer::Words(given("value"));
                return answer_safely(door, &person, given("question"), value, &once).await;
            }
        },
        Some(_) | None => "⚠️ This command is not one of the hub's own any more.".to_owned(),
    };
    told.into()
}

/// Calls a task off; it is asked first where somebody works on it. Of a channel that they cannot see, none is there.
async fn cancel(
    door: &DiscordDoor,
    interaction: &Interaction,
    person: &OnDiscord,
    given: String,
    once: &str,
) -> PressReply {
    if let Ok(task) = find_task(&door.hub, &given).await {
        let place = door.places.whole_of(&task.spec.id);
        if place.is_some_and(|(_, place)| !door.shows(place, interaction)) {
            return missing(door, "TASK_NOT_FOUND").into();
        }
        if let Some(asks) = is_under_way(door, person, &task.spec.id).await {
            return asks;
        }
    }
    order_of(door, person, (given, DiscordOrder::Cancel), once).await.into()
}

/// What is said of a question of a channel that they cannot see: the same as of one that is missing.
async fn hides_question(door: &DiscordDoor, interaction: &Interaction, given: &str) -> Option<String> {
    let question = find_question(&door.hub, given).await.ok()?;
    let (_, place) = door.places.of_question(&question.spec.id)?;
    (!door.shows(place, interaction)).then(|| missing(door, "QUESTION_NOT_FOUND"))
}

fn missing(door: &DiscordDoor, code: &'static str) -> String {
    said(&door.hub, None, &Refusal::without_advice(code, "it is not there"))
}

/// Hands out work: the request is written into the channel first, so that its place is known before anybody has it.
async fn task(
    door: &DiscordDoor,
    interaction: &Interaction,
    person: &OnDiscord,
    agent: &str,
    text: String,
    priority: &str,
) -> String {
    let target = match allowed(door, interaction, person, agent).await {
        Ok(target) => target,
        Err(no) => return no,
    };
    let (who, shown) = (callees::shown(&door.hub.settings(), &target), quoted(&text, SHOWN));
    let is_long = shown != quoted(&text, usize::MAX);
    let shown = if is_long { "too long to show; I attach it.".to_owned() } else { shown };
    let body = json!({
        "content": format!("<@{}> asks {}: {shown}", interaction.author.id, quoted(&who, 80)),
        "allowed_mentions": {"parse": []},
        "nonce": interaction.id.to_string(),
        "enforce_nonce": true,
    });
    let channel = interaction.channel;
    let file = is_long.then_some(text.as_str());
    let written = match door.rest.call(Call::Post { channel, file }, &body).await {
        Ok(written) => written,
        Err(fail) => {
            let why = match &fail {
                Fail::No { text, .. } => text.split(':').next().unwrap_or_default().to_owned(),
                Fail::Later(_) => "Discord takes no message just now; try again".to_owned(),
            };
            door.note(Err(fail));
            return format!("⚠️ I cannot write into this channel, so nothing was handed out: {why}.");
        }
    };
    let Some(message) = written.get("id").and_then(Value::as_str).and_then(|id| id.parse().ok()) else {
        return "⚠️ Discord answers without an id.".to_owned();
    };
    let priority = match priority {
        "high" => Priority::High,
        "critical" => Priority::Critical,
        _ => Priority::Normal,
    };
    let bot = door.shared.memory.borrow().bot;
    assign(door, interaction, person, (message, bot), (target, text, priority), &[]).await
}

/// Hands out what a message says, to whom the modal says; what is said to who did.
pub(super) async fn hand_out(door: &DiscordDoor, interaction: &Interaction, message: u64) -> String {
    let person = match who(door, interaction) {
        Ok(person) => person,
        Err(no) => return no,
    };
    match allowed(door, interaction, &person, &interaction.entered("agent")).await {
        Ok(target) => {
            let work = (target, interaction.entered("text"), Priority::Normal);
            // The form brings the words alone; the files are with the message.
            let call = Call::Message { channel: interaction.channel, message };
            let found = door.rest.call(call, &Value::Null).await.unwrap_or_default();
            // One that cannot be read now is nobody's that is known.
            let writer = found.get("author").and_then(|author| Author::read(author, None)).unwrap_or_default().id;
            assign(door, interaction, &person, (message, writer), work, &attachments(&found)).await
        }
        Err(no) => no,
    }
}

/// Who it is, where the hub listens.
fn who(door: &DiscordDoor, interaction: &Interaction) -> Result<OnDiscord, String> {
    if !door.listens(interaction.guild, interaction.channel) {
        return Err("⛔ The hub does not listen in this channel.".to_owned());
    }
    door.person(&interaction.author, interaction.guild).map_err(|refusal| said(&door.hub, None, &refusal))
}

/// Whom a name means, where work may be handed there.
async fn allowed(
    door: &DiscordDoor,
    interaction: &Interaction,
    person: &OnDiscord,
    agent: &str,
) -> Result<String, String> {
    let known = callees::of_guild(door, interaction.guild).await.by_name;
    let Some(target) = known.get(&agent.trim().trim_start_matches('@').to_lowercase()) else {
        return Err(format!("⚠️ {}", callees::how(door, person, Hint::UnknownName, agent).await));
    };
    person.may_assign(target).await.map_err(|refusal| said(&door.hub, Some(person), &refusal))?;
    Ok(target.clone())
}

async fn assign(
    door: &DiscordDoor,
    interaction: &Interaction,
    person: &OnDiscord,
    (message, writer): (u64, u64),
    (target, text, priority): (String, String, Priority),
    files: &[(String, String)],
) -> String {
    let thread = door.settings().thread_per_task && interaction.guild.is_some();
    let (channel, author, direct) = (interaction.channel, interaction.author.id, interaction.guild.is_none());
    let place = DiscordOrigin { channel, message, author, thread, direct, written_by: Some(writer) };
    let mut context = json!({ "discord": place.to_context() });
    if !files.is_empty() {
        context["attachments"] = message::files(files);
    }
    let who = callees::shown(&door.hub.settings(), &target);
    let work = DiscordWork { target, text, priority, context, once: interaction.id.to_string() };
    match person.hand_out(work).await {
        Ok(_) if thread => format!("✅ {who} has it: <#{message}>"),
        Ok(_) => format!("✅ {who} has it."),
        Err(refusal) => said(&door.hub, Some(person), &refusal),
    }
}

async fn agents(door: &DiscordDoor, person: &OnDiscord) -> String {
    let mut agents = match door.hub.agent_views().await {
        Ok(agents) => agents,
        Err(fault) => return unread(&fault),
    };
    let may_call = |agent: &AgentView| {
        let role = agent.role.as_deref().and_then(|role| RoleId::parse(role).ok());
        let whose = AgentId::parse(&agent.agent_id).map(|agent| Whose::Agent { agent, role });
        whose.is_ok_and(|whose| person.may_any(&[Act::Assign, Act::Answer, Act::Cancel], &whose, false))
    };
    agents.retain(may_call);
    sort_agents(&mut agents);
    let settings = door.hub.settings();
    let role = |agent: &AgentView| match &agent.role {
        Some(role) => callees::shown(&settings, &format!("role:{role}")).trim_start_matches("role:").to_owned(),
        None => "no role".to_owned(),
    };
    let lines: Vec<_> = agents.iter().map(|agent| agent_line(agent, &role(agent))).collect();
    list(&lines, "No agent is registered that you may call.")
}

/// Open tasks, those first of which a person has to do something, and the newest of each first.
async fn tasks(door: &DiscordDoor, interaction: &Interaction, person: &OnDiscord) -> String {
    let asking = asking(door).await;
    let mut open = match open_tasks(door, interaction, person, &[Act::Cancel, Act::Answer]).await {
        Ok(open) => open,
        Err(busy) => return busy,
    };
    let asks = |task: &Task| asking.contains(&task.spec.id);
    open.sort_by_key(|task| !(asks(task) || waits_for_people(task)));
    let settings = door.hub.settings();
    let line = |task: &Task| task_line(task, &called(task, Some(&settings)), asks(task));
    list(&open.iter().map(line).collect::<Vec<_>>(), "No task is open that you may act on.")
}

/// The tasks for whose sake a question is open.
async fn asking(door: &DiscordDoor) -> BTreeSet<TaskId> {
    let open = open_questions(door).await.into_iter();
    open.filter_map(|question| Some(door.places.of_question(&question.spec.id)?.0)).collect()
}

fn unread(why: &dyn std::fmt::Display) -> String {
    tracing::warn!("a list for Discord could not be read: {why}");
    "⚠️ The hub could not look just now. Try again in a moment.".to_owned()
}

/// The open tasks of Discord that they see and may do any of this with, newest first.
async fn open_tasks(
    door: &DiscordDoor,
    interaction: &Interaction,
    person: &OnDiscord,
    acts: &[Act],
) -> Result<Vec<Task>, String> {
    let found = door.hub.journal.read(|reader| reader.open_tasks()).await.map_err(|error| unread(&error))?;
    let is_listed = |place: DiscordOrigin| door.shows(place, interaction);
    let shown = |task: &Task| DiscordOrigin::of_task(&task.spec).is_some_and(is_listed) && person.sees(task, acts);
    let mut ours: Vec<_> = found.into_iter().filter(shown).collect();
    ours.sort_by(|one, other| other.spec.id.cmp(&one.spec.id));
    Ok(ours)
}

async fn open_questions(door: &DiscordDoor) -> Vec<Question> {
    let filter = QuestionFilter { open: Some(true), ..QuestionFilter::default() };
    let found = door.hub.journal.read(move |reader| Page::all(|page| reader.questions(&filter, page))).await;
    found.unwrap_or_default()
}

async fn questions(door: &DiscordDoor, interaction: &Interaction, person: &OnDiscord) -> Vec<(String, String)> {
    let mut ours = Vec::new();
    for question in open_questions(door).await {
        let place = door.places.of_question(&question.spec.id);
        let is_ours = place.is_some_and(|(_, place)| door.shows(place, interaction));
        if is_ours && person.sees_question(&question).await {
            ours.push((question.spec.question, question.spec.id.to_string()));
        }
    }
    ours
}
