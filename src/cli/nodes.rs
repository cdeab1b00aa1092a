//! `callboard nodes`: the hubs on one database, as the one that has the journal sees them.

use clap::Args;

use super::client::HubClient;
use super::columns::NODES;
use super::output::OutputArgs;
use super::problem::Problem;
use crate::clock::Clock;

/// See the hubs on one database, and which of them has the journal
#[derive(Debug, Args)]
#[command(after_help = "Example:
  callboard nodes")]
pub(super) struct NodesArgs {
    #[command(flatten)]
    output: OutputArgs,
}

pub(super) async fn run(args: &NodesArgs, hub: &HubClient) -> Result<(), Problem> {
    let nodes = hub.get(&["admin", "nodes"], &[]).await?;
    let items = nodes["items"].as_array().cloned().unwrap_or_default();
    args.output.table(&items.into(), (NODES, Clock::system().now()), "This hub is alone: `node.name` is not set.")
}
