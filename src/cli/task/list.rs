//! `callboard task list`: what was asked for, and how it stands.

use crate::cli::columns::TASKS;
use crate::cli::id::note_unknown;
use crate::cli::prelude::*;
use crate::cli::values::agent_id;
use crate::domain::task::TaskStateName;

/// List tasks, the newest first
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  callboard task list
  callboard task list --state blocked,dead_letter
  callboard task list --agent fullstack-1 --search login -o json")]
pub(in crate::cli) struct ListArgs {
    /// Only those in these states; may be given more than once
    #[arg(long, value_name = "STATE", value_parser = state, value_delimiter = ',')]
    state: Vec<TaskStateName>,
    /// Only those that this agent holds
    #[arg(long, value_name = "ID", value_parser = agent_id)]
    agent: Option<AgentId>,
    /// Only those for this target: an agent, role:ROLE, any
    #[arg(long)]
    target: Option<String>,
    /// Only those of this priority
    #[arg(long, value_parser = ["normal", "high", "critical"])]
    priority: Option<String>,
    /// Only those whose text has these words
    #[arg(long, value_name = "WORDS")]
    search: Option<String>,
    #[command(flatten)]
    page: PageArgs,
}

pub(super) async fn run(args: &ListArgs, hub: &HubClient) -> Result<(), Problem> {
    let query = query(args);
    let tasks = hub.list(&["api", "v1", "tasks"], &query, args.page.limit).await?;
    let now = Clock::system().now();
    let empty = nothing(!query.is_empty(), "No tasks. Give an agent one: callboard task add TARGET TEXT");
    args.page.output.table(&tasks, (TASKS, now), empty)?;
    note_unknown(hub, args.agent.as_ref().map(AgentId::as_str), tasks.items.is_empty()).await;
    Ok(())
}

fn query(args: &ListArgs) -> Vec<(&'static str, String)> {
    let mut query = Vec::new();
    if !args.state.is_empty() {
        let states: Vec<_> = args.state.iter().map(|state| state.as_str()).collect();
        query.push(("state", states.join(",")));
    }
    query.extend(args.agent.as_ref().map(|agent| ("agent", agent.to_string())));
    query.extend(args.target.clone().map(|target| ("target", target)));
    query.extend(args.priority.clone().map(|priority| ("priority", priority)));
    query.extend(args.search.clone().map(|words| ("q", words)));
    query
}

/// Reads a state in any case, with `-` for `_`.
fn state(text: &str) -> Result<TaskStateName, String> {
    let name = text.to_uppercase().replace('-', "_");
    TaskStateName::parse(&name).ok_or_else(|| {
        let known: Vec<_> = TaskStateName::ALL.iter().map(|state| state.as_str().to_lowercase()).collect();
        format!("`{text}` is not a state: {}", known.join(", "))
    })
}

#[cfg(test)]
mod tests;
