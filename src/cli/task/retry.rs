//! `callboard task retry`: lets a task that ended badly begin again.

use clap::Args;
use serde_json::json;

use super::order::order;
use crate::cli::client::HubClient;
use crate::cli::output::OutputArgs;
use crate::cli::problem::Problem;
use crate::cli::values::task_id;

/// Put a task that failed or timed out back in the queue
#[derive(Debug, Args)]
#[command(after_help = "Example:
  callboard task retry TASK")]
pub(super) struct RetryArgs {
    /// The task's id
    #[arg(value_parser = task_id)]
    task: String,
    #[command(flatten)]
    output: OutputArgs,
}

/// Puts it back.
pub(super) async fn run(args: &RetryArgs, hub: &HubClient) -> Result<(), Problem> {
    let body = json!({});
    order(hub, &args.task, "retry", &body, args.output, "is in the queue again").await
}
