//! `callboard task reassign`: gives a task to somebody else.

use clap::Args;
use serde_json::json;

use super::order::order;
use crate::cli::client::HubClient;
use crate::cli::output::OutputArgs;
use crate::cli::problem::Problem;
use crate::cli::values::task_id;

/// Give a task to somebody else
#[derive(Debug, Args)]
#[command(after_help = "Example:
  callboard task reassign TASK role:test-engineer")]
pub(super) struct ReassignArgs {
    /// The task's id
    #[arg(value_parser = task_id)]
    task: String,
    /// An agent, @NAME, role:ROLE, or any
    target: String,
    #[command(flatten)]
    output: OutputArgs,
}

/// Gives it to somebody else.
pub(super) async fn run(args: &ReassignArgs, hub: &HubClient) -> Result<(), Problem> {
    let body = json!({ "targetAgentId": args.target });
    order(hub, &args.task, "reassign", &body, args.output, "is for somebody else now").await
}
