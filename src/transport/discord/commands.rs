//! `/task /tasks /agents /cancel /answer`: set once for each guild, completed while they are typed, run.

use serde_json::{Value, json};

use super::door::DiscordDoor;
use super::interaction_data::Interaction;
use super::press::{answer, order_of, said};
use super::{callees, message};
use crate::actors::discord::Call;
use crate::audit::Digested;
use crate::domain::discord::{Act, DiscordOrigin, Press, attachments, quoted};
use crate::domain::ids::{AgentId, RoleId};
use crate::domain::permission::Whose;
use crate::domain::session::question::Question;
use crate::domain::task::{Priority, Task};
use crate::journal::{Page, QuestionFilter};
use crate::tools::people::{DiscordAnswer, DiscordOrder, DiscordWork, OnDiscord};

/// The most choices that Discord shows.
const CHOICES: usize = 25;
/// The most tasks of a list.
const LISTED: usize = 10;
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

/// What fits what is being typed.
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
        Some("agent") => callable(door, &person).await,
        Some("task") => {
            let open = open_tasks(door, &person, &[Act::Cancel]).await.into_iter().flatten();
            open.map(|task| (choice(&task), task.spec.id.to_string())).collect()
        }
        Some("question") => questions(door, &person).await,
        Some(_) | None => Vec::new(),
    };
    let fitting =
        all.into_iter().filter(|(name, value)| name.to_lowercase().contains(&begun) || value.contains(&begun));
    let shown = |(name, value): (String, String)| {
        let name: String = name.chars().take(100).collect();
        json!({"name": name, "value": value})
    };
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
        Err(refusal) => return said(&door.hub, &refusal),
    };
    if !door.listens(interaction.guild, interaction.channel) {
        return "⛔ The hub does not listen in this channel.".to_owned();
    }
    let once = interaction.id.to_string();
    match interaction.data.get("name").and_then(Value::as_str) {
        Some("task") => task(door, interaction, &person, &given("agent"), given("prompt"), &given("priority")).await,
        Some("tasks") => match open_tasks(door, &person, &[Act::Cancel, Act::Answer]).await {
            Ok(open) => list(lines(door, &open).await.into_iter(), "No task is open that you may act on."),
            Err(busy) => busy,
        },
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
        Err(fail) => return format!("⚠️ The request could not be written into this channel: {fail}"),
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
        Err(refusal) => return said(&door.hub, &refusal),
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
    let target = known.get(&agent.trim().trim_start_matches('@').to_lowercase()).cloned().ok_or_else(|| {
        format!("⚠️ Nobody is called {}. Choose one of the names that are offered.", quoted(agent, 80))
    })?;
    person.may_assign(&target).await.map_err(|refusal| said(&door.hub, &refusal))?;
    Ok(target)
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
        Err(refusal) => said(&door.hub, &refusal),
    }
}

/// Whom they may hand work to: roles first, by what people call them, then agents. Nothing else is named.
async fn callable(door: &DiscordDoor, person: &OnDiscord) -> Vec<(String, String)> {
    let settings = door.hub.settings();
    let may = |whose: &Whose| person.may_any(&[Act::Assign], whose, false);
    let roles = settings.roles.roles.iter().filter(|(role, _)| may(&Whose::Role { role: (*role).clone() }));
    let mut all: Vec<_> = roles.map(|(id, role)| (role.display_name.clone(), id.to_string())).collect();
    if let Ok(roster) = door.hub.dispatcher.roster().await {
        let role_of = |agent| roster.role_of(agent).cloned();
        let agents = roster.agents.keys().filter(|id| may(&Whose::Agent { agent: (*id).clone(), role: role_of(id) }));
        all.extend(agents.map(|id| (id.to_string(), id.to_string())));
    }
    all
}

async fn agents(door: &DiscordDoor, person: &OnDiscord) -> String {
    let agents = match door.hub.agent_views().await {
        Ok(agents) => agents,
        Err(fault) => return unread(&fault),
    };
    let line = |agent: &crate::domain::agent::AgentView| {
        let doing = format!("{:?}", agent.availability).to_lowercase();
        format!("{} · {} · {doing}", quoted(&agent.display_name, 80), agent.role.as_deref().unwrap_or("no role"))
    };
    let may_call = |agent: &&crate::domain::agent::AgentView| {
        let role = agent.role.as_deref().and_then(|role| RoleId::parse(role).ok());
        let whose = AgentId::parse(&agent.agent_id).map(|agent| Whose::Agent { agent, role });
        whose.is_ok_and(|whose| person.may_any(&[Act::Assign, Act::Answer, Act::Cancel], &whose, false))
    };
    list(agents.iter().filter(may_call).map(line), "No agent is registered that you may call.")
}

/// A list that could not be read is none without entries.
fn unread(why: &dyn std::fmt::Display) -> String {
    format!("⚠️ The hub could not look just now: {why}. Try again in a moment.")
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
            ours.push((one_line(&question.spec.question), question.spec.id.to_string()));
        }
    }
    ours
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A task as a choice, which shows no markup.
fn choice(task: &Task) -> String {
    format!("{} · {}", task.state.name().to_string().to_lowercase().replace('_', " "), one_line(&task.spec.prompt))
}

/// A line for each task; one that asks people something, itself or in a part of it, says so.
async fn lines(door: &DiscordDoor, tasks: &[Task]) -> Vec<String> {
    let asked = open_questions(door).await.into_iter();
    let asked: Vec<_> = asked.filter_map(|question| Some(door.places.of_question(&question.spec.id)?.0)).collect();
    let line = |task: &Task| {
        let state = match asked.contains(&task.spec.id) {
            true => "needs an answer".to_owned(),
            false => task.state.name().to_string().to_lowercase().replace('_', " "),
        };
        format!("{state} · {}", quoted(&task.spec.prompt, 60))
    };
    tasks.iter().map(line).collect()
}

fn list(lines: impl Iterator<Item = String>, nothing: &str) -> String {
    let lines: Vec<String> = lines.collect();
    match lines.len() {
        0 => nothing.to_owned(),
        count if count > LISTED => format!("{}\n… and {} more", lines[..LISTED].join("\n"), count - LISTED),
        _ => lines.join("\n"),
    }
}
