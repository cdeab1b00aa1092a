//! `callboard proxy`: what an MCP client starts, and speaks to over stdio. One WebSocket leads from it to the hub, or a
//! request for each message where none is let through.
//!
//! ```text
//!   client ─ stdin ──► pipes ─► pump ─► relay ─► pump ─► link ─► hub
//!          ◄ stdout ─ pipes ◄────┘ one loop       └──── comes back by itself
//! ```
//!
//! Messages pass as the text that they are: no field is dropped, none moves before another. Five things the proxy
//! adds, all of them in `relay`, which is pure. A call that changes something gets an `idempotencyKey`, so that it
//! can be repeated when the connection broke under it, and so does a request for a prompt. A call of a tool in the plan
//! of the workflow that the client saw last gets that workflow's id. A wait that lost its hub goes on when the hub is
//! back, for what is left of its time. Of a task that the client has taken out of the pipe, the hub is told so. And
//! what the client listens to or is subscribed to is asked for again, with a word to the client that it may have
//! changed meanwhile.
//!
//! - `asked`: a request without an answer, and what may be done with it when its hub is lost;
//! - `envelope`: what is read of a message, and how one is changed without touching the rest;
//! - `relay`: what follows from each message, and from the end and the return of the connection;
//! - `follows`: what the client is told without asking, across connections;
//! - `shown`: what a client was shown of a wait, in numbers that only grow;
//! - `own`: the proxy's own requests, and the answers that it gives in the hub's place;
//! - `link`: the connection, and how it is found again;
//! - `http`: the same where something between lets no WebSocket pass;
//! - `news`: what a session is told there without asking;
//! - `pipes`: standard input;
//! - `output`: standard output, and how much of it the client has taken;
//! - `reads`: tasks that the client may not have taken yet;
//! - `wake`: how the proxy wakes the client, where that has a way for it; where hooks do, `crate::hook` waits;
//! - `workflow`: the workflow whose prompt the client saw last;
//! - `pump`: the loop.
//!
//! *A proxy that waits touches little of the program.* There is one for each agent, and what it touches is its memory.
//! So it reads the command line by a tree with one branch, opens its WebSocket to a hub on this machine without the
//! HTTP client, asks the nature of a verb and not its schemas (`tool_call::nature`), and reads the settings only when
//! its hub is away.
//!
//! Over HTTP its requests name the proxy, and that name goes before an MCP session's, so that all of them are one
//! instance of the agent.

mod envelope;
mod follows;
mod http;
mod http_reply;
mod link;
mod news;
mod output;
mod own;
mod pending_request;
mod pipes;
mod pump;
mod reads;
mod relay;
mod shown;
#[cfg(test)]
mod tests;
mod wake;
mod workflow;

pub use wake::codex_takes_turns;

use std::path::PathBuf;

use clap::Args;

use super::connect::Client;
use super::hook::Record;
use super::place::GlobalArgs;
use super::problem::Problem;
use super::values::agent_id;
use crate::domain::agent::WakeWay;
use crate::domain::ids::AgentId;
use crate::domain::tool_set::ToolSets;
use link::Hub;
pub(crate) use link::jittered;
use pump::Pump;
use relay::Relay;
use wake::Wake;

/// Stand between an MCP client and the hub: stdio on this side.
///
/// Standard output carries JSON-RPC and nothing else; what is to be said to people goes to standard error.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  callboard proxy --agent fullstack-1 --role full-stack-engineer
  claude mcp add callboard -- callboard proxy --agent fullstack-1 --role full-stack-engineer

The proxy speaks for one agent. It takes the agent's token from CALLBOARD_TOKEN_FILE; where that holds an operator's \
token, or none is named and the hub's own data directory is here, it has a token made for the agent and keeps it in \
`agents` below that directory. CALLBOARD_SESSION_ID names the session of its calls.")]
pub struct ProxyArgs {
    /// The agent that it speaks for.
    #[arg(long, value_name = "ID", value_parser = agent_id, env = "CALLBOARD_AGENT_ID")]
    agent: AgentId,
    /// The role that the agent is registered in when it waits without having registered.
    #[arg(long, env = "CALLBOARD_AGENT_ROLE")]
    role: Option<String>,
    /// The sets of tools that are listed, as `work,terminals`: core, work, forge, terminals, permissions, all; else the
    /// role's. Every tool can be called whether it is listed or not.
    #[arg(long, value_name = "SETS", env = "CALLBOARD_TOOLS")]
    tools: Option<ToolSets>,
    /// The client runs `callboard wake` at the end of its turns: a wait that finds nothing ends at once.
    #[arg(long)]
    wake: bool,
    /// The client's terminal takes new turns from this file, as Qwen Code does: a wait that finds nothing ends at once.
    #[arg(long, value_name = "FILE")]
    wake_file: Option<PathBuf>,
}

/// Relays until the client ends.
pub fn run(args: &ProxyArgs, globals: &GlobalArgs) -> Result<(), Problem> {
    let hub = Hub::find(globals, &args.agent, args.tools.as_ref())?;
    // Only the client that has such a socket pays for reading the settings.
    let wake = Wake::of_parent().filter(|_| Client::Codex.woken_by(globals) == WakeWay::CodexQueue);
    let wake = wake.or_else(|| Wake::by_file(args.wake_file.clone()?));
    let hook = args.wake.then(|| Record::path(globals, &args.agent)).flatten();
    let relay = Relay::new(args.agent.clone(), args.role.clone(), hub.instance().to_owned());
    let relay = if let Some(wake) = &wake { relay.that_wakes(wake.has_one_thread()) } else { relay };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let done = runtime.block_on(Pump::new(hub, relay, wake, hook)?.run());
    // Somebody may still hold standard input open: nothing waits for that.
    runtime.shutdown_background();
    done
}
