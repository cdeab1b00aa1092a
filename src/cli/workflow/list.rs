//! `callboard workflow list`: what is defined, and where.

use clap::Args;
use serde_json::{Value, json};

use crate::cli::output::OutputArgs;
use crate::cli::output::cell::text;
use crate::cli::output::table::Column;
use crate::cli::place::GlobalArgs;
use crate::cli::problem::Problem;
use crate::settings::{Workflow, Workflows};

/// List the workflows
#[derive(Debug, Args)]
#[command(after_help = "Example:
  callboard workflow list -o json")]
pub(in crate::cli) struct ListArgs {
    #[command(flatten)]
    output: OutputArgs,
}

pub(super) fn run(args: &ListArgs, globals: &GlobalArgs) -> Result<(), Problem> {
    let workflows = Workflows::load(globals.config_dir().as_deref())?;
    let items: Vec<Value> = workflows.iter().map(shown).collect();
    let columns = [
        Column::new("NAME", |item: &Value| text(item, "name")),
        Column::new("STEPS", |item: &Value| text(item, "steps")),
        Column::new("ARGUMENTS", |item: &Value| text(item, "usage")),
        Column::new("DESCRIPTION", |item: &Value| text(item, "description")),
        Column::wide("FROM", |item: &Value| text(item, "from")),
    ];
    args.output.list(&items.into(), &columns, "No workflow is defined.")
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
