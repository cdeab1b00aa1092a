//! `callboard tracker …`: whether the tracker takes what agents say.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::doctor;
use super::place::CONFIG;
use super::problem::Problem;

/// Look whether the tracker of work items is tied in
#[derive(Debug, Args)]
#[command(
    arg_required_else_help = true,
    disable_help_subcommand = true,
    after_help = "Example:
  callboard tracker check"
)]
pub(super) struct TrackerArgs {
    #[command(subcommand)]
    verb: TrackerVerb,
}

#[derive(Debug, Subcommand)]
enum TrackerVerb {
    Check(CheckArgs),
}

/// Look at its settings and its token, and whether the token reads each repository
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  CALLBOARD_TRACKER_TOKEN_FILE=~/tracker.token callboard tracker check
  callboard tracker check --json

It only reads. Ends with 0 when nothing is wrong, 2 when a setting is, 3 when the tracker refuses the token, 5 when it \
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
pub(super) async fn run(args: &TrackerArgs) -> Result<(), Problem> {
    let TrackerVerb::Check(check) = &args.verb;
    doctor::tracker_check(check.config.as_deref(), check.json).await
}
