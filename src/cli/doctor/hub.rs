//! Whether a hub answers, as whom this command line speaks, how its clock goes, and what it says to pages.

use std::time::Duration;

use serde_json::Value;

use super::finding::Finding;
use crate::cli::client::{HubClient, Unheard, Words, is_not_owner};
use crate::cli::exit::Exit;
use crate::cli::output::cell::str_at;
use crate::cli::place::GlobalArgs;
use crate::clock::Clock;
use crate::domain::text::{for_terminal, shorten};
use crate::domain::time::Timestamp;

/// How far two clocks may be apart before somebody wonders about times that are shown.
const APART: Duration = Duration::from_secs(5);

/// How long a hub may take to say that it lives.
const TIMEOUT: Duration = Duration::from_secs(10);

/// The most characters of what a hub says of itself.
const LONGEST: usize = 400;

/// A page that no hub of ours knows.
const FOREIGN: &str = "http://foreign.invalid";

/// Looks; and gives the hub that answers, for whoever looks further.
pub(super) async fn look(globals: &GlobalArgs) -> (Vec<Finding>, Option<HubClient>) {
    let hub = match HubClient::find(globals) {
        Ok(hub) => hub,
        // It may have left no token: that it stands by it tells everybody.
        Err(_) if let Some(hub) = standing_by(globals).await => hub,
        // The settings would say where it is, and what is wrong with them is said by itself.
        Err(_) if globals.data_dir().is_err() => return (Vec::new(), None),
        Err(problem) => return (vec![Finding::of_problem("hub", &problem).next("callboard serve")], None),
    };
    let mut findings = nodes(&hub).await;
    if let Err(unheard) = hub.once_within(&["healthz"], TIMEOUT).await {
        findings.push(unanswered(unheard, hub.address()));
        return (findings, None);
    }
    let (is_ready, stands_by) = ready(&hub).await;
    findings.push(is_ready);
    if stands_by {
        let message = "the hub that has the journal knows it, and this one does not";
        let finding = Finding::skipped("token", message);
        findings.push(match globals.config_dir() {
            Some(_) => finding,
            None => finding.next("callboard doctor --config DIR, as callboard serve has it: it asks the database"),
        });
        return (findings, None);
    }
    let clock = Clock::system();
    let asked = clock.now();
    match hub.get(&["api", "v1", "me"], &[]).await {
        Ok(me) => {
            findings.push(token(&me));
            findings.push(apart(&me, asked, clock.now()));
            findings.push(pages(&hub).await);
            findings.extend(warnings(&hub).await);
        }
        Err(problem) => {
            let next = "set CALLBOARD_DATA_DIR to the data directory of that hub, or CALLBOARD_TOKEN_FILE";
            let finding = Finding::of_problem("token", &problem).next(next);
            findings.push(if problem.exit() == Exit::Refused { finding.code("TOKEN_REFUSED") } else { finding });
        }
    }
    (findings, Some(hub))
}

async fn standing_by(globals: &GlobalArgs) -> Option<HubClient> {
    let hub = HubClient::unnamed(globals).ok()?;
    ready(&hub).await.1.then_some(hub)
}

/// Of several addresses, what each of them is. The one that has the journal is asked from then on.
async fn nodes(hub: &HubClient) -> Vec<Finding> {
    let heard = hub.words_of_each(&["readyz"], TIMEOUT).await;
    if heard.len() < 2 {
        return Vec::new();
    }
    let owner = heard.iter().position(|(_, said)| matches!(said, Ok((200, _))));
    (0..owner.unwrap_or_default()).for_each(|_| hub.looks_elsewhere());
    heard.into_iter().map(|(address, said)| of_node(&address, said)).collect()
}

pub(super) fn of_node(address: &str, said: Words) -> Finding {
    const CHECK: &str = "node";
    let (status, text) = match said {
        Ok((200, _)) => return Finding::good(CHECK, format!("{address} has the journal")),
        Ok(said) => said,
        Err(unheard) => {
            return Finding::doubtful(CHECK, unheard.problem(address).told())
                .next("callboard serve there, or take that address out of CALLBOARD_URL");
        }
    };
    let said: Value = serde_json::from_str(&text).unwrap_or_default();
    let why = for_terminal(&shorten(str_at(&said, "error").unwrap_or_default(), LONGEST)).into_owned();
    if is_not_owner(status, &text) {
        return Finding::good(CHECK, format!("{address} stands by: {why}"));
    }
    Finding::doubtful(CHECK, format!("{address} is not ready: status {status} {why}").trim_end())
        .next(format!("CALLBOARD_URL={address} callboard doctor"))
}

/// Why a hub does not answer: what is to be done is another thing each time.
pub(super) fn unanswered(unheard: Unheard, address: &str) -> Finding {
    let unreachable = |message: String| Finding::wrong("hub", Exit::Unreachable, message);
    match unheard {
        Unheard::Nobody(why) => unreachable(format!("nobody listens at {address}: {why}"))
            .code("HUB_ABSENT")
            .next("callboard serve, or set CALLBOARD_URL to where it listens"),
        Unheard::Silent => {
            unreachable(format!("what listens at {address} takes the connection and says nothing for {TIMEOUT:?}"))
                .code("HUB_SILENT")
                .next(
                    "end what listens there (`ss -ltnp` names it), then callboard serve; if it is a hub, keep its log",
                )
        }
        Unheard::Lost(why) => unreachable(format!("what listens at {address} breaks off: {why}"))
            .code("HUB_LOST")
            .next("callboard doctor again; if it stays so, set CALLBOARD_URL to where a hub listens"),
        Unheard::Refused(problem) => {
            let next = "add the address that you reach it by to `allowedHosts` of hub.yaml, or set CALLBOARD_URL";
            Finding::of_problem("hub", &problem).next(next).code("HUB_REFUSES")
        }
        Unheard::Gibberish { status, .. } => {
            let message = format!("what listens at {address} is no hub: it answers with status {status}");
            let next = match status {
                404 => {
                    "set CALLBOARD_URL to where the hub listens; if this is a proxy in front of a hub that restarts, \
                        let it answer 502 or 503: told 404, clients give the hub up"
                }
                _ => "set CALLBOARD_URL to where the hub listens, or callboard serve --listen with another port",
            };
            Finding::wrong("hub", Exit::Failed, message).code("NOT_A_HUB").next(next)
        }
    }
}

