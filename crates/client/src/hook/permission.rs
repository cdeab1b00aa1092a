//! `callboard permission`: run by a client's hook where the client would ask its user. The hub's people are asked
//! instead, or its rules; whatever stands in the way of that leaves the client its own prompt.

use std::io::{self, Read as _};
use std::time::Duration;

use clap::Args;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep, timeout_at};

use super::client::HookClient;
use super::{AgentTools, Unanswered};
use crate::domain::ids::AgentId;
use crate::output::say;
use crate::place::GlobalArgs;
use crate::problem::Problem;
use crate::values::agent_id;

/// The most that is read of what a hook is given, in bytes.
const LONGEST: u64 = 8 * 1024 * 1024;

/// Between two questions to a hub that has no answer yet.
const PAUSE: Duration = Duration::from_millis(200);

/// Ask people, in a client's hook, whether one of its own tools may be called.
///
/// It reads the hook's JSON from standard input, and prints the decision as the client reads it. Without a decision it
/// prints nothing, and the client asks its own user.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  callboard permission --agent fullstack-1 --for claude < event.json

`callboard connect CLIENT --agent ID --permissions` writes it into the client's own configuration.")]
pub struct PermissionArgs {
    /// The agent that asks.
    #[arg(long, value_name = "ID", value_parser = agent_id)]
    agent: AgentId,
    /// The client whose hook this is.
    #[arg(long = "for", value_enum, value_name = "CLIENT")]
    client: HookClient,
}

/// Asks, and prints the decision. Fails when the client has no hook for it.
pub fn run(args: &PermissionArgs, globals: &GlobalArgs) -> Result<(), Problem> {
    let hooks = args.client.hooks();
    if !hooks.asks_permission() {
        return Err(Problem::configuration(format!("`{}` has no hook that answers its prompt", args.client.name()))
            .next("docs/permissions.md says how each client asks"));
    }
    let mut event = String::new();
    io::stdin().lock().take(LONGEST).read_to_string(&mut event)?;
    let Some(asked) = serde_json::from_str(&event).ok().and_then(|event| request(&event)) else { return Ok(()) };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let until = runtime.block_on(async { Instant::now() + hooks.within });
    let answer = runtime.block_on(async { timeout_at(until, decided(args, globals, &asked)).await.ok().flatten() });
    answer.and_then(|answer| hooks.decision(&answer)).map_or(Ok(()), |text| say(&text))
}

/// What `ask_permission` is asked for an event of a hook; none for what is no call of a tool, and for callboard's own
/// tools, which people are not asked about at callboard.
pub(super) fn request(event: &Value) -> Option<Value> {
    let given = |names: &[&str]| names.iter().map(|name| &event[*name]).find(|value| !value.is_null()).cloned();
    let tool = given(&["tool_name", "toolName"])?;
    if tool.as_str()?.contains("callboard_") {
        return None;
    }
    let input = given(&["tool_input", "toolInput", "toolArgs"]).unwrap_or_else(|| json!({}));
    let mut asked = json!({"tool": tool, "input": input});
    for name in ["cwd", "reason"] {
        if let Some(text) = event[name].as_str() {
            asked[name] = json!(text);
        }
    }
    Some(asked)
}

/// The decision, however long people take; none where the hub is away or refuses.
async fn decided(args: &PermissionArgs, globals: &GlobalArgs, asked: &Value) -> Option<Value> {
    let tools = AgentTools::of(&args.agent, globals).await.ok()?;
    loop {
        match tools.call("ask_permission", asked, Duration::from_secs(600)).await {
            // The question is still open: the same call finds its answer.
            Ok(answer) if answer["open"] == true => sleep(PAUSE).await,
            Ok(answer) => return Some(answer),
            Err(Unanswered::Away | Unanswered::Refused) => return None,
        }
    }
}
