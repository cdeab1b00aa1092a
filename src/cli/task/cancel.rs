//! `callboard task cancel`: calls a task off.

use clap::Args;
use serde_json::json;

use super::order::order;
use crate::cli::client::HubClient;
use crate::cli::output::OutputArgs;
use crate::cli::problem::Problem;
use crate::cli::values::task_id;

/// Call a task off; who works on it is told to stop
#[derive(Debug, Args)]
#[command(after_help = "Example:
  callboard task cancel TASK --reason \"not needed any more\"")]
pub(super) struct CancelArgs {
    /// The task's id
    #[arg(value_parser = task_id)]
    task: String,
    /// Why; the worker and the asker read it
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
    #[command(flatten)]
    output: OutputArgs,
}

/// Calls it off.
pub(super) async fn run(args: &CancelArgs, hub: &HubClient) -> Result<(), Problem> {
    let body = args.reason.as_ref().map_or_else(|| json!({}), |reason| json!({ "reason": reason }));
    order(hub, &args.task, "cancel", &body, args.output, "is called off").await
}
