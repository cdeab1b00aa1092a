//! `/task /tasks /agents /cancel /answer`: set once for each guild, completed while they are typed, run.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::door::DiscordDoor;
use super::interaction_data::Interaction;
use super::press::{answer, order_of, said};
use super::{callees, message};
use crate::actors::discord::{Call, Fail, called};
use crate::audit::Digested;
use crate::domain::agent::AgentView;
use crate::domain::discord::{
    Act, DiscordOrigin, Hint, Press, agent_line, attachments, label, list, quoted, sort_agents, task_choice, task_line,
    waits_for_people,
};
use crate::domain::ids::{AgentId, RoleId, TaskId};
use crate::domain::permission::Whose;
use crate::domain::session::question::Question;
use crate::domain::task::{Priority, Task};
use crate::journal::{Page, QuestionFilter};
use crate::tools::people::{DiscordAnswer, DiscordOrder, DiscordWork, OnDiscord};

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

/// Sets the commands of a guild, where they are others than before.
pub(super) async fn set(door: &DiscordDoor, guild: &Value) {
    let Some(guild) = guild.get("id").and_then(Value::as_str).and_then(|id| id.parse::<u64>().ok()) else { return };
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
    let Ok(person) = door.person(&interaction.author, interaction.guild) else { return Vec::new() };
    if !door.listens(interaction.guild, interaction.channel) {
        return Vec::new();
    }
    let all: Vec<(String, String)> = match typing.get("name").and_then(Value::as_str) {
        Some("agent") => callees::callable(door, &person).await,
        Some("task") => {
            let open = open_tasks(door, &person, &[Act::Cancel]).await.into_iter().flatten();
            let settings = door.hub.settings();
            let choice = |task: &Task| task_choice(task, &called(task, Some(&settings)));
            open.map(|task| (choice(&task), task.spec.id.to_string())).collect()
        }
        Some("question") => questions(door, &person).await,
        Some(_) | None => Vec::new(),
    };
    let fitting =
        all.into_iter().filter(|(name, value)| name.to_lowercase().contains(&begun) || value.contains(&begun));
    let shown = |(name, value): (String, String)| json!({"name": label(&name, 100), "value": value});
    fitting.take(CHOICES).map(shown).collect()
}

/// Runs a command; what is said to who typed it.
pub(super) async fn run(door: &DiscordDoor, interaction: &Interaction) -> String {
    let given = |name: &str| {
        let all = interaction.data.get("options").and_then(Value::as_array).into_iter().flatten();
        let mut found = all.into_iter().filter(|one| one.get("name").and_then(Value::as_str) == Some(name));
        found.find_map(|one| one.get("value")?.as_str()).unwrap_or_default().to_owned()
    };
    let person = match door.person(&interaction.author, interaction.guild) {
        Ok(person) => person,
        Err(refusal) => return said(&door.hub, None, &refusal),
    };
    if !door.listens(interaction.guild, interaction.channel) {
        return "⛔ The hub does not listen in this channel.".to_owned();
    }
    let once = interaction.id.to_string();
    match interaction.data.get("name").and_then(Value::as_str) {
        Some("task") => task(door, interaction, &person, &given("agent"), given("prompt"), &given("priority")).await,
        Some("tasks") => tasks(door, &person).await,
        Some("agents") => agents(door, &person).await,
        Some("cancel") => order_of(door, &person, (given("task"), DiscordOrder::Cancel), &once).await,
        Some("answer") => answer(door, &person, given("question"), DiscordAnswer::Words(given("value")), &once).await,
        Some(_) | None => "⚠️ This command is not one of the hub's own any more.".to_owned(),
    }
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
    assign(door, interaction, person, message, (target, text, priority), &[]).await
}

/// Hands out what a message says, to whom the modal says; what is said to who did.
pub(super) async fn hand_out(door: &DiscordDoor, interaction: &Interaction) -> String {
    let Some(Press::Assign(message)) = interaction.press() else { return "⚠️ Nothing was said.".to_owned() };
    let person = match door.person(&interaction.author, interaction.guild) {
        Ok(person) => person,
        Err(refusal) => return said(&door.hub, None, &refusal),
    };
    match allowed(door, interaction, &person, &interaction.entered("agent")).await {
        Ok(target) => {
            let work = (target, interaction.entered("text"), Priority::Normal);
            // The form brings the words alone; the files are with the message.
            let call = Call::Message { channel: interaction.channel, message };
            let files = door.rest.call(call, &Value::Null).await.map(|found| attachments(&found)).unwrap_or_default();
            assign(door, interaction, &person, message, work, &files).await
        }
        Err(no) => no,
    }
}

/// Whom a name means, where the hub listens and work may be handed there.
async fn allowed(
    door: &DiscordDoor,
    interaction: &Interaction,
    person: &OnDiscord,
    agent: &str,
) -> Result<String, String> {
    if !door.listens(interaction.guild, interaction.channel) {
        return Err("⛔ The hub does not listen in this channel.".to_owned());
    }
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
    message: u64,
    (target, text, priority): (String, String, Priority),
    files: &[(String, String)],
) -> String {
    let thread = door.settings().thread_per_task && interaction.guild.is_some();
    let (channel, author, direct) = (interaction.channel, interaction.author.id, interaction.guild.is_none());
    let place = DiscordOrigin { channel, message, author, thread, direct };
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
async fn tasks(door: &DiscordDoor, person: &OnDiscord) -> String {
    let asking = open_questions(door).await.into_iter();
    let asking: BTreeSet<TaskId> =
        asking.filter_map(|question| Some(door.places.of_question(&question.spec.id)?.0)).collect();
    let mut open = match open_tasks(door, person, &[Act::Cancel, Act::Answer]).await {
        Ok(open) => open,
        Err(busy) => return busy,
    };
    let asks = |task: &Task| asking.contains(&task.spec.id);
    open.sort_by_key(|task| !(asks(task) || waits_for_people(task)));
    let settings = door.hub.settings();
    let line = |task: &Task| task_line(task, &called(task, Some(&settings)), asks(task));
    list(&open.iter().map(line).collect::<Vec<_>>(), "No task is open that you may act on.")
}

fn unread(why: &dyn std::fmt::Display) -> String {
    tracing::warn!("a list for Discord could not be read: {why}");
    "⚠️ The hub could not look just now. Try again in a moment.".to_owned()
}

/// The open tasks of Discord with which they may do any of this, newest first.
async fn open_tasks(door: &DiscordDoor, person: &OnDiscord, acts: &[Act]) -> Result<Vec<Task>, String> {
    let found = door.hub.journal.read(|reader| reader.open_tasks()).await.map_err(|error| unread(&error))?;
    let is_listed = |place: DiscordOrigin| place.is_listed_for(person.user());
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

async fn questions(door: &DiscordDoor, person: &OnDiscord) -> Vec<(String, String)> {
    let mut ours = Vec::new();
    for question in open_questions(door).await {
        let place = door.places.of_question(&question.spec.id);
        let is_ours = place.is_some_and(|(_, place)| place.is_listed_for(person.user()));
        if is_ours && person.sees_question(&question).await {
            ours.push((question.spec.question, question.spec.id.to_string()));
        }
    }
    ours
}
