//! `callboard token create`: a new token, shown once.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use clap::ArgGroup;

use super::keeper::{Keeper, Wanted};
use crate::cli::place::{new_private, write_private};
use crate::cli::prelude::*;
use crate::cli::values::{agent_id, role_id, span};
use crate::domain::ids::RoleId;
use crate::domain::principal::Scope;

/// Make a token for an agent, a host, a person or a program
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("whose").required(true).args(["agent", "host", "scope"]), after_help = "Examples:
  callboard token create --agent fullstack-1
  callboard token create --agent fullstack-1 --expires 90d --out fullstack-1.token
  callboard token create --host build-1 --role full-stack-engineer --out host.token
  callboard token create --scope view --name dashboard --service -o json")]
pub(in crate::cli) struct CreateArgs {
    /// The agent that the token speaks for, and for no other
    #[arg(long, value_name = "ID", value_parser = agent_id)]
    agent: Option<AgentId>,
    /// The name of a host of agents on call
    #[arg(long, value_name = "NAME", requires = "role")]
    host: Option<String>,
    /// The role that this host is for, and for no other
    #[arg(long, requires = "host", value_parser = role_id)]
    role: Option<RoleId>,
    /// What a person or a program may do: view, operate, admin
    #[arg(long, value_parser = scope, requires = "name")]
    scope: Option<Scope>,
    /// How that person or program is called
    #[arg(long, conflicts_with = "agent")]
    name: Option<String>,
    /// It is a program, and no person
    #[arg(long, requires = "scope")]
    service: bool,
    /// How long it is good for, as 90d; for ever when nothing is said
    #[arg(long, value_name = "SPAN", value_parser = span)]
    expires: Option<Duration>,
    /// Write it to this new file, which its owner alone can read
    #[arg(long, value_name = "FILE", conflicts_with = "output")]
    out: Option<PathBuf>,
    #[command(flatten)]
    output: OutputArgs,
}

pub(super) async fn run(args: &CreateArgs, keeper: &Keeper) -> Result<(), Problem> {
    let wanted = wanted(args)?;
    // The place before the token: one that was made and cannot be kept is good for nobody.
    let place = args.out.as_deref().map(new_private).transpose()?;
    let made = match keeper.create(&wanted, args.expires).await {
        Ok(made) => made,
        Err(problem) => {
            drop((place, args.out.as_deref().map(fs::remove_file)));
            return Err(problem);
        }
    };
    hand_out(&made, args.output, args.out.as_deref())
}

fn wanted(args: &CreateArgs) -> Result<Wanted, Problem> {
    if let (Some(name), Some(role)) = (&args.host, &args.role) {
        return Ok(Wanted::Host { name: name.clone(), role: role.clone() });
    }
    match (&args.agent, args.scope, &args.name) {
        (Some(agent), _, _) => Ok(Wanted::Agent(agent.clone())),
        (None, Some(scope), Some(name)) => Ok(Wanted::Named { name: name.clone(), scope, service: args.service }),
        // The parser asks for one of them, and for a name with a scope.
        (None, _, _) => Err(Problem::configuration("a token is for an agent, or has a scope and a name")),
    }
}

/// Reads what a person or a program may do.
fn scope(text: &str) -> Result<Scope, String> {
    match text {
        "view" => Ok(Scope::View),
        "operate" => Ok(Scope::Operate),
        "admin" => Ok(Scope::Admin),
        _ => Err("it is none of view, operate, admin".to_owned()),
    }
}

/// Gives a new token to whoever asked for it. Standard output holds the token alone, so that `$(…)` takes it.
pub(super) fn hand_out(made: &Value, output: OutputArgs, out: Option<&std::path::Path>) -> Result<(), Problem> {
    if output.is_json() && str_at(made, "token").is_some() {
        return say_json(made);
    }
    let token = str_at(made, "token").ok_or_else(|| untold(made))?;
    match out {
        Some(file) => {
            write_private(file, &format!("{token}\n"))?;
            say(&format!("The token is in `{}`; CALLBOARD_TOKEN_FILE may name it.", file.display()))
        }
        None => say(token),
    }
}

/// The hub heard the call twice, and its first answer, which alone has the secret, never came.
fn untold(made: &Value) -> Problem {
    let id = str_at(made, "id").unwrap_or("PUBLIC_ID");
    Problem::failed(format!(
        "token `{id}` was made, and its secret was lost on the way here; `callboard token rotate {id} --overlap 0s` \
         gives it a new one"
    ))
}
