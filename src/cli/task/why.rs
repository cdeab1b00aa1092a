//! `callboard task why`: why nobody has it, or why somebody does.

use clap::Args;
use serde_json::Value;

use crate::cli::client::HubClient;
use crate::cli::id::to_look;
use crate::cli::output::OutputArgs;
use crate::cli::output::cell::{at, text};
use crate::cli::output::table::{Column, screen, table};
use crate::cli::problem::Problem;
use crate::cli::typed::as_typed;
use crate::cli::values::task_id;
use crate::domain::task::TaskStateName;
use crate::tools::people::NamedKind;

/// Explain what a task waits for, and who could take it
#[derive(Debug, Args)]
#[command(after_help = "Example:
  callboard task why TASK")]
pub(in crate::cli) struct WhyArgs {
    /// The task's id, or how it begins
    #[arg(value_parser = task_id)]
    task: String,
    #[command(flatten)]
    output: OutputArgs,
}

pub(super) async fn run(args: &WhyArgs, hub: &HubClient) -> Result<(), Problem> {
    let id = to_look(hub, NamedKind::Task, &args.task).await?;
    let why = hub.get(&["api", "v1", "tasks", &id, "why"], &[]).await?;
    args.output.show(&why, || words(&why))
}

pub(in crate::cli) fn words(why: &Value) -> String {
    let mut words = format!("{}: {}\n", text(why, "state"), as_typed(&text(why, "summary")));
    if at(why, "position").is_some() {
        words.push_str(&format!("place {} in its queue\n", text(why, "position")));
    }
    let agents = why.get("agents").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let state = why.get("state").cloned().and_then(|state| serde_json::from_value::<TaskStateName>(state).ok());
    if agents.is_empty() && state.is_some_and(TaskStateName::is_closed) {
        return words;
    }
    if agents.is_empty() {
        words.push_str("no agent is registered\n");
        return words;
    }
    let columns = [
        Column::new("AGENT", |agent: &Value| text(agent, "agentId")),
        Column::new("COULD TAKE IT", |agent: &Value| text(agent, "eligible")),
        Column::new("BECAUSE", |agent: &Value| as_typed(&text(agent, "reasons"))),
    ];
    words.push('\n');
    words.push_str(&table(&columns, agents, false, screen()));
    words
}

#[cfg(test)]
mod tests;
