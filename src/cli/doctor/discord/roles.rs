//! Which agent roles can be called by a mention, and whether the roles of `permissions.yaml` exist.

use serde_json::Value;

use super::super::finding::Finding;
use super::rest::text;
use crate::settings::{Settings, Snowflake};

/// Which agent roles a guild can mention.
pub(super) fn callable(settings: &Settings, guild: &str, roles: &[Value]) -> Finding {
    let check = format!("discord roles of {guild}");
    let (mut found, mut missing, mut mute) = (Vec::new(), Vec::new(), Vec::new());
    for (id, role) in &settings.roles.roles {
        let names = [id.as_str().to_lowercase(), role.display_name.to_lowercase()];
        let mapped = |one: &Value| {
            let maps = settings
                .hub
                .discord
                .roles
                .iter()
                .any(|(from, to)| from.0.to_string() == text(one, "id") && names.contains(&to.to_lowercase()));
            maps || names.contains(&text(one, "name").to_lowercase())
        };
        match roles.iter().find(|one| mapped(one)) {
            Some(one) if one["mentionable"] == true => found.push(format!("@{}", text(one, "name"))),
            Some(one) => mute.push(format!("@{}", text(one, "name"))),
            None => missing.push(format!("`{}`", role.display_name)),
        }
    }
    let calls = if found.is_empty() { "no agent role can be called by a mention".to_owned() } else { found.join(", ") };
    if !mute.is_empty() {
        let message = format!("{calls}; but not everybody may mention {}", mute.join(", "));
        return Finding::doubtful(check, message).next("Server Settings → Roles → Allow anyone to @mention this role");
    }
    if missing.is_empty() {
        return Finding::good(check, calls);
    }
    let message = format!("{calls}; no role is named {}", missing.join(", "));
    let next = "make roles of these names, or map others in discord.roles; /task and a mention of the bot work without";
    Finding::doubtful(check, message).next(next)
}

/// Whether anybody has rights, and whether the roles that give them exist.
pub(super) fn rights(settings: &Settings, guilds: &[Vec<Value>]) -> Finding {
    let check = "discord permissions.yaml";
    if settings.permissions.is_empty() {
        return Finding::doubtful(check, "nobody may do anything from Discord").code("NOBODY_MAY").next(
            "write permissions.yaml: roles: {\"ROLE ID\": {canAssignTo: [\"*\"]}}; \
             `callboard config schema permissions.yaml` says all of it",
        );
    }
    let all: Vec<_> = guilds.iter().flatten().collect();
    let is_known = |key: &str| match Snowflake::parse(key) {
        Some(_) => all.iter().any(|role| text(role, "id") == key),
        None => all.iter().any(|role| text(role, "name").eq_ignore_ascii_case(key)),
    };
    let missing: Vec<_> =
        settings.permissions.roles.keys().filter(|key| !is_known(key)).map(|key| format!("`{key}`")).collect();
    let by_name = settings.permissions.roles.keys().filter(|key| Snowflake::parse(key).is_none()).count();
    if by_name > 0 && settings.hub.discord.guilds.is_empty() {
        let message =
            format!("{} by name, and names give nothing in a server that is not listed", counted(by_name, "role"));
        return Finding::doubtful(check, message)
            .code("NAMES_GIVE_NOTHING")
            .next("list the ids of your servers in `discord.guilds` of hub.yaml, or use the ids of roles");
    }
    if !missing.is_empty() {
        let message = format!("no guild has a role {}: these lines give nobody anything", missing.join(", "));
        return Finding::doubtful(check, message).code("ROLE_UNKNOWN").next("use the ids of roles that exist");
    }
    let (roles, users) = (settings.permissions.roles.len(), settings.permissions.users.len());
    let message = format!("it gives rights to {} and {}", counted(roles, "role"), counted(users, "user"));
    if by_name == 0 {
        return Finding::good(check, message);
    }
    let message = format!("{message}; {} by name, which anybody with Manage Roles can make", counted(by_name, "role"));
    Finding::good(check, message).next("use the ids of these roles instead of their names")
}

fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}
