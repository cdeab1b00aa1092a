//! `callboard wake`: run by a hook at the end of a turn. It waits where the client's model would have waited, and costs
//! no request to it.
//!
//! ```text
//!  begins ──► newest of its agent ──► waits (form `nudge`: nothing is handed over) ──► there is something: the client
//!                │                        │                                            goes on, by one sentence
//!                │                        └── the client is gone, a newer one began, the hub is gone: ends quietly
//!                └── somebody else waits for the agent, or the client's cap is near: ends quietly
//! ```
//!
//! A hook may outlive its client (Claude Code's was there 20 minutes later), so the parent is looked at. `connect`
//! writes the command with `exec`: the parent is the client, and no shell.

use std::io::{self, Write as _};
use std::path::Path;
use std::time::Duration;

use clap::Args;
use rustix::process::{Pid, getpid, getppid, test_kill_process};
use serde_json::json;
use tokio::time::{Instant, sleep};

use super::client::{GoOn, HookClient};
use super::record::Record;
use super::{AgentTools, Unanswered};
use crate::domain::ids::AgentId;
use crate::output::say;
use crate::place::GlobalArgs;
use crate::problem::Problem;
use crate::values::agent_id;

/// How often the parent and the newest record are looked at.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// What ends sooner did not wait.
const AT_ONCE: Duration = Duration::from_secs(2);

/// How long one wait may take to be answered: longer than any cap of the hub's.
const ANSWERED_WITHIN: Duration = Duration::from_secs(3_600);

/// How long a hub that was there is looked for when it is gone: as long as a restart takes.
const BACK_WITHIN: Duration = Duration::from_secs(60);

/// Wait for work in a client's hook, and make the client go on when there is some.
///
/// It prints what the hooks of that client read. With nothing to say, or no hub to ask, it ends with code 0
/// and prints nothing.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  callboard wake --agent fullstack-1 --for claude

`callboard connect CLIENT --agent ID --wake` writes it into the client's own configuration.")]
pub struct WakeArgs {
    /// The agent that is to be woken.
    #[arg(long, value_name = "ID", value_parser = agent_id)]
    agent: AgentId,
    /// The client whose hook this is.
    #[arg(long = "for", value_enum, value_name = "CLIENT")]
    client: HookClient,
    /// Only show that the hub lets the agent in, by what a hook would print; nothing is waited for.
    #[arg(long)]
    probe: bool,
}

/// Waits, and says how the client's hook is to end. Fails with --probe, why there could be no nudge; else only for the
/// exit code by which a client is made to go on.
pub fn run(args: &WakeArgs, globals: &GlobalArgs) -> Result<(), Problem> {
    let hooks = args.client.hooks();
    if let GoOn::Never(why) = hooks.go_on {
        return Err(Problem::configuration(format!("`{}` cannot be woken by a hook", args.client.name())).because(why));
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let wakes = runtime.block_on(async {
        if args.probe {
            let tools = AgentTools::of(&args.agent, globals).await?;
            return tools.hub.lets_in(&tools.token, &[]).await.map(|()| true).map_err(|no| no.problem);
        }
        Ok(waits(args, globals).await.is_some())
    })?;
    if !wakes {
        return Ok(());
    }
    let (output, error, code) = hooks.go_on.said();
    output.map_or(Ok(()), |text| say(&text))?;
    if let Some(text) = error {
        writeln!(io::stderr(), "{text}")?;
    }
    if code == 0 { Ok(()) } else { Err(Problem::hosted(code)) }
}

/// Waits; something when the client is to go on.
async fn waits(args: &WakeArgs, globals: &GlobalArgs) -> Option<()> {
    let path = Record::path(globals, &args.agent)?;
    let parent = getppid()?.as_raw_nonzero().get();
    let before = Record::read(&path);
    let own = before.next(getpid().as_raw_nonzero().get(), parent, args.client.hooks().cap);
    own.write(&path).then_some(())?;
    if own.capped {
        return None;
    }
    let tools = AgentTools::of(&args.agent, globals).await.ok()?;
    let status = json!({ "agentId": args.agent });
    let status = tools.call("get_agent_status", &status, Duration::from_secs(10)).await.ok()?;
    if status["availability"] == "waiting" && !is_there(before.pid) {
        // The client waits by itself, as Claude Code's terminal does with a task: that wait is not to be disturbed.
        return None;
    }
    let stands = format!("{} {}", status["currentTasks"], status["queued"]);
    let began = Instant::now();
    tokio::select! {
        wakes = parked(&tools) => wakes.then_some(())?,
        () = is_useless(parent, own.pid, &path) => return None,
    }
    let at_once = (began.elapsed() < AT_ONCE).then_some(stands);
    // It was told so at the end of its last turn, and ended this one all the same: telling it for ever costs requests.
    if at_once.is_some() && at_once == own.at_once {
        return None;
    }
    // A newer one has the word.
    (Record::read(&path).pid == own.pid).then_some(())?;
    own.woke(at_once).write(&path).then_some(())
}

/// Waits until there is something, through restarts of the hub; false when there is nobody to wait at.
async fn parked(tools: &AgentTools) -> bool {
    let mut heard: Option<Instant> = None;
    loop {
        let began = Instant::now();
        match tools.call("wait_for_prompt", &json!({"form": "nudge"}), ANSWERED_WITHIN).await {
            Ok(answer) => match answer["status"].as_str() {
                Some("TASK" | "NOTICE") => return true,
                Some("IDLE") => heard = Some(Instant::now()),
                Some(_) | None => return false,
            },
            Err(Unanswered::Refused) => return false,
            Err(Unanswered::Away) => {
                // A wait that lasted was at a hub that is gone now.
                if began.elapsed() > AT_ONCE {
                    heard = Some(Instant::now());
                }
                if heard.is_none_or(|heard| heard.elapsed() > BACK_WITHIN) {
                    return false;
                }
            }
        }
        if began.elapsed() < AT_ONCE {
            sleep(LOOK_EVERY).await;
        }
    }
}

/// Until the client is gone, or a newer one of this agent has begun.
async fn is_useless(parent: i32, own: i32, path: &Path) {
    loop {
        sleep(LOOK_EVERY).await;
        let orphaned = getppid().is_none_or(|now| now.as_raw_nonzero().get() != parent);
        if orphaned || Record::read(path).pid != own {
            return;
        }
    }
}

/// Whether that process is there.
fn is_there(pid: i32) -> bool {
    Pid::from_raw(pid).is_some_and(|pid| test_kill_process(pid).is_ok())
}

/// Whether what a hook printed makes its client go on, in any client's form.
pub fn is_nudge(said: &str) -> bool {
    said.contains(super::NUDGE)
}
