//! `callboard run`: a program in a terminal of its own, passed through to the user's, and watched by the hub.
//!
//! ```text
//!   user's terminal ──keys──► UserTerminal ─► relay ─► ChildProcess: a PTY, a session of its own ─► CMD
//!                   ◄─bytes──────────────────────┘
//!                                                └─ Tap, which never waits ─► observer ─► uplink ─► hub
//! ```
//!
//! `relay` joins `user_terminal` and `child_process` until the program ends, with `pipes` (each on a thread of its own,
//! because a terminal may stand still), `system_signal`, `modes` (what the program left switched on at the user's
//! terminal) and `ending`. The observer's thread has `tap`, `observer` (a screen that is drawn along), `probe` (who
//! sleeps on the terminal) and `pace` (when that is asked), `typing` and `answers` (what the user answers, without
//! secrets), `orders`, `outbound` and `uplink`.
//!
//! The program notices nothing, and nothing between it and its user waits for the hub. The last 2 MiB of output are
//! kept (`outbound`), so that a hub that comes back with less is sent the rest again.
//!
//! *One host for a terminal.* The first to come has it, and keeps its id from one connection to the next. Another one
//! is refused (`TERMINAL_HOSTED`), tells its user so before the program has the terminal, and asks again each second.
//! After an outage of the hub it waits longer than the first one does, which thereby finds its place again.

mod answers;
mod blackout;
mod child_process;
mod ending;
mod modes;
mod observer;
mod order;
mod orders;
mod outbound;
mod pace;
mod pipes;
mod probe;
mod relay;
mod standing;
mod system_signal;
mod tap;
mod typing;
mod uplink;
mod user_terminal;

use std::ffi::OsString;
use std::io;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use clap::Args;
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

use super::client::HubClient;
use super::exit::Exit;
use super::place::{GlobalArgs, variable};
use super::problem::Problem;
use super::values::agent_id;
use crate::domain::ids::AgentId;
use crate::domain::wire::HostWord;
use crate::ids::Ids;
use child_process::ChildProcess;
use observer::ObserverArgs;
use probe::takes_commands;
use relay::Sidelines;
use tap::Tap;
use uplink::Home;
use user_terminal::UserTerminal;

/// How long the program waits for the hub to say whether it watches: that is told before the terminal is the program's.
const GREETING: Duration = Duration::from_millis(500);

/// Said of `--session`.
const SESSION: &str = "The session that it is; else the agent's current one [env: CALLBOARD_SESSION_ID]";

/// Host a terminal: run a command, and let the hub watch it
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  callboard run --agent fullstack-1 -- claude
  callboard run --agent ops-1 -- ssh build.example
  callboard run --agent ops-1 --inject -- ./deploy.sh
  callboard run --agent fullstack-1 --inject-messages -- claude

The hub sees what the command prints and whether it waits for you; what you type at a prompt for a secret stays here.
Where nobody watches (no hub, an agent that has not registered, another run for it), the first lines say so, and the \
command runs all the same; it is watched as soon as it can be. It ends with the command's own code, or 128 and the \
number of the signal that ended it; 127 when there is no such command, 126 when it cannot be run.")]
pub struct RunArgs {
    /// The agent that works in the terminal
    #[arg(long, value_name = "ID", value_parser = agent_id)]
    agent: AgentId,
    /// The session that it is.
    #[arg(long, value_name = "ID", help = SESSION)]
    session: Option<String>,
    /// Let people who may operate answer prompts through the hub: it types, where that is safe, and never a secret
    #[arg(long)]
    inject: bool,
    /// Let the hub also type what the agent should hear and does not fetch: only where CMD is the agent's own program,
    /// and asks for its next words. Implies --inject
    #[arg(long)]
    inject_messages: bool,
    /// The command, and its arguments
    #[arg(last = true, required = true, value_name = "CMD")]
    command: Vec<OsString>,
}

pub fn run(args: &RunArgs, globals: &GlobalArgs) -> Result<(), Problem> {
    hub_may_be_named(globals)?;
    may_be_talked_to(args)?;
    let mut seat = UserTerminal::find();
    seat.is_restored_before_a_panic_speaks();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let mut observer = None;
    let ended = runtime.block_on(async {
        let signals = system_signal::Signals::listen()?;
        let (place, thread) = watched(Home { globals: globals.clone(), hello: args.hello() })?;
        observer = Some(thread);
        let guest = ChildProcess::start(&args.command, &args.agent, &seat)?;
        let (tap, seen) = Tap::new();
        let (order, injections) = mpsc::channel(1);
        let messages = args.inject_messages;
        let (probe, size, drawn) = (guest.line.probe()?, seat.size(), seat.is_seen());
        let seen = ObserverArgs { seen, probe, size, injections: order, messages, drawn };
        // An observer that broke has harmed nothing.
        let _broken = place.send(seen);
        relay::until_it_ends(guest, &mut seat, signals, Sidelines { tap, injections }).await
    });
    seat.restore();
    // A thread may still sit in a read of the keys: the process ends without it.
    runtime.shutdown_background();
    // An observer that broke has harmed nothing.
    drop(observer.map(JoinHandle::join));
    match ending::code(ended?) {
        0 => Ok(()),
        code => Err(Problem::hosted(code)),
    }
}

impl RunArgs {
    fn hello(&self) -> HostWord {
        let session = self.session.clone().or_else(|| variable("CALLBOARD_SESSION_ID"));
        let messages = self.inject_messages;
        let host = Ids::random().request();
        let inject = self.inject || messages;
        HostWord::Hello { host, agent: self.agent.clone(), session, inject, messages, waited: false }
    }
}

/// A hub that is not there is no reason not to run; one that is named wrongly is.
fn hub_may_be_named(globals: &GlobalArgs) -> Result<(), Problem> {
    match HubClient::find(globals) {
        Err(problem) if problem.exit() != Exit::Unreachable => Err(problem),
        Ok(_) | Err(_) => Ok(()),
    }
}

/// A shell would run what is typed: no leave for that is taken.
fn may_be_talked_to(args: &RunArgs) -> Result<(), Problem> {
    let command: Vec<_> = args.command.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    match takes_commands(&command).filter(|_| args.inject_messages) {
        None => Ok(()),
        Some(name) => Err(Problem::configuration(format!("`{name}` would run what is typed into it as a command"))
            .next("with --inject-messages run the agent's own program, as `-- claude`; or leave the flag out")),
    }
}

/// Asks the hub to watch, tells the user if it does not yet, and looks on once it is told what to look at.
fn watched(home: Home) -> io::Result<(oneshot::Sender<ObserverArgs>, JoinHandle<()>)> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let ((place, given), (greeted, answer)) = (oneshot::channel(), std::sync::mpsc::channel::<()>());
    let thread = thread::Builder::new().name("observer".into()).spawn(move || {
        runtime.block_on(async {
            // Whoever is slower than this is asked again, beside the program.
            let first = timeout(GREETING, uplink::introduce(&home, false)).await.ok();
            if let Some(Err(unwatched)) = &first {
                unwatched.problem.told_by("callboard run: not watched yet:");
            }
            drop(greeted);
            if let Ok(place) = given.await {
                observer::watch(place, home, first).await;
            }
        });
        runtime.shutdown_background();
    })?;
    // Nothing is sent: it is over when the sender is dropped.
    let _over = answer.recv();
    Ok((place, thread))
}
