//! `callboard connect`: writes the proxy into an MCP client's own configuration, and takes it out again.
//!
//! A client's file belongs to its user. Only one entry of it is touched, as text, so that order, spaces and all else
//! stay; what it was is kept beside it, and what changes is shown. No file ever holds a token: the entry starts the
//! proxy, which finds its own.
//!
//! - `client`: which file, and how the entry is written there;
//! - `json` and `toml`: one entry of a file, put in as text;
//! - `file`: what was, what is, and the way back;
//! - `verify`: whether what was written works.

mod client;
mod file;
mod json;
#[cfg(test)]
mod tests;
mod toml;
mod verify;

use std::path::Path;

use clap::{Args, ValueEnum};

use super::args::agent_id;
use super::output::say;
use super::problem::Problem;
use crate::domain::ids::AgentId;
use client::{Client, Entry};
use file::Kept;

/// Connect an MCP client to the hub, by the stdio proxy.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  callboard connect claude --agent fullstack-1 --role full-stack-engineer
  callboard connect vscode --agent fullstack-1 --role full-stack-engineer --scope project --dry-run
  callboard connect codex --agent fullstack-1 --undo

The file is shown before and after, and kept as FILE.callboard-backup. `json` prints the entry for any other client.")]
pub(super) struct ConnectArgs {
    /// Which client.
    client: Client,
    /// The agent that the client speaks for.
    #[arg(long, value_name = "ID", value_parser = agent_id)]
    agent: AgentId,
    /// The role in which the agent is registered when it waits.
    #[arg(long)]
    role: Option<String>,
    /// For all of the user's projects, or for the one in the working directory.
    #[arg(long, value_enum, default_value_t = Scope::User)]
    scope: Scope,
    /// Where the hub is, when it is not the one of the data directory.
    #[arg(long)]
    url: Option<String>,
    /// Show what would change, and change nothing.
    #[arg(long, conflicts_with = "undo")]
    dry_run: bool,
    /// Put the file back as it was.
    #[arg(long)]
    undo: bool,
}

/// Whose configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Scope {
    /// The user's.
    User,
    /// That of the working directory.
    Project,
}

/// Connects.
pub(super) fn run(args: &ConnectArgs, data_dir: Option<&Path>) -> Result<(), Problem> {
    let entry = Entry::of(args, data_dir)?;
    let Some(path) = args.client.file(args.scope)? else {
        return say(args.client.example(&entry).trim_end());
    };
    let kept = Kept::read(&path)?;
    if args.undo {
        let was = kept.before(args.client)?;
        say(&file::difference(&path, kept.text(), was.as_deref().unwrap_or_default()))?;
        return kept.restore(was);
    }
    let after = args.client.put(kept.text(), &entry).map_err(|why| unfit(&path, &why, args.client, &entry))?;
    if after == kept.text() {
        say(&format!("`{}` is as it is to be", path.display()))?;
    } else {
        say(&file::difference(&path, kept.text(), &after))?;
    }
    if args.dry_run {
        return Ok(());
    }
    kept.write(&after)?;
    say(&verify::handshake(&entry))
}

fn unfit(path: &Path, why: &str, client: Client, entry: &Entry) -> Problem {
    Problem::configuration(format!("`{}` cannot be changed", path.display()))
        .because(why.to_owned())
        .next(format!("put this into it by hand:\n{}", client.example(entry).trim_end()))
}
