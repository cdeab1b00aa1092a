//! `callboard workflow check`: every fault of every definition, and what a hub's tools would not take.

use std::path::PathBuf;

use clap::Args;

use super::hints::hints;
use crate::cli::output::say;
use crate::cli::place::{CONFIG, config_dir};
use crate::cli::problem::Problem;
use crate::settings::{ConfigFault, ConfigFaults, Workflows};

/// Check every definition, also against the hub's tools
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  callboard workflow check --config ./config
  callboard workflow check --config ./config --strict   in a pipeline")]
pub(super) struct CheckArgs {
    /// The folder that holds hub.yaml, workflows and the like.
    #[arg(long, value_name = "DIR", help = CONFIG)]
    config: Option<PathBuf>,
    /// End with 2 where there is a warning, too
    #[arg(long)]
    strict: bool,
}

/// Checks them.
pub(super) fn run(args: &CheckArgs) -> Result<(), Problem> {
    let (workflows, faults) = Workflows::right(config_dir(args.config.as_deref()).as_deref());
    let warnings: Vec<ConfigFault> = workflows.iter().flat_map(hints).collect();
    for warning in &warnings {
        say(&format!("warning: {warning}"))?;
    }
    ConfigFaults::unless_empty(faults)?;
    let steps: usize = workflows.iter().map(|workflow| workflow.plan.steps.len()).sum();
    let count = workflows.iter().count();
    match warnings.len() {
        0 => say(&format!("The workflows are right: {count} of them, with {steps} steps.")),
        more if args.strict => Err(Problem::configuration(format!("what the workflows call has {more} warnings"))
            .because("the hub would hand such a step over to the client, or its tool would refuse it")
            .next("mend them, or check without `--strict`")),
        more => say(&format!("{count} workflows with {steps} steps can be read; their calls have {more} warnings.")),
    }
}
