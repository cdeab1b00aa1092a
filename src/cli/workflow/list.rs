//! `callboard workflow list`: what is defined, and where.

use crate::cli::columns::WORKFLOWS;
use crate::cli::prelude::*;
use crate::settings::{Workflow, Workflows};

/// List the workflows
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  callboard workflow list -o json")]
pub(in crate::cli) struct ListArgs {
    #[command(flatten)]
    output: OutputArgs,
}

pub(super) fn run(args: &ListArgs, globals: &GlobalArgs) -> Result<(), Problem> {
    let workflows = Workflows::load(globals.config_dir().as_deref())?;
    let items: Vec<Value> = workflows.iter().map(shown).collect();
    args.output.table(&items.into(), (WORKFLOWS, Clock::system().now()), "No workflow is defined.")
}

fn shown(workflow: &Workflow) -> Value {
    let plan = &workflow.plan;
    let usage = plan.parameters.iter().map(|parameter| match parameter.required {
        true => parameter.name.clone(),
        false => format!("[{}]", parameter.name),
    });
    json!({
        "name": plan.name,
        "description": plan.description,
        "steps": plan.steps.len(),
        "usage": usage.collect::<Vec<_>>().join(" "),
        "from": workflow.place.to_string(),
    })
}
