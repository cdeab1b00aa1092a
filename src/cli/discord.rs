//! `callboard discord …`: whether Discord is set up.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::doctor;
use super::place::CONFIG;
use super::problem::Problem;

/// Look whether Discord is set up
#[derive(Debug, Args)]
#[command(
    arg_required_else_help = true,
    disable_help_subcommand = true,
    after_help = "Example:
  callboard discord check"
)]
pub(super) struct DiscordArgs {
    #[command(subcommand)]
    verb: DiscordVerb,
}

#[derive(Debug, Subcommand)]
enum DiscordVerb {
    Check(CheckArgs),
}

/// Look at the token, the intents, the guilds, their roles, and what the bot may in each channel
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  DISCORD_TOKEN_FILE=~/discord.token callboard discord check
  callboard discord check --json

It only reads. Ends with 0 when nothing is wrong, 2 when a setting is, 3 when Discord refuses the token, 5 when it \
does not answer.")]
pub(super) struct CheckArgs {
    /// Print the findings as JSON
    #[arg(long)]
    json: bool,
    /// The folder that holds hub.yaml, agents.yaml and the like.
    #[arg(long, value_name = "DIR", help = CONFIG)]
    config: Option<PathBuf>,
}

/// Looks.
pub(super) async fn run(args: &DiscordArgs) -> Result<(), Problem> {
    let DiscordVerb::Check(check) = &args.verb;
    doctor::discord_check(check.config.as_deref(), check.json).await
}
