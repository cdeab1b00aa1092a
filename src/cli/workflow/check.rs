//! `callboard workflow check`: every fault of every definition, and what a hub's tools would not take.

use std::path::PathBuf;

use clap::Args;

use super::hints::hints;
use crate::cli::output::say;
use crate::cli::place::{CONFIG, config_dir};
use crate::cli::problem::Problem;
use crate::settings::Workflows;

/// Check every definition, also against the hub's tools
#[derive(Debug, Args)]
#[command(after_help = "Example:
  callboard workflow check --config ./config")]
pub(super) struct CheckArgs {
    /// The folder that holds hub.yaml, workflows and the like.
    #[arg(long, value_name = "DIR", help = CONFIG)]
    config: Option<PathBuf>,
}

/// Checks them.
pub(super) fn run(args: &CheckArgs) -> Result<(), Problem> {
    let workflows = Workflows::load(config_dir(args.config.as_deref()).as_deref())?;
    for warning in workflows.iter().flat_map(hints) {
        say(&format!("warning: {warning}"))?;
    }
    let steps: usize = workflows.iter().map(|workflow| workflow.plan.steps.len()).sum();
    say(&format!("The workflows are right: {} of them, with {steps} steps.", workflows.iter().count()))
}
