//! The token, the intents, the identifications that are left, and the link of invitation.

use serde_json::Value;

use super::super::finding::Finding;
use super::channels;
use super::rest::{NoAnswer, RestProbe, text};
use crate::cli::exit::Exit;
use crate::settings::Settings;

/// Flags of an application whose `MESSAGE_CONTENT` is on, with Discord's approval and without.
const MESSAGE_CONTENT: u64 = (1 << 18) | (1 << 19);
/// From here on a hub that keeps restarting may run out of identifications.
const FEW: u64 = 100;

pub(super) struct Bot {
    pub(super) id: String,
    /// A link by which somebody with Manage Server invites it, with all permissions that it needs.
    pub(super) invite: String,
}

/// Looks; no bot where the token is refused or Discord cannot be reached.
pub(super) async fn look(rest: &RestProbe, settings: &Settings) -> (Vec<Finding>, Option<Bot>) {
    let me = match rest.get("/users/@me").await {
        Ok(me) => me,
        Err(no) => return (vec![no.finding("discord token")], None),
    };
    let (id, name) = (text(&me, "id"), text(&me, "username"));
    let mut findings = vec![Finding::good("discord token", format!("it is the token of the bot `{name}` ({id})"))];
    let application = rest.get("/applications/@me").await;
    let of = application.as_ref().map_or_else(|_| id.clone(), |about| text(about, "id"));
    findings.push(intents(application, settings.hub.discord.message_content));
    findings.push(sessions(rest.get("/gateway/bot").await));
    let permissions = channels::needed(settings.hub.discord.thread_per_task);
    let permissions = permissions.iter().fold(0, |all, (bit, _)| all | bit);
    let scopes = "bot%20applications.commands";
    let invite =
        format!("https://discord.com/oauth2/authorize?client_id={of}&scope={scopes}&permissions={permissions}");
    findings
        .push(Finding::good("discord invitation", format!("somebody with Manage Server invites the bot by {invite}")));
    (findings, Some(Bot { id, invite }))
}

fn intents(application: Result<Value, NoAnswer>, wanted: bool) -> Finding {
    let check = "discord intents";
    let on = match application {
        Ok(about) => about["flags"].as_u64().unwrap_or_default() & MESSAGE_CONTENT != 0,
        Err(no) => return no.finding(check),
    };
    match (wanted, on) {
        (true, true) => Finding::good(check, "Message Content Intent is on: the text of role mentions can be read"),
        (false, _) => {
            let words =
                "`discord.messageContent` is false: only /task, replies and mentions of the bot carry their text";
            Finding::good(check, words)
        }
        (true, false) => {
            let words = "Message Content Intent is off: Discord will close the gateway with 4014";
            Finding::wrong(check, Exit::Configuration, words).code("INTENT_OFF").next(
                "https://discord.com/developers/applications → Bot → Privileged Gateway Intents → Message Content \
                 Intent, or set discord.messageContent: false in hub.yaml",
            )
        }
    }
}

fn sessions(gateway: Result<Value, NoAnswer>) -> Finding {
    let check = "discord sessions";
    let limit = match gateway {
        Ok(gateway) => gateway["session_start_limit"].clone(),
        Err(no) => return no.finding(check),
    };
    let number = |field: &str| limit[field].as_u64().unwrap_or_default();
    let (left, total) = (number("remaining"), number("total"));
    let message = format!("{left} of {total} identifications are left for today");
    if left > FEW {
        return Finding::good(check, message);
    }
    let minutes = number("reset_after") / 60_000;
    Finding::doubtful(check, message)
        .next(format!("see why the hub identifies so often; they come back in {minutes} min"))
}
