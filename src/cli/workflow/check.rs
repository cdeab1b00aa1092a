//! `callboard workflow check`: every fault of every definition, and what a hub's tools would not take.

use super::hints::hints;
use crate::cli::prelude::*;
use crate::settings::{ConfigFault, ConfigFaults, Workflows};

/// Check every definition, also against the hub's tools
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  callboard workflow check --config ./config
  callboard workflow check --config ./config --strict   in a pipeline")]
pub(in crate::cli) struct CheckArgs {
    /// End with 2 where there is a warning, too
    #[arg(long)]
    strict: bool,
    #[command(flatten)]
    output: OutputArgs,
}

pub(super) fn run(args: &CheckArgs, globals: &GlobalArgs) -> Result<(), Problem> {
    let (workflows, faults) = Workflows::right(globals.config_dir().as_deref());
    let warnings: Vec<ConfigFault> = workflows.iter().flat_map(hints).collect();
    let json = args.output.is_json();
    if !json {
        warnings.iter().try_for_each(|warning| say(&format!("warning: {warning}")))?;
    }
    ConfigFaults::unless_empty(faults)?;
    let steps: usize = workflows.iter().map(|workflow| workflow.plan.steps.len()).sum();
    let count = workflows.iter().count();
    if json {
        let warnings: Vec<String> = warnings.iter().map(ToString::to_string).collect();
        say_json(&json!({ "workflows": count, "steps": steps, "warnings": warnings }))?;
    }
    match warnings.len() {
        0 if json => Ok(()),
        0 => say(&format!("The workflows are right: {count} of them, with {steps} steps.")),
        more if args.strict => Err(Problem::configuration(format!("what the workflows call has {more} warnings"))
            .because("the hub would hand such a step over to the client, or its tool would refuse it")
            .next("mend them, or check without `--strict`")),
        _ if json => Ok(()),
        more => say(&format!("{count} workflows with {steps} steps can be read; their calls have {more} warnings.")),
    }
}
