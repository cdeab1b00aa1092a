//! `callboard sessions`: the working context of each agent.

use clap::Args;

use super::client::HubClient;
use super::output::cell::{ago, line, str_at, text};
use super::output::table::Column;
use super::output::{OutputArgs, show_list};
use super::problem::Problem;
use super::values::agent_id;
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
        Column::new("SESSION", |session| text(session, "sessionId")),
        Column::new("AGENT", |session| text(session, "agentId")),
        Column::new("IS", |session| text(session, "lifecycle")),
        Column::new("SAYS", |session| text(session, "workflowStatus")),
        Column::new("TASK", |session| text(session, "taskId")),
        Column::new("OPENED", move |session| ago(session, "openedAt", now)),
        Column::wide("TAKEN UP", move |session| ago(session, "takenUpAt", now)),
        Column::wide("WITH", |session| line(str_at(session, "message").unwrap_or_default(), 60)),
    ];
    show_list(&sessions, &columns, args.output, "No sessions. An agent opens one when it registers.")
}
