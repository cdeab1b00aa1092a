//! `callboard agent …`: who is registered, what they do, and sending one away.

use super::cells::client_of;
use super::columns::AGENTS;
use super::output::Listed;
use super::prelude::*;
use super::values::agent_id;

#[derive(Debug, Subcommand)]
pub(super) enum AgentVerb {
    List(ListArgs),
    Show(ShowArgs),
    Evict(EvictArgs),
}

/// List the registered agents
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  callboard agent list
  callboard agent list --availability waiting -o wide
  callboard agent list --role test-engineer -o json

An agent that calls the hub and is in no wait is `working`, also between two tasks: HOLDS says what it has in hand.")]
pub(super) struct ListArgs {
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
    page: PageArgs,
}

/// Show an agent: what it does, holds and can do
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  callboard agent show fullstack-1")]
pub(super) struct ShowArgs {
    /// The agent's id, or how it begins
    #[arg(value_parser = agent_id)]
    agent: AgentId,
    #[command(flatten)]
    output: OutputArgs,
}

/// Send an agent away; what it holds goes back to the queue at once
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  callboard agent evict fullstack-1 --reason \"it runs in circles\"
  callboard agent evict fullstack-1 --reason \"a new version is there\" --restart")]
pub(super) struct EvictArgs {
    /// The agent's id, or at least four characters of its beginning
    #[arg(value_parser = agent_id)]
    agent: AgentId,
    /// Why; the agent reads it
    #[arg(long, value_name = "TEXT")]
    reason: String,
    /// Tell it to start anew and to register again, in place of ending
    #[arg(long)]
    restart: bool,
    #[command(flatten)]
    output: OutputArgs,
}

pub(super) async fn run(verb: &AgentVerb, hub: &HubClient) -> Result<(), Problem> {
    match verb {
        AgentVerb::List(args) => list(args, hub).await,
        AgentVerb::Show(args) => {
            let id = to_look(hub, NamedKind::Agent, args.agent.as_str()).await?;
            let agent = hub.get(&["api", "v1", "agents", &id], &[]).await?;
            args.output.show(&agent, || describe(&agent, Clock::system().now()))
        }
        AgentVerb::Evict(args) => {
            let action = if args.restart { "RESTART" } else { "SHUTDOWN" };
            let body = json!({ "action": action, "reason": args.reason });
            let id = to_change(hub, NamedKind::Agent, args.agent.as_str()).await?;
            let gone = hub.post(&["api", "v1", "agents", &id, "evict"], &body).await?;
            args.output.show(&gone, || {
                let told = if args.restart { "start anew" } else { "end" };
                format!("Agent `{id}` is told to {told}; it is out of service now.")
            })
        }
    }
}

async fn list(args: &ListArgs, hub: &HubClient) -> Result<(), Problem> {
    let mut query = Vec::new();
    query.extend(args.role.clone().map(|role| ("role", role)));
    query.extend(args.availability.clone().map(|availability| ("availability", availability)));
    let chosen = !query.is_empty() || args.capability.is_some();
    // The hub does not filter by what an agent can do: then the part is taken here.
    let limit = if args.capability.is_some() { 0 } else { args.page.limit };
    let mut agents = hub.list(&["api", "v1", "agents"], &query, limit).await?;
    if let Some(capability) = &args.capability {
        let can =
            |agent: &Value| agent.get("capabilities")?.as_array()?.iter().any(|one| one == capability).then_some(());
        agents.items.retain(|agent| can(agent).is_some());
        agents = Listed::first(agents.items, args.page.limit, "agentId");
    }
    let empty = "No agents. One appears when it registers: callboard connect CLIENT --agent ID --role ROLE";
    args.page.output.table(&agents, (AGENTS, Clock::system().now()), nothing(chosen, empty))
}

fn describe(agent: &Value, now: Timestamp) -> String {
    let given = |path: &str| at(agent, path).map(plain);
    let since = |path: &str| at(agent, path).map(|_| format!("{} ago", ago(agent, path, now)));
    let cap = given("client.waitCapSeconds");
    let cap = cap.map(|cap| format!("{cap} s, by the row `{}` of clients.yaml", text(agent, "client.row")));
    let rows = [
        ("role", given("role")),
        ("name", given("displayName")),
        ("holds", given("currentTasks")),
        ("queued", given("queued")),
        ("waits", at(agent, "waitingSince").map(|_| format!("for {}", ago(agent, "waitingSince", now)))),
        ("seen", since("lastSeen")),
        ("departed", since("departedAt")),
        ("note", given("note")),
        ("client", at(agent, "client.name").map(|_| client_of(agent))),
        ("wait cap", cap),
        ("woken by", given("client.wake")),
        ("can", given("capabilities")),
        ("session", given("sessionId")),
    ];
    let mut words = format!("agent     {}  {}\n", text(agent, "agentId"), text(agent, "availability"));
    for (name, value) in rows {
        if let Some(value) = value {
            words.push_str(&format!("{name:<9} {}\n", value.replace('\n', " ")));
        }
    }
    words
}

#[cfg(test)]
mod tests;
