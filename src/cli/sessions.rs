//! `callboard sessions`: the working context of each agent.

use clap::Args;
use serde_json::Value;

use super::args::agent_id;
use super::client::HubClient;
use super::output::cell::{ago, at, plain, text};
use super::output::table::Column;
use super::output::{OutputArgs, show_list};
use super::problem::Problem;
use crate::clock::Clock;
use crate::domain::ids::AgentId;

/// List the sessions
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  callboard sessions
  callboard sessions --agent fullstack-1 -o json")]
pub(super) struct SessionsArgs {
    /// Only those of this agent
    #[arg(long, value_name = "ID", value_parser = agent_id)]
    agent: Option<AgentId>,
    #[command(flatten)]
    output: OutputArgs,
}

/// Lists sessions.
pub(super) async fn run(args: &SessionsArgs, hub: &HubClient) -> Result<(), Problem> {
    let query: Vec<_> = args.agent.iter().map(|agent| ("agent", agent.to_string())).collect();
    let sessions = hub.list(&["api", "v1", "sessions"], &query, usize::MAX).await?;
    let now = Clock::system().now();
    let columns = [
        Column::new("SESSION", |session| either(session, "sessionId", "session_id")),
        Column::new("AGENT", |session| either(session, "agentId", "agent_id")),
        Column::new("IS", |session| text(session, "lifecycle")),
        Column::new("OPENED", move |session| older(session, "openedAt", "opened_at", now)),
        Column::wide("TAKEN UP", move |session| older(session, "takenUpAt", "taken_up_at", now)),
    ];
    show_list(&sessions, &columns, args.output, "No sessions. An agent opens one when it registers.")
}

/// A field by either spelling: what is about sessions is written in snake case.
fn either(session: &Value, camel: &str, snake: &str) -> String {
    at(session, camel).map_or_else(|| text(session, snake), plain)
}

fn older(session: &Value, camel: &str, snake: &str, now: crate::domain::time::Timestamp) -> String {
    ago(session, if at(session, camel).is_some() { camel } else { snake }, now)
}
