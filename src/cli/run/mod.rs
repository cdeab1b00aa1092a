//! `callboard run`: a program in a terminal of its own, passed through to the user's.
//!
//! ```text
//!   user's terminal ──keys──► Seat ─────► relay ─────► Guest: a PTY, a session of its own ─► CMD
//!                   ◄─bytes──────────────────┘
//! ```
//!
//! - `seat`: the user's own terminal, in raw mode while the program runs, and as it was afterwards;
//! - `guest`: the program, its PTY, and the signals that it is sent;
//! - `pipes`: keys in and output out, each on a thread of its own, because a terminal may stand still;
//! - `told`: what the system tells the host by signals;
//! - `relay`: all of these until the program ends;
//! - `ending`: how a host that must end ends its program, and the code that says how it went.
//!
//! The program notices nothing: bytes, keys, sizes, signals and its exit code are passed on as they are.

mod ending;
mod guest;
mod pipes;
mod relay;
mod seat;
mod told;

use std::ffi::OsString;

use clap::Args;

use super::args::agent_id;
use super::problem::Problem;
use crate::domain::ids::AgentId;

/// Host a terminal: run a command, and let the hub watch it
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  callboard run --agent fullstack-1 -- claude
  callboard run --agent ops-1 -- ssh build.example

It ends with the command's own code, or 128 and the number of the signal that ended it; 127 when there is no such
command, 126 when it cannot be run.")]
pub(super) struct RunArgs {
    /// The agent that works in the terminal
    #[arg(long, value_name = "ID", value_parser = agent_id)]
    agent: AgentId,
    /// The command, and its arguments
    #[arg(last = true, required = true, value_name = "CMD")]
    command: Vec<OsString>,
}

/// Runs the command to its end.
pub(super) fn run(args: &RunArgs) -> Result<(), Problem> {
    let mut seat = seat::Seat::find();
    seat.is_restored_before_a_panic_speaks();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let ended = runtime.block_on(async {
        let signals = told::Signals::listen()?;
        let guest = guest::Guest::start(&args.command, &args.agent, &seat)?;
        relay::until_it_ends(guest, &mut seat, signals).await
    });
    seat.restore();
    // A thread may still sit in a read of the keys: the process ends without it.
    runtime.shutdown_background();
    match ending::code(ended?) {
        0 => Ok(()),
        code => Err(Problem::hosted(code)),
    }
}
