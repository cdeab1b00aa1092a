//! `callboard task approve`: a reviewer agrees with the work.

use clap::Args;
use serde_json::{Map, json};

use super::order::order;
use crate::cli::client::HubClient;
use crate::cli::output::OutputArgs;
use crate::cli::problem::Problem;
use crate::cli::values::task_id;

/// Approve work that waits for review; its holder merges and completes it
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  callboard task approve TASK
  callboard task approve TASK \"well done\"")]
pub(super) struct ApproveArgs {
    /// The task's id
    #[arg(value_parser = task_id)]
    task: String,
    /// What you say with it
    message: Option<String>,
    #[command(flatten)]
    output: OutputArgs,
}

/// Approves it.
pub(super) async fn run(args: &ApproveArgs, hub: &HubClient) -> Result<(), Problem> {
    let body = Map::from_iter(args.message.as_ref().map(|message| ("message".to_owned(), json!(message))));
    order(hub, &args.task, "approve", &body.into(), args.output, "is approved").await
}
