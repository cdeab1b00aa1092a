//! The guilds of `hub.yaml`, and in each its roles and channels.

use std::collections::BTreeMap;

use serde_json::Value;

use super::super::finding::Finding;
use super::application::Bot;
use super::channels::Guild;
use super::rest::{NoAnswer, RestProbe, text};
use super::{channels, roles};
use crate::cli::exit::Exit;
use crate::domain::text::for_terminal;
use crate::settings::Settings;

/// Looks at each guild; and at `permissions.yaml`, whose roles may be in any of them.
pub(super) async fn look(rest: &RestProbe, settings: &Settings, bot: &Bot) -> Vec<Finding> {
    let guilds = match rest.get("/users/@me/guilds").await {
        Ok(guilds) => guilds,
        Err(no) => return vec![no.finding("discord guilds")],
    };
    let inside: BTreeMap<String, String> = guilds
        .as_array()
        .into_iter()
        .flatten()
        .map(|guild| (text(guild, "id"), for_terminal(&text(guild, "name")).into()))
        .collect();
    let wanted: Vec<_> = settings.hub.discord.guilds.iter().map(|id| id.0.to_string()).collect();
    let mut findings = vec![membership(&inside, &wanted, bot)];
    let mut known = Vec::new();
    for (id, name) in inside.iter().filter(|(id, _)| wanted.is_empty() || wanted.contains(id)) {
        match of(rest, id, bot).await {
            Ok(guild) => {
                findings.push(roles::callable(settings, name, &guild.roles));
                findings.extend(channels::look(settings, name, &guild, &bot.id));
                known.push(guild.roles);
            }
            Err(no) => findings.push(no.finding(&format!("discord guild {name}"))),
        }
    }
    findings.push(roles::rights(settings, &known));
    findings
}

async fn of(rest: &RestProbe, id: &str, bot: &Bot) -> Result<Guild, NoAnswer> {
    let list = |value: Value| value.as_array().cloned().unwrap_or_default();
    let roles = list(rest.get(&format!("/guilds/{id}/roles")).await?);
    let channels = list(rest.get(&format!("/guilds/{id}/channels")).await?);
    let me = rest.get(&format!("/guilds/{id}/members/{}", bot.id)).await?;
    let mine = list(me["roles"].clone()).iter().filter_map(Value::as_str).map(String::from).collect();
    Ok(Guild { id: id.into(), roles, channels, mine })
}

/// Whether the bot is in every guild that `hub.yaml` names, and in any at all.
fn membership(inside: &BTreeMap<String, String>, wanted: &[String], bot: &Bot) -> Finding {
    let check = "discord guilds";
    let missing: Vec<_> = wanted.iter().filter(|id| !inside.contains_key(*id)).map(|id| format!("`{id}`")).collect();
    let next = format!("invite it: {}", bot.invite);
    if inside.is_empty() {
        return Finding::wrong(check, Exit::Configuration, "the bot is in no guild").code("NO_GUILD").next(next);
    }
    if !missing.is_empty() {
        let message = format!("`discord.guilds` names {}, where the bot is not", missing.join(", "));
        return Finding::wrong(check, Exit::Configuration, message).code("NOT_IN_GUILD").next(next);
    }
    let names: Vec<_> = inside
        .iter()
        .filter(|(id, _)| wanted.is_empty() || wanted.contains(id))
        .map(|(_, name)| format!("`{name}`"))
        .collect();
    Finding::good(check, format!("the bot is in {}", names.join(", ")))
}
