//! `callboard prompt show`: what an agent of a role is told, as the hub would serve it.

use super::prelude::*;
use super::values::agent_id;
use crate::domain::text::nearest;
use crate::settings::SystemPrompts;

#[derive(Debug, Subcommand)]
pub(super) enum PromptVerb {
    /// Show it, in Markdown
    #[command(after_help = "Examples:
  callboard prompt show full-stack-engineer
  callboard prompt show pm --agent pm-1 > prompt.md")]
    Show(ShowArgs),
}

#[derive(Debug, Args)]
pub(super) struct ShowArgs {
    /// The role, by its id or an alias
    role: String,
    /// The agent that it is for
    #[arg(long, value_name = "ID", value_parser = agent_id)]
    agent: Option<AgentId>,
}

pub(super) fn run(verb: &PromptVerb, globals: &GlobalArgs) -> Result<(), Problem> {
    let PromptVerb::Show(args) = verb;
    let folder = globals.config_dir();
    let settings = globals.settings()?.settings;
    let prompts = SystemPrompts::load(folder.as_deref())?;
    let known: Vec<_> = settings.roles.roles.keys().map(|role| role.as_str()).collect();
    let role = match settings.roles.find(&args.role) {
        Some((role, _)) => role.to_string(),
        None if prompts.roles().any(|role| role == args.role) => args.role.clone(),
        None => return Err(unknown(&args.role, &known)),
    };
    let vars = settings.prompt_vars(&role, args.agent.as_ref());
    let text = prompts.render(&role, &vars).map_err(|fault| Problem::configuration(fault.to_string()))?;
    say(&text)
}

fn unknown(role: &str, known: &[&str]) -> Problem {
    let near = nearest(role, known.iter().copied());
    let next = near.first().map(|near| format!("callboard prompt show {near}"));
    Problem::new(Exit::NotFound, format!("there is no role `{role}`"))
        .because(format!("the roles are {}", known.join(", ")))
        .next(next.unwrap_or_else(|| "add it to agents.yaml".to_owned()))
}
