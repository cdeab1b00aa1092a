//! `callboard task add`: asks somebody for something.

use std::io::{self, Read};
use std::time::Duration;

use clap::Args;
use serde_json::{Map, Value, json};

use crate::cli::client::HubClient;
use crate::cli::id::to_look;
use crate::cli::output::cell::{str_at, text};
use crate::cli::output::{OutputArgs, say, say_json};
use crate::cli::problem::Problem;
use crate::cli::values::{span, task_id};
use crate::tools::people::NamedKind;

/// Give an agent, a role or anybody a task
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  callboard task add role:full-stack-engineer \"implement login\"
  callboard task add role:test-engineer \"test login\" --after TASK --priority high
  callboard task add any - --capability code-writing --ttl 2h < spec.md")]
pub(in crate::cli) struct AddArgs {
    /// An agent, @NAME, role:ROLE, or any
    target: String,
    /// The text that the agent reads; - reads it from standard input
    text: String,
    /// How urgent it is
    #[arg(long, value_parser = ["normal", "high", "critical"])]
    priority: Option<String>,
    /// A line for lists
    #[arg(long)]
    title: Option<String>,
    /// What the taker must be able to do; may be given more than once
    #[arg(long, value_name = "NAME")]
    capability: Vec<String>,
    /// A task that must be completed first, by its id or how it begins; may be given more than once
    #[arg(long, value_name = "TASK", value_parser = task_id)]
    after: Vec<String>,
    /// More for the agent, as JSON
    #[arg(long, value_name = "JSON", value_parser = json_value)]
    context: Option<Value>,
    /// How long it lives without a sign of progress, as 30m
    #[arg(long, value_name = "SPAN", value_parser = span)]
    ttl: Option<Duration>,
    /// Ask for a git worktree of its own
    #[arg(long)]
    worktree: bool,
    #[command(flatten)]
    output: OutputArgs,
}

pub(super) async fn run(args: &AddArgs, hub: &HubClient) -> Result<(), Problem> {
    let mut body = body(args)?;
    for after in body.get_mut("dependencies").and_then(Value::as_array_mut).into_iter().flatten() {
        *after = to_look(hub, NamedKind::Task, after.as_str().unwrap_or_default()).await?.into();
    }
    let receipt = hub.post(&["api", "v1", "tasks"], &body).await?;
    if args.output.is_json() {
        return say_json(&receipt);
    }
    let id = text(&receipt, "taskId");
    let message = str_at(&receipt, "message").map_or_else(|| "Added.".to_owned(), |_| text(&receipt, "message"));
    // Told once, where it can be copied with what is typed next.
    say(&format!("{}\nfollow it: callboard task follow {id}", message.replace(&format!(" {id}"), "")))
}

fn body(args: &AddArgs) -> Result<Value, Problem> {
    let mut body = Map::new();
    body.insert("targetAgentId".into(), json!(args.target));
    body.insert("prompt".into(), json!(prompt(&args.text, io::stdin())?));
    let mut put = |key: &str, value: Option<Value>| {
        if let Some(value) = value {
            body.insert(key.to_owned(), value);
        }
    };
    put("priority", args.priority.as_ref().map(|priority| json!(priority)));
    put("title", args.title.as_ref().map(|title| json!(title)));
    put("capabilities", (!args.capability.is_empty()).then(|| json!(args.capability)));
    let after: Vec<_> = args.after.iter().map(String::as_str).collect();
    put("dependencies", (!after.is_empty()).then(|| json!(after)));
    put("context", args.context.clone());
    put("ttlSeconds", args.ttl.map(|ttl| json!(ttl.as_secs().max(1))));
    put("worktree", args.worktree.then_some(Value::Bool(true)));
    Ok(Value::Object(body))
}

/// The text that was typed, or what `-` stands for.
pub(super) fn prompt(text: &str, mut input: impl Read) -> Result<String, Problem> {
    if text != "-" {
        return Ok(text.to_owned());
    }
    let mut text = String::new();
    input.read_to_string(&mut text)?;
    Ok(text)
}

fn json_value(text: &str) -> Result<Value, String> {
    serde_json::from_str(text).map_err(|error| format!("it is not JSON: {error}"))
}

#[cfg(test)]
mod tests;
