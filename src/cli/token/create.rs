//! `callboard token create`: a new token, shown once.

use std::path::PathBuf;
use std::time::Duration;

use clap::{ArgGroup, Args};
use serde_json::{Map, Value, json};

use super::keeper::Keeper;
use crate::cli::args::{agent_id, span};
use crate::cli::output::cell::str_at;
use crate::cli::output::{say, say_json};
use crate::cli::place::write_private;
use crate::cli::problem::Problem;
use crate::domain::ids::AgentId;

/// Make a token for an agent, a person or a program
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("whose").required(true).args(["agent", "scope"]), after_help = "Examples:
  callboard token create --agent fullstack-1
  callboard token create --agent fullstack-1 --expires 90d --out fullstack-1.token
  callboard token create --scope view --name dashboard --json")]
pub(super) struct CreateArgs {
    /// The agent that the token speaks for, and for no other
    #[arg(long, value_name = "ID", value_parser = agent_id)]
    agent: Option<AgentId>,
    /// What a person or a program may do
    #[arg(long, value_parser = ["view", "operate", "admin"], requires = "name")]
    scope: Option<String>,
    /// How that person or program is called
    #[arg(long)]
    name: Option<String>,
    /// How long it is good for, as 90d; for ever when nothing is said
    #[arg(long, value_name = "SPAN", value_parser = span)]
    expires: Option<Duration>,
    /// Print it as JSON
    #[arg(long, conflicts_with = "out")]
    json: bool,
    /// Write it to this file, which its owner alone can read
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// Makes it.
pub(super) async fn run(args: &CreateArgs, keeper: &mut Keeper) -> Result<(), Problem> {
    let made = keeper.create(&body(args)).await?;
    hand_out(&made, args.json, args.out.as_deref())
}

fn body(args: &CreateArgs) -> Value {
    let mut body = Map::new();
    body.extend(args.agent.as_ref().map(|agent| ("agent".to_owned(), json!(agent))));
    body.extend(args.scope.as_ref().map(|scope| ("scope".to_owned(), json!(scope))));
    body.extend(args.name.as_ref().map(|name| ("name".to_owned(), json!(name))));
    let expires = args.expires.map(|expires| humantime::format_duration(expires).to_string());
    body.extend(expires.map(|expires| ("expires".to_owned(), json!(expires))));
    Value::Object(body)
}

/// Gives a new token to whoever asked for it. Standard output holds the token alone, so that `$(…)` takes it.
pub(super) fn hand_out(made: &Value, json: bool, out: Option<&std::path::Path>) -> Result<(), Problem> {
    if json {
        return say_json(made);
    }
    let token = str_at(made, "token").ok_or_else(|| Problem::failed("the hub made a token and did not tell it"))?;
    match out {
        Some(file) => {
            write_private(file, &format!("{token}\n"))?;
            say(&format!("The token is in `{}`; CALLBOARD_TOKEN_FILE may name it.", file.display()))
        }
        None => say(token),
    }
}
