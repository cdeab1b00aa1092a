//! Whom a message can call: the agent roles that the guild's roles are named for or mapped to, and agents by name.

use std::sync::Arc;

use super::door::DiscordDoor;
use crate::domain::discord::{Act, Callees, DiscordMessage, Hint, MentionRequest, asked, quoted};
use crate::domain::permission::Whose;
use crate::domain::text::nearest;
use crate::settings::Settings;
use crate::tools::people::OnDiscord;

/// The most names that are told to who names nobody.
const NAMED: usize = 10;

pub(super) async fn of_guild(door: &DiscordDoor, guild: Option<u64>) -> Callees {
    let settings = door.hub.settings();
    // A hub that is busy still knows whom it is set to know: no call goes unheard for want of a list.
    let roster = door.hub.dispatcher.roster().await.unwrap_or_else(|_| Arc::new(settings.roster([])));
    let discord = &settings.hub.discord;
    let mut callees = Callees { by_default: target(&settings, discord.default_agent.as_deref()), ..Callees::default() };
    for (id, role) in &settings.roles.roles {
        let target = format!("role:{id}");
        let names = [id.as_str(), role.display_name.as_str()].into_iter();
        for name in names.chain(role.aliases.iter().map(String::as_str)) {
            callees.by_name.insert(name.to_lowercase(), target.clone());
        }
    }
    for id in roster.agents.keys() {
        callees.by_name.entry(id.as_str().to_lowercase()).or_insert_with(|| id.to_string());
    }
    for (id, agent) in &roster.agents {
        callees.by_name.entry(agent.display_name.to_lowercase()).or_insert_with(|| id.to_string());
    }
    let memory = door.shared.memory.borrow();
    callees.bot = memory.bot;
    for (guild_id, names) in &memory.guilds {
        if guild.is_some_and(|guild| guild != *guild_id) {
            continue;
        }
        for (role, name) in &names.roles {
            let by_name = callees.by_name.get(&name.to_lowercase()).filter(|target| target.starts_with("role:"));
            if let Some(target) = by_name {
                callees.by_role.insert(*role, target.clone());
            }
        }
    }
    for (role, name) in &discord.roles {
        callees.by_role.extend(target(&settings, Some(name)).map(|target| (role.0, target)));
    }
    callees
}

pub(super) fn shown(settings: &Settings, target: &str) -> String {
    let role = target.strip_prefix("role:").and_then(|role| settings.roles.find(role));
    role.map_or_else(|| target.to_owned(), |(_, role)| role.display_name.clone())
}

pub(super) fn target(settings: &Settings, name: Option<&str>) -> Option<String> {
    let name = name?;
    let role = settings.roles.find(name).map(|(id, _)| format!("role:{id}"));
    Some(role.unwrap_or_else(|| name.to_owned()))
}

/// What a message asks for. Most messages of a channel mention nobody, and no agent is asked for its name then.
pub(super) async fn called(door: &DiscordDoor, heard: &DiscordMessage) -> MentionRequest {
    if heard.mentions_somebody() { asked(heard, &of_guild(door, heard.guild).await) } else { MentionRequest::Nothing }
}

/// Whom they may hand work to: roles first, by what people call them, then agents. Nothing else is named.
pub(super) async fn callable(door: &DiscordDoor, person: &OnDiscord) -> Vec<(String, String)> {
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

/// What was wrong in a call, and how it is done. `name` is whom it calls, or what may be meant for a name.
pub(super) async fn how(door: &DiscordDoor, person: &OnDiscord, hint: Hint, name: &str) -> String {
    let callable = callable(door, person).await;
    let names = || callable.iter().map(|(name, _)| name.as_str());
    match hint {
        Hint::NoWords => {
            let who = shown(&door.hub.settings(), name);
            format!("Say what is to be done behind the mention, as in `@{who} implement login`.")
        }
        Hint::HiddenText => {
            "I cannot read what you wrote: here I see only the text of messages that mention me. Write \
            `@Callboard FullStack: implement login` (with my name), or use `/task`."
                .to_owned()
        }
        Hint::NoName | Hint::UnknownName => {
            let is_role =
                name.starts_with("<@&") && name[3..].trim_end_matches('>').bytes().all(|b| b.is_ascii_digit());
            let given = if is_role { name.to_owned() } else { quoted(name, 80) };
            let near = nearest(name.trim_start_matches('@'), names());
            let unknown = hint == Hint::UnknownName || !near.is_empty();
            let what = match unknown {
                true => format!("Nobody is called {given}."),
                false => "Say whom you mean, as in `FullStack: implement login`.".to_owned(),
            };
            let (near, all) = (near.join(" or "), names().take(NAMED).collect::<Vec<_>>().join(", "));
            match (near.is_empty(), all.is_empty()) {
                (false, _) => format!("{what} Do you mean {}?", quoted(&near, 300)),
                (true, false) => format!("{what} You may call: {}.", quoted(&all, 600)),
                (true, true) => format!("{what} You have no role that may call agents; ask an admin."),
            }
        }
        Hint::Unreadable => "I can only read words and files.".to_owned(),
    }
}
