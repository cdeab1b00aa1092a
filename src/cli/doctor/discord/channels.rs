//! What the bot may in each text channel where the hub listens.
//!
//! Discord's order: the roles of the guild are united; Administrator ends it; then what the channel changes for
//! everybody, for the bot's roles, and for the bot.

use serde_json::Value;

use super::super::finding::Finding;
use super::rest::text;
use crate::cli::exit::Exit;
use crate::domain::text::for_terminal;
use crate::settings::Settings;

const ADMINISTRATOR: u64 = 1 << 3;
const VIEW_CHANNEL: u64 = 1 << 10;
const SEND_MESSAGES: u64 = 1 << 11;

/// Without these nothing works in a channel.
const VITAL: u64 = VIEW_CHANNEL | SEND_MESSAGES;

/// The permissions that the hub uses, by their names in Discord.
pub(super) fn needed(threads: bool) -> Vec<(u64, &'static str)> {
    let mut needed = vec![
        (VIEW_CHANNEL, "View Channel"),
        (SEND_MESSAGES, "Send Messages"),
        (1 << 16, "Read Message History"),
        (1 << 6, "Add Reactions"),
        (1 << 15, "Attach Files"),
    ];
    if threads {
        needed.extend([(1 << 35, "Create Public Threads"), (1 << 38, "Send Messages in Threads")]);
    }
    needed
}

pub(super) struct Guild {
    pub(super) id: String,
    pub(super) roles: Vec<Value>,
    pub(super) channels: Vec<Value>,
    pub(super) mine: Vec<String>,
}

pub(super) fn look(settings: &Settings, name: &str, guild: &Guild, bot: &str) -> Vec<Finding> {
    let discord = &settings.hub.discord;
    let named = |list: &[crate::settings::Snowflake], channel: &Value| {
        list.iter().any(|id| id.0.to_string() == text(channel, "id"))
    };
    let heard = guild.channels.iter().filter(|channel| {
        matches!(channel["type"].as_u64(), Some(0 | 5))
            && !named(&discord.channels.deny, channel)
            && (discord.channels.allow.is_empty() || named(&discord.channels.allow, channel))
    });
    let (mut good, mut hidden, mut findings) = (0, 0, Vec::new());
    for channel in heard {
        let may = permissions(guild, channel, bot);
        let lacks: Vec<_> = needed(discord.thread_per_task).into_iter().filter(|(bit, _)| may & bit == 0).collect();
        let is_named = named(&discord.channels.allow, channel);
        if lacks.is_empty() {
            good += 1;
        } else if may & VIEW_CHANNEL == 0 && !is_named {
            hidden += 1;
        } else {
            findings.push(missing(name, channel, &lacks, may & VITAL == VITAL));
        }
    }
    let hidden = if hidden == 0 { String::new() } else { format!("; it does not see {hidden} others") };
    let check = format!("discord channels of {name}");
    let summary = format!("the bot may do all that it needs in {good} text channels{hidden}");
    if good == 0 && findings.is_empty() {
        let message = format!("there is no text channel where the hub could listen{hidden}");
        findings.push(Finding::wrong(check, Exit::Configuration, message).next("give the bot View Channel somewhere"));
    } else {
        findings.insert(0, Finding::good(check, summary));
    }
    findings
}

fn missing(guild: &str, channel: &Value, lacks: &[(u64, &str)], works: bool) -> Finding {
    let name = for_terminal(&text(channel, "name")).to_string();
    let check = format!("discord channel {guild}#{name}");
    let lacks: Vec<_> = lacks.iter().map(|(_, name)| *name).collect();
    let message = format!("the bot lacks {}", lacks.join(", "));
    let next = format!("#{name} → Edit Channel → Permissions: allow it for the bot's role");
    if works {
        Finding::doubtful(check, message).code("PERMISSION_MISSING").next(next)
    } else {
        Finding::wrong(check, Exit::Configuration, message).code("PERMISSION_MISSING").next(next)
    }
}

/// What the bot may in `channel`; nothing where it does not see it.
fn permissions(guild: &Guild, channel: &Value, bot: &str) -> u64 {
    let bits = |object: &Value, field: &str| text(object, field).parse::<u64>().unwrap_or_default();
    let is_mine = |id: &str| id == guild.id || guild.mine.iter().any(|mine| mine == id);
    let roles = guild.roles.iter().filter(|role| is_mine(&text(role, "id")));
    let base = roles.fold(0, |all, role| all | bits(role, "permissions"));
    if base & ADMINISTRATOR != 0 {
        return u64::MAX;
    }
    let overwrites = channel["permission_overwrites"].as_array().map(Vec::as_slice).unwrap_or_default();
    let steps: [&dyn Fn(&str) -> bool; 3] =
        [&|id| id == guild.id, &|id| id != guild.id && is_mine(id), &|id| id == bot];
    let may = steps.iter().fold(base, |may, step| {
        let of = overwrites.iter().filter(|over| step(&text(over, "id")));
        let (allow, deny) =
            of.fold((0, 0), |(allow, deny), over| (allow | bits(over, "allow"), deny | bits(over, "deny")));
        (may & !deny) | allow
    });
    if may & VIEW_CHANNEL == 0 { 0 } else { may }
}
