//! `callboard acp`: one turn of a client that speaks the Agent Client Protocol, as a process with an end.
//!
//! A host of agents on call starts it where a preset says so; it is to the host what `claude -p` is.
//!
//! ```text
//!   host ──task──► callboard acp ──session/prompt──► client
//!     ◄── JSON lines ──┤       ◄── session/request_permission ──┤
//!                      └── ask_permission ──► hub
//! ```
//!
//! What the client would ask its user is asked of people at the hub. Where the hub is away or refuses, it is denied.
//! - `talk`: the messages of the protocol, version 1 (agentclientprotocol.com).
//!
//! No library speaks it here: those that do make every JSON object of the program keep the order of its members, and
//! the hub's records and digests are in the order of their names.

mod talk;
#[cfg(test)]
mod tests;

use std::io::{self, Read as _};
use std::process::Stdio;
use std::time::Duration;

use clap::Args;
use serde_json::{Value, json};
use tokio::io::BufReader;
use tokio::process::{Child, Command};
use tokio::time::{sleep, timeout};

use crate::exit::Exit;
use crate::hook::{AgentTools, Unanswered};
use crate::output::say;
use crate::place::GlobalArgs;
use crate::problem::Problem;
use talk::{Talk, Turn};

/// The longest text of a task, in bytes.
const LONGEST: u64 = 8 * 1024 * 1024;

/// Between two questions to a hub that has no answer yet.
const PAUSE: Duration = Duration::from_millis(200);

/// How long a client may take to end once its input has.
const LAST_MOMENT: Duration = Duration::from_secs(5);

/// Give a client that speaks the Agent Client Protocol one task, and print what it says as JSON, one document a line.
///
/// The task's text is read from standard input. What the client may not do by itself is asked at the hub, as the agent
/// whose token is in the environment.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  callboard acp -- gemini --acp < task.md")]
pub struct AcpArgs {
    /// The client's own id of a conversation to go on with.
    #[arg(long, value_name = "CONVERSATION")]
    resume: Option<String>,
    /// The client, and its arguments.
    #[arg(last = true, required = true, value_name = "COMMAND")]
    command: Vec<String>,
}

/// Plays the turn. Fails where the client cannot be started, breaks off, or says that it failed.
pub fn run(args: &AcpArgs, globals: &GlobalArgs) -> Result<(), Problem> {
    tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(turn(args, globals))
}

async fn turn(args: &AcpArgs, globals: &GlobalArgs) -> Result<(), Problem> {
    let mut text = String::new();
    // Nothing else runs yet.
    io::stdin().lock().take(LONGEST).read_to_string(&mut text)?;
    let folder = std::env::current_dir()?;
    let turn = Turn { text: &text, conversation: args.resume.as_deref(), folder: &folder };
    let tools = AgentTools::given(globals)?;
    let mut client = start(&args.command)?;
    let (Some(input), Some(output)) = (client.stdin.take(), client.stdout.take()) else {
        return Err(Problem::failed("the client has no pipes"));
    };
    let mut talk = Talk::new(
        BufReader::new(output),
        input,
        async |mut asked| {
            asked["cwd"] = json!(folder);
            is_allowed(&tools, &asked).await
        },
        print,
    );
    let played = talk.play(&turn).await;
    // Its input ends with the connection, and by that it knows.
    drop(talk);
    if timeout(LAST_MOMENT, client.wait()).await.is_err() {
        client.start_kill()?;
    }
    played.map_err(|fault| {
        print(json!({"type": "error", "error": fault.0}));
        Problem::failed(format!("`{}` did not play its turn", args.command.join(" "))).because(fault.why())
    })
}

fn start(command: &[String]) -> Result<Child, Problem> {
    let Some((program, arguments)) = command.split_first() else {
        return Err(Problem::configuration("there is no command"));
    };
    let started = Command::new(program).args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    started.map_err(|error| {
        Problem::new(Exit::NotFound, format!("failed to start `{program}`")).because(error.to_string())
    })
}

/// Whether people or the rules of the role allow it, however long they take; else why not.
async fn is_allowed(tools: &AgentTools, asked: &Value) -> Result<(), String> {
    loop {
        match tools.call("ask_permission", asked, Duration::from_secs(600)).await {
            // The question is still open: the same call finds its answer.
            Ok(answer) if answer["open"] == true => sleep(PAUSE).await,
            Ok(answer) if answer["behavior"] == "allow" => return Ok(()),
            Ok(answer) => return Err(answer["message"].as_str().unwrap_or("It was denied.").to_owned()),
            Err(Unanswered::Away | Unanswered::Refused) => return Err("The hub could not be asked: denied.".to_owned()),
        }
    }
}

fn print(said: Value) {
    // Whoever read it has gone, and ends this process.
    let _nobody = say(&said.to_string());
}
