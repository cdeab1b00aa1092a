//! Whom a message can call: the agent roles that the guild's roles are named for or mapped to, and agents by name.

use std::sync::Arc;

use super::door::DiscordDoor;
use crate::domain::discord::{Callees, DiscordMessage, MentionRequest, asked};
use crate::settings::Settings;

/// Whom a message in this guild can call.
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
