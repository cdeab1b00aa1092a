//! `callboard workflow runs`: runs of workflows, how far each came, and why it stands still.

use crate::cli::columns::RUNS;
use crate::cli::prelude::*;
use crate::domain::workflow::run::RunStatus;

/// List the runs of workflows, the one that began last first
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  callboard workflow runs
  callboard workflow runs --state working --owner agent:fullstack-1
  callboard workflow runs --name release -o wide")]
pub(in crate::cli) struct RunsArgs {
    /// Only those in this state: working, completed, cancelled, expired
    #[arg(long, value_name = "STATE", value_parser = state)]
    state: Vec<RunStatus>,
    /// Only those of this agent or person, as agent:fullstack-1
    #[arg(long, value_name = "PRINCIPAL")]
    owner: Option<String>,
    /// Only those of this workflow
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    #[command(flatten)]
    page: PageArgs,
}

pub(super) async fn run(args: &RunsArgs, hub: &HubClient) -> Result<(), Problem> {
    let mut query = Vec::new();
    if !args.state.is_empty() {
        query.push(("state", args.state.iter().map(|state| state.as_str()).collect::<Vec<_>>().join(",")));
    }
    query.extend(args.owner.clone().map(|owner| ("owner", owner)));
    query.extend(args.name.clone().map(|name| ("name", name)));
    let runs = hub.list(&["api", "v1", "workflows"], &query, args.page.limit).await?;
    let empty = nothing(!query.is_empty(), "No workflow has run.");
    args.page.output.table(&runs, (RUNS, Clock::system().now()), empty)
}

fn state(text: &str) -> Result<RunStatus, String> {
    RunStatus::parse(&text.to_lowercase()).ok_or_else(|| {
        let known: Vec<_> = RunStatus::ALL.iter().map(|state| state.as_str()).collect();
        format!("`{text}` is no state of a run: {}", known.join(", "))
    })
}
