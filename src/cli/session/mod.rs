//! `callboard session …`: the working context of each agent, and what its program prints.

mod follow;

use super::prelude::*;
use super::pulls::pull_requests;
use super::values::agent_id;
use crate::cli::columns::SESSIONS;

#[derive(Debug, Subcommand)]
pub(super) enum SessionVerb {
    List(ListArgs),
    Show(ShowArgs),
    Follow(follow::FollowArgs),
}

/// List the sessions
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  callboard session list
  callboard session list --agent fullstack-1 -o json")]
pub(super) struct ListArgs {
    /// Only those of this agent
    #[arg(long, value_name = "ID", value_parser = agent_id)]
    agent: Option<AgentId>,
    #[command(flatten)]
    page: PageArgs,
}

/// Show a session: its status, its question, its pull requests
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  callboard session show SESSION
  callboard session show SESSION -o json")]
pub(super) struct ShowArgs {
    /// The session's id, as `callboard session list` shows it, or how it begins
    session: String,
    #[command(flatten)]
    output: OutputArgs,
}

pub(super) async fn run(verb: &SessionVerb, hub: &HubClient) -> Result<(), Problem> {
    match verb {
        SessionVerb::List(args) => list(args, hub).await,
        SessionVerb::Show(args) => {
            let id = to_look(hub, NamedKind::Session, &args.session).await?;
            let session = hub.get(&["api", "v1", "sessions", &id], &[]).await?;
            args.output.show(&session, || describe(&session, Clock::system().now()))
        }
        SessionVerb::Follow(args) => follow::run(args, hub).await,
    }
}

async fn list(args: &ListArgs, hub: &HubClient) -> Result<(), Problem> {
    let query: Vec<_> = args.agent.iter().map(|agent| ("agent", agent.to_string())).collect();
    let sessions = hub.list(&["api", "v1", "sessions"], &query, args.page.limit).await?;
    let empty = "No sessions. An agent opens one when it registers.";
    args.page.output.table(&sessions, (SESSIONS, Clock::system().now()), nothing(args.agent.is_some(), empty))
}

/// The session in words. What its agent wrote is indented, so that none of it passes for the hub's own.
fn describe(session: &Value, now: Timestamp) -> String {
    let mut words = format!("session   {}  {}\n", text(session, "sessionId"), text(session, "lifecycle"));
    let mut row = |name: &str, value: Option<String>| {
        if let Some(value) = value {
            words.push_str(&format!("{name:<9} {value}\n"));
        }
    };
    let given = |path: &str| at(session, path).map(plain);
    row("agent", given("agentId"));
    row("says", Some(format!("{}, for {}", text(session, "workflowStatus"), ago(session, "statusSince", now))));
    row("task", given("taskId"));
    row("for", given("workItem"));
    row("blocked", given("blockers"));
    row("opened", Some(format!("{} ago", ago(session, "openedAt", now))));
    if let Some(message) = str_at(session, "message") {
        words.push_str(&format!("\n{}\n", indented(message)));
    }
    if let Some(question) = str_at(session, "openQuestion.question") {
        words.push_str(&format!("\nasks ({})\n{}\n", text(session, "openQuestion.id"), indented(question)));
    }
    words.push_str(&pull_requests(session));
    words
}

fn indented(text: &str) -> String {
    for_terminal(text).lines().map(|line| format!("    {line}")).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests;
