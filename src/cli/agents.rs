//! `callboard agents`: who is registered, and what they do.

use clap::Args;
use serde_json::Value;

use super::client::HubClient;
use super::output::cell::{ago, text};
use super::output::table::Column;
use super::output::{OutputArgs, nothing, show_list};
use super::problem::Problem;
use crate::clock::Clock;

/// List the registered agents
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  callboard agents
  callboard agents --availability waiting -o wide
  callboard agents --role test-engineer -o json

An agent that calls the hub and is in no wait is `working`, also between two tasks: HOLDS says what it has in hand.")]
pub(super) struct AgentsArgs {
    /// Only those of this role
    #[arg(long)]
    role: Option<String>,
    /// Only those that can do this
    #[arg(long)]
    capability: Option<String>,
    /// Only those that are: waiting, working, offline, evicted
    #[arg(long, value_parser = ["waiting", "working", "offline", "evicted"])]
    availability: Option<String>,
    #[command(flatten)]
    output: OutputArgs,
}

/// Lists agents.
pub(super) async fn run(args: &AgentsArgs, hub: &HubClient) -> Result<(), Problem> {
    let mut query = Vec::new();
    query.extend(args.role.clone().map(|role| ("role", role)));
    query.extend(args.availability.clone().map(|availability| ("availability", availability)));
    let chosen = !query.is_empty() || args.capability.is_some();
    let mut agents = hub.list(&["api", "v1", "agents"], &query, usize::MAX).await?;
    if let Some(capability) = &args.capability {
        let can =
            |agent: &Value| agent.get("capabilities")?.as_array()?.iter().any(|one| one == capability).then_some(());
        agents.retain(|agent| can(agent).is_some());
    }
    let now = Clock::system().now();
    let columns = [
        Column::new("AGENT", |agent| text(agent, "agentId")),
        Column::new("ROLE", |agent| text(agent, "role")),
        Column::new("IS", |agent| text(agent, "availability")),
        Column::new("HOLDS", |agent| text(agent, "currentTasks")),
        Column::new("QUEUED", |agent| text(agent, "queued")),
        Column::new("SEEN", move |agent| ago(agent, "lastSeen", now)),
        Column::wide("NOTE", |agent| text(agent, "note")),
        Column::wide("NAME", |agent| text(agent, "displayName")),
        Column::wide("WAITS", move |agent| ago(agent, "waitingSince", now)),
        Column::wide("CAN", |agent| text(agent, "capabilities")),
        Column::wide("SESSION", |agent| text(agent, "sessionId")),
    ];
    let empty = "No agents. One appears when it registers: callboard connect CLIENT --agent ID --role ROLE";
    show_list(&agents, &columns, args.output, nothing(chosen, empty))
}
