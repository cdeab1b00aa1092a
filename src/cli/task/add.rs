//! `callboard task add`: asks somebody for something.

use std::env;
use std::io::{self, Read};
use std::time::Duration;

use serde_json::Map;
use tokio::signal::unix::{SignalKind, signal};

use crate::cli::prelude::*;
use crate::cli::signals::INTERRUPTED;
use crate::cli::values::{span, task_id};
use crate::domain::text::for_shell;
use crate::ids::Ids;

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
    /// Under the same key the same command is done once within 24 hours
    #[arg(long, value_name = "KEY")]
    idempotency_key: Option<String>,
    #[command(flatten)]
    output: OutputArgs,
}

pub(super) async fn run(args: &AddArgs, hub: &HubClient) -> Result<(), Problem> {
    let mut body = body(args)?;
    for after in body.get_mut("dependencies").and_then(Value::as_array_mut).into_iter().flatten() {
        *after = to_look(hub, NamedKind::Task, after.as_str().unwrap_or_default()).await?.into();
    }
    let key = args.idempotency_key.clone().unwrap_or_else(|| Ids::random().request());
    body["idempotencyKey"] = json!(key);
    let repeats = |problem: Problem| {
        let words: Vec<_> = env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
        if problem.is_unsure() { problem.next(again(&words, &key)) } else { problem }
    };
    let (path, mut interrupts) = (["api", "v1", "tasks"], signal(SignalKind::interrupt())?);
    let receipt = tokio::select! {
        receipt = hub.post(&path, &body) => receipt.map_err(repeats)?,
        _ = interrupts.recv() => {
            repeats(Problem::failed("stopped before the hub answered").maybe_done_if(true)).report();
            return Err(Problem::hosted(INTERRUPTED));
        }
    };
    if args.output.is_json() {
        return say_json(&receipt);
    }
    let id = text(&receipt, "taskId");
    let message = str_at(&receipt, "message").map_or_else(|| "Added.".to_owned(), |_| text(&receipt, "message"));
    // Told once, where it can be copied with what is typed next.
    say(&format!("{}\nfollow it: callboard task follow {id}", message.replace(&format!(" {id}"), "")))
}

/// The longest command that is shown whole, in characters.
const SHOWN: usize = 1_000;

/// What to type so that it is the same request. What a terminal cannot take back as it was typed is not shown.
fn again(words: &[String], key: &str) -> String {
    let known = words.iter().any(|word| word.starts_with("--idempotency-key"));
    let flag = if known { Vec::new() } else { vec!["--idempotency-key".to_owned(), key.to_owned()] };
    let end = words.iter().position(|word| word == "--").unwrap_or(words.len());
    let all = words[..end].iter().chain(&flag).chain(&words[end..]).map(|word| for_shell(word));
    let whole = all.collect::<Vec<_>>().join(" ");
    let is_odd = words.iter().any(|word| word == "-")
        || whole.contains(|c: char| c.is_control() || c == char::REPLACEMENT_CHARACTER);
    let command = match is_odd || whole.chars().count() > SHOWN {
        true => format!("the same command, with --idempotency-key {key}"),
        false => format!("callboard {whole}"),
    };
    format!("{command}\nwith this key it is the same request, which is done once")
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
    put("ttlSeconds", args.ttl.map(|ttl| json!(ttl.as_secs())));
    put("worktree", args.worktree.then_some(Value::Bool(true)));
    Ok(Value::Object(body))
}

/// The text that was typed, or what `-` stands for.
pub(super) fn prompt(text: &str, mut input: impl Read) -> Result<String, Problem> {
    if text != "-" {
        return Ok(text.to_owned());
    }
    let mut text = String::new();
    input.read_to_string(&mut text).map_err(|error| match error.kind() == io::ErrorKind::InvalidData {
        true => Problem::configuration("the text on standard input is not UTF-8")
            .next("give it as text; what is no text belongs in a file that the agent can read"),
        false => error.into(),
    })?;
    Ok(text)
}

fn json_value(text: &str) -> Result<Value, String> {
    serde_json::from_str(text).map_err(|error| format!("it is not JSON: {error}"))
}

#[cfg(test)]
mod tests;
