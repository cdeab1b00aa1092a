//! `callboard workflow cancel`: ends a run.

use clap::Args;
use serde_json::json;

use crate::cli::client::HubClient;
use crate::cli::output::cell::text;
use crate::cli::output::{OutputArgs, say, say_json};
use crate::cli::problem::Problem;

/// End a run; what its steps did stays as it is
#[derive(Debug, Args)]
#[command(after_help = "Example:
  callboard workflow cancel RUN")]
pub(super) struct CancelArgs {
    /// The run's id
    run: String,
    #[command(flatten)]
    output: OutputArgs,
}

/// Ends it.
pub(super) async fn run(args: &CancelArgs, hub: &HubClient) -> Result<(), Problem> {
    let after = hub.post(&["api", "v1", "workflows", &args.run, "cancel"], &json!({})).await?;
    if args.output.is_json() {
        return say_json(&after);
    }
    say(&format!(
        "Run {} of workflow {} is over: {}.",
        text(&after, "workflowId"),
        text(&after, "name"),
        text(&after, "statusMessage")
    ))
}
