//! `callboard doctor`: what keeps agents from working here, each with what to type next.
//!
//! It changes nothing: nobody is registered, no session opened, no work taken. A proxy that it starts has a token made
//! for its agent where there is none, as it has when its client starts it.

mod by_command;
mod by_http;
mod clients;
mod discord;
mod finding;
mod flag;
mod forge;
mod hub;
mod in_front;
pub(super) mod place;
mod ready;
#[cfg(feature = "postgres")]
pub(super) mod store;
#[cfg(test)]
mod tests;
mod tracker;
mod wait;
mod woken;

use clap::{Args, ValueEnum};

use super::exit::Exit;
use super::output::{OutputArgs, say, say_json};
use super::place::GlobalArgs;
use super::problem::Problem;
use crate::settings::Loaded;
use finding::{Finding, State};

/// Look whether all is well: the hub, your token, your clients
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  callboard doctor
  callboard doctor discord        only the bot, its guilds and channels; forge and tracker likewise
  callboard doctor -o json
  callboard doctor --ready        ask only whether the hub is ready, without a token
  callboard doctor --no-wait      do not try a wait through the clients' own commands

A part only reads. Ends with 0 when nothing is wrong, 1 when something broke or the hub is not ready, 2 when a setting \
or a client's file is wrong, 3 when the hub, Discord, the forge or the tracker refuses the token, 5 when it does not \
answer.")]
pub(super) struct DoctorArgs {
    /// Look at this alone
    #[arg(value_enum)]
    part: Option<Part>,
    /// Try no wait through the clients' own commands
    #[arg(long, conflicts_with = "part")]
    no_wait: bool,
    /// Ask only whether the hub is ready
    #[arg(long, conflicts_with_all = ["output", "no_wait", "part"])]
    ready: bool,
    #[command(flatten)]
    output: OutputArgs,
}

/// A part of what is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Part {
    /// The bot's token, its intents and guilds, and what it may in each channel
    Discord,
    /// The token, and what it may in each repository; or git and each folder
    Forge,
    /// The settings and the token, and whether it may comment in each repository
    Tracker,
}

pub(super) async fn run(args: &DoctorArgs, globals: &GlobalArgs) -> Result<(), Problem> {
    if args.ready {
        return ready::ask(globals).await;
    }
    let findings = match args.part {
        Some(Part::Discord) => discord::look(globals, true).await,
        Some(Part::Forge) => forge::look(globals).await,
        Some(Part::Tracker) => tracker::look(globals).await,
        None => all(args, globals).await,
    };
    report(&findings, args.output.is_json())
}

async fn all(args: &DoctorArgs, globals: &GlobalArgs) -> Vec<Finding> {
    let mut findings = place::look(globals);
    let (about, hub) = hub::look(globals).await;
    findings.extend(about);
    match loaded(globals) {
        Ok(loaded) => {
            #[cfg(feature = "postgres")]
            findings.extend(store::look(&loaded.settings.hub, globals).await);
            #[cfg(not(feature = "postgres"))]
            drop(loaded);
            findings.extend(in_front::look(globals, hub.is_some()).await);
            findings.extend(discord::look(globals, false).await);
            findings.extend(tracker::look(globals).await);
            findings.extend(forge::look(globals).await);
        }
        // Told once: what they would be looked at by is wrong.
        Err(wrong) => findings.push(wrong),
    }
    findings.extend(clients::look(hub.as_ref(), globals, !args.no_wait).await);
    findings
}

/// The settings; what is wrong with them is no fault of what they are about.
#[expect(clippy::result_large_err, reason = "once in a run")]
fn loaded(globals: &GlobalArgs) -> Result<Loaded, Finding> {
    globals.settings().map_err(|problem| Finding::of_problem("settings", &problem).next("callboard config check"))
}

/// Prints the findings, and ends as the worst of them says.
pub(super) fn report(findings: &[Finding], json: bool) -> Result<(), Problem> {
    if json {
        say_json(&serde_json::json!({ "ok": worst(findings).is_none(), "findings": findings }))?;
    } else {
        for finding in findings {
            say(&finding.words())?;
        }
    }
    match worst(findings) {
        None => Ok(()),
        Some(exit) => {
            let count = findings.iter().filter(|finding| finding.state() == State::Wrong).count();
            let things = if count == 1 { "one thing is wrong".to_owned() } else { format!("{count} things are wrong") };
            Err(Problem::new(exit, things).next("see `next:` of each"))
        }
    }
}

/// With which code it ends: by the finding that keeps most from working.
fn worst(findings: &[Finding]) -> Option<Exit> {
    let wrong: Vec<_> = findings.iter().filter_map(Finding::exit).collect();
    [Exit::Unreachable, Exit::Refused, Exit::Configuration, Exit::NotFound, Exit::Failed]
        .into_iter()
        .find(|exit| wrong.contains(exit))
}
