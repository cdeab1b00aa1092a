//! `callboard workflow cancel`: ends a run.

use crate::cli::prelude::*;

/// End a run; what its steps did stays as it is
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  callboard workflow cancel RUN")]
pub(in crate::cli) struct CancelArgs {
    /// The run's id, or at least four characters of it behind `w_`
    run: String,
    #[command(flatten)]
    output: OutputArgs,
}

pub(super) async fn run(args: &CancelArgs, hub: &HubClient) -> Result<(), Problem> {
    let id = to_change(hub, NamedKind::Workflow, &args.run).await?;
    let after = hub.post(&["api", "v1", "workflows", &id, "cancel"], &json!({})).await?;
    args.output.show(&after, || {
        let (id, name, why) = (text(&after, "workflowId"), text(&after, "name"), text(&after, "statusMessage"));
        format!("Run {id} of workflow {name} is over: {why}.")
    })
}
