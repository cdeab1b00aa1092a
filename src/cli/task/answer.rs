//! `callboard task answer`: answers what a BLOCKED task waits for.

use clap::Args;
use serde_json::json;

use super::order::order;
use crate::cli::client::HubClient;
use crate::cli::output::OutputArgs;
use crate::cli::problem::Problem;
use crate::cli::values::task_id;

/// Answer a BLOCKED task; it goes back to its last holder first
#[derive(Debug, Args)]
#[command(after_help = "Example:
  callboard task answer TASK \"use the staging database\"")]
pub(super) struct AnswerArgs {
    /// The task's id
    #[arg(value_parser = task_id)]
    task: String,
    /// What the worker reads
    answer: String,
    #[command(flatten)]
    output: OutputArgs,
}

/// Answers it.
pub(super) async fn run(args: &AnswerArgs, hub: &HubClient) -> Result<(), Problem> {
    let body = json!({ "answer": args.answer });
    order(hub, &args.task, "answer", &body, args.output, "is answered").await
}