/// What the hub itself says is worth a warning, such as a file of settings that it could not read again.
async fn warnings(hub: &HubClient) -> Vec<Finding> {
    // Who may not ask for it is told so by the finding on the token.
    let shown = hub.get(&["api", "v1", "overview"], &[]).await.unwrap_or_default();
    shown["warnings"].as_array().into_iter().flatten().map(of_warning).collect()
}

pub(super) fn of_warning(warning: &Value) -> Finding {
    let said = |key| for_terminal(&shorten(str_at(warning, key).unwrap_or_default(), LONGEST)).into_owned();
    Finding::doubtful(format!("hub {}", said("subject")), said("message")).code(said("code")).next(said("advice"))
}

/// Whether the hub can do its work, and whether it stands by for another one; a hub that can do neither is as good as
/// none, and says why.
async fn ready(hub: &HubClient) -> (Finding, bool) {
    match hub.words_within(&["readyz"], TIMEOUT).await {
        Ok((status, text)) => (of_readiness(status, &text, hub.address()), is_not_owner(status, &text)),
        Err(unheard) => (unanswered(unheard, hub.address()), false),
    }
}

pub(super) fn of_readiness(status: u16, text: &str, address: &str) -> Finding {
    let said: Value = serde_json::from_str(text).unwrap_or_default();
    if is_not_owner(status, text)
        && let Some(owner) = said["details"]["owner"].as_str()
    {
        let owner = for_terminal(&shorten(owner, LONGEST)).into_owned();
        return Finding::good("hub", format!("it answers at {address} and stands by for `{owner}`"));
    }
    let reasons: Vec<_> = said["reasons"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    if status == 200 && reasons.is_empty() {
        return Finding::good("hub", format!("it answers at {address} and is ready"));
    }
    if status == 200 {
        let why = shorten(&reasons.join("; "), LONGEST);
        return Finding::doubtful("hub", format!("it answers at {address} and is ready, but: {}", for_terminal(&why)))
            .next(
                "put that right where the hub runs, its log says more; where it is the clock, timedatectl status there",
            );
    }
    let why = match (reasons.as_slice(), str_at(&said, "error")) {
        ([], Some(error)) => error.to_owned(),
        ([], None) => format!("status {status}, without a reason"),
        (reasons, _) => reasons.join("; "),
    };
    let why = shorten(&why, LONGEST);
    Finding::wrong("hub", Exit::Failed, format!("it answers at {address} and is not ready: {}", for_terminal(&why)))
        .code("HUB_NOT_READY")
        .next("put that right where the hub runs, its log says more; then callboard doctor again")
}

pub(super) fn token(me: &Value) -> Finding {
    let scopes: Vec<_> = me["scopes"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let who = str_at(me, "principal").unwrap_or("somebody");
    let message = format!("it is valid: you are `{who}`, with scope {}", scopes.join(", "));
    if scopes.iter().any(|scope| matches!(*scope, "operate" | "admin")) {
        return Finding::good("token", message);
    }
    Finding::doubtful("token", format!("{message}; it hands out no work and answers nothing"))
        .next("callboard token create --scope operate --name NAME --out FILE, then CALLBOARD_TOKEN_FILE=FILE")
}

/// How far the hub's clock is from this one's. The answer was written somewhere between the two moments.
pub(super) fn apart(me: &Value, asked: Timestamp, heard: Timestamp) -> Finding {
    let Some(there) = str_at(me, "time").and_then(Timestamp::parse) else {
        return Finding::doubtful("clock", "the hub does not say what time it is").next("callboard --version");
    };
    let apart = there.since(heard).max(asked.since(there));
    if apart <= APART {
        return Finding::good("clock", format!("the hub's and this one are at most {apart:?} apart"));
    }
    let which = if there > heard { "ahead of" } else { "behind" };
    Finding::doubtful("clock", format!("the hub's is {apart:?} {which} this one: times that are shown mislead"))
        .next("timedatectl status, on both machines")
}

/// Whether the hub's own page may call it, and another may not.
async fn pages(hub: &HubClient) -> Finding {
    let (own, foreign) = (hub.status_from(hub.origin()).await, hub.status_from(FOREIGN.to_owned()).await);
    of_pages(own, foreign)
}

pub(super) fn of_pages(own: Option<u16>, foreign: Option<u16>) -> Finding {
    match (own, foreign) {
        (Some(200), Some(403)) => Finding::good("pages", "the hub's own page may call it, and no other one"),
        (Some(200), _) => {
            let message = "a foreign page may call the hub, or something between lets it: is that `allowedOrigins`?";
            Finding::wrong("pages", Exit::Configuration, message).next("callboard config show --origin")
        }
        (_, _) => {
            let message = "the hub refuses pages of the address that you reach it by";
            Finding::wrong("pages", Exit::Configuration, message)
                .next("add that address to `allowedHosts` of hub.yaml, or set `behindProxy.publicUrl`")
        }
    }
}
