//! `callboard workflow cancel`: ends a run.

use clap::Args;
use serde_json::json;

use crate::cli::client::HubClient;
use crate::cli::output::OutputArgs;
use crate::cli::output::cell::text;
use crate::cli::problem::Problem;

/// End a run; what its steps did stays as it is
#[derive(Debug, Args)]
#[command(after_help = "Example:
  callboard workflow cancel RUN")]
pub(in crate::cli) struct CancelArgs {
    /// The run's id
    run: String,
    #[command(flatten)]
    output: OutputArgs,
}

pub(super) async fn run(args: &CancelArgs, hub: &HubClient) -> Result<(), Problem> {
    let after = hub.post(&["api", "v1", "workflows", &args.run, "cancel"], &json!({})).await?;
    args.output.show(&after, || {
        let (id, name, why) = (text(&after, "workflowId"), text(&after, "name"), text(&after, "statusMessage"));
        format!("Run {id} of workflow {name} is over: {why}.")
    })
}
