//! `callboard task requeue`: gives a dead letter all its attempts again.

use clap::Args;
use serde_json::json;

use super::order::order;
use crate::cli::client::HubClient;
use crate::cli::output::OutputArgs;
use crate::cli::problem::Problem;
use crate::cli::values::task_id;

/// Put a dead letter back in the queue, its attempts counted anew
#[derive(Debug, Args)]
#[command(after_help = "Example:
  callboard task requeue TASK")]
pub(super) struct RequeueArgs {
    /// The task's id
    #[arg(value_parser = task_id)]
    task: String,
    #[command(flatten)]
    output: OutputArgs,
}

/// Puts it back.
pub(super) async fn run(args: &RequeueArgs, hub: &HubClient) -> Result<(), Problem> {
    let body = json!({});
    order(hub, &args.task, "requeue", &body, args.output, "is in the queue again, its attempts counted anew").await
}
