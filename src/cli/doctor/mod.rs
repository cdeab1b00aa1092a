//! `callboard doctor`: what keeps agents from working here, each with what to type next.
//!
//! - `finding`: what was looked at, how it is, and what to do;
//! - `place`: the data directory, as it lies on the disk;
//! - `hub`: whether a hub answers, as whom this command line speaks, its clock, and what it says to pages;
//! - `in_front`: the proxy in front of the hub, where the settings name one;
//! - `ready`: whether the hub is ready, for a health check;
//! - `discord`: the bot, its intents and guilds, and what it may there;
//! - `tracker`: its token, and each repository in which agents may comment;
//! - `forge`: its token, and each repository in which agents may open pull requests;
//! - `clients`: the configuration of each MCP client, and whether it leads to this hub;
//! - `wait`: a real wait, by the way that the client would go;
//! - `by_command` and `by_http`: the two ways.
//!
//! It changes nothing, with one exception that it names: an agent of whom nobody has heard for long is spoken for, for
//! as long as a wait of a second takes.

mod by_command;
mod by_http;
mod clients;
mod discord;
mod finding;
mod flag;
mod forge;
mod hub;
mod in_front;
mod place;
mod ready;
#[cfg(test)]
mod tests;
mod tracker;
mod wait;

use std::path::Path;

use clap::Args;

use super::exit::Exit;
use super::output::{say, say_json};
use super::place::{config_dir, settings};
use super::problem::Problem;
use crate::settings::Loaded;
use finding::{Finding, State};

/// Look whether all is well: the hub, your token, your clients
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  callboard doctor
  callboard doctor --json
  callboard doctor --ready        ask only whether the hub is ready, without a token: a health check
  callboard doctor --no-wait      do not try a wait through the clients' own commands

Ends with 0 when nothing is wrong, 1 when something broke or the hub is not ready, 2 when a setting or a client's file \
is wrong, 3 when the hub refuses the token, 5 when no hub answers.")]
pub(super) struct DoctorArgs {
    /// Print the findings as JSON
    #[arg(long)]
    json: bool,
    /// Try no wait through the clients' own commands
    #[arg(long)]
    no_wait: bool,
    /// Ask only whether the hub is ready
    #[arg(long, conflicts_with_all = ["json", "no_wait"])]
    ready: bool,
}

/// Looks.
pub(super) async fn run(args: &DoctorArgs, data_dir: Option<&Path>) -> Result<(), Problem> {
    if args.ready {
        return ready::ask(data_dir).await;
    }
    let mut findings = place::look(data_dir);
    let (about, hub) = hub::look(data_dir).await;
    findings.extend(about);
    match loaded(None) {
        Ok(_) => {
            findings.extend(in_front::look(None, hub.is_some()).await);
            findings.extend(discord::look(None, false).await);
            findings.extend(tracker::look(None).await);
            findings.extend(forge::look(None).await);
        }
        // Told once: what they would be looked at by is wrong.
        Err(wrong) => findings.push(wrong),
    }
    findings.extend(clients::look(hub.as_ref(), data_dir, !args.no_wait).await);
    report(&findings, args.json)
}

/// A part of all that, which has a command of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Discord,
    Tracker,
    Forge,
}

/// `callboard discord check` and the like: of all that, this part.
pub(super) async fn check(part: Part, config: Option<&Path>, json: bool) -> Result<(), Problem> {
    let findings = match part {
        Part::Discord => discord::look(config, true).await,
        Part::Tracker => tracker::look(config).await,
        Part::Forge => forge::look(config).await,
    };
    report(&findings, json)
}

/// The settings; what is wrong with them is no fault of what they are about.
fn loaded(config: Option<&Path>) -> Result<Loaded, Finding> {
    settings(config_dir(config).as_deref(), Vec::new())
        .map_err(|problem| Finding::of_problem("settings", &problem).next("callboard check-config"))
}

/// Prints the findings, and ends as the worst of them says.
fn report(findings: &[Finding], json: bool) -> Result<(), Problem> {
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
