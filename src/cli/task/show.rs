//! `callboard task show`: everything about one task.

use clap::Args;
use serde_json::Value;

use crate::cli::client::HubClient;
use crate::cli::follow;
use crate::cli::id::to_look;
use crate::cli::output::cell::{ago, at, plain, str_at, text, until};
use crate::cli::output::{OutputArgs, say, say_json};
use crate::cli::problem::Problem;
use crate::cli::pulls::pull_requests;
use crate::cli::values::task_id;
use crate::clock::Clock;
use crate::domain::text::for_terminal;
use crate::domain::time::Timestamp;
use crate::tools::people::NamedKind;

/// Show a task: its text, its state, its attempts, its comments
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  callboard task show TASK
  callboard task show TASK -o wide     with its history
  callboard task show TASK -o json")]
pub(in crate::cli) struct ShowArgs {
    /// The task's id, or how it begins
    #[arg(value_parser = task_id)]
    task: String,
    #[command(flatten)]
    output: OutputArgs,
}

pub(super) async fn run(args: &ShowArgs, hub: &HubClient) -> Result<(), Problem> {
    let id = to_look(hub, NamedKind::Task, &args.task).await?;
    let task = hub.get(&["api", "v1", "tasks", &id], &[]).await?;
    if args.output.is_json() {
        return say_json(&task);
    }
    let mut words = describe(&task, Clock::system().now());
    if args.output.is_wide() {
        words.push_str("\nhistory\n");
        for item in list(&task, "history") {
            words.push_str(&format!("{}\n", follow::line(item)));
        }
    }
    say(&words)
}

/// The task in words. What people and agents wrote is indented, so that none of it passes for the hub's own.
pub(super) fn describe(task: &Value, now: Timestamp) -> String {
    let mut words = format!("task      {}  {}\n", text(task, "taskId"), text(task, "state"));
    let mut row = |name: &str, value: Option<String>| {
        if let Some(value) = value {
            words.push_str(&format!("{name:<9} {value}\n"));
        }
    };
    let given = |path: &str| at(task, path).map(plain);
    row("title", given("title").map(|title| title.replace('\n', " ")));
    row("target", given("target"));
    row("asks for", at(task, "capabilities").map(plain));
    row("priority", given("priority"));
    row("from", given("from.displayName").map(|name| format!("{name} ({})", text(task, "from.kind"))));
    row("via", list(task, "via").first().map(|_| chain(task)));
    row("created", Some(format!("{} ago", ago(task, "createdAt", now))));
    row("lease", lease(task, now));
    row("next", str_at(task, "deadline.at").map(|at| format!("{}: {}", until(at, now), text(task, "deadline.reason"))));
    // A sentence of its own: who must do what, as `it depends on …: retry that one`. What it says is said once.
    let stands = given("waitsFor").map(|stands| stands.replace('\n', " "));
    let reason = given("reason").map(|reason| reason.replace('\n', " "));
    let reason = reason.filter(|reason| !stands.as_ref().is_some_and(|stands| stands.contains(reason.as_str())));
    row("because", stands);
    row("reason", reason);
    row("after", list(task, "dependencies").first().map(|_| text(task, "dependencies")));
    words.push_str(&format!("\n{}\n", indented(str_at(task, "prompt").unwrap_or_default())));
    if let Some(message) = str_at(task, "progress.message") {
        words.push_str(&format!("\nprogress\n{}\n", indented(message)));
    }
    for attempt in list(task, "attempts") {
        let (number, agent) = (text(attempt, "number"), text(attempt, "agentId"));
        words.push_str(&format!("\nattempt {number} by {agent}: {}\n", text(attempt, "outcome")));
        if let Some(message) = str_at(attempt, "message") {
            words.push_str(&format!("{}\n", indented(message)));
        }
    }
    for run in list(task, "runs") {
        let ended = str_at(run, "reason").map(|reason| format!(", {reason}")).unwrap_or_default();
        let (id, agent, client) = (text(run, "runId"), text(run, "agentId"), text(run, "client"));
        words.push_str(&format!("\n{id} of {agent} ({client}): {}{ended}\n", text(run, "state")));
        if str_at(run, "state") == Some("ended") {
            words.push_str(&format!("    used: {}\n", used(run)));
        }
        if let Some(tail) = str_at(run, "tail") {
            words.push_str(&format!("{}\n", indented(tail)));
        }
    }
    for comment in list(task, "comments") {
        words.push_str(&format!("\n{} by {}\n", text(comment, "kind"), text(comment, "from.displayName")));
        words.push_str(&format!("{}\n", indented(str_at(comment, "text").unwrap_or_default())));
    }
    words.push_str(&pull_requests(task));
    words
}

fn list<'a>(task: &'a Value, path: &str) -> &'a [Value] {
    at(task, path).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

/// What a run used, in words.
fn used(run: &Value) -> String {
    let part = |path: &str, unit: &str| match at(run, path) {
        Some(known) => format!("{} {unit}", plain(known)),
        None => format!("unknown {unit}"),
    };
    let parts = [("usage.inputTokens", "tokens in"), ("usage.outputTokens", "tokens out"), ("usage.costUsd", "USD")];
    parts.map(|(path, unit)| part(path, unit)).join(", ")
}

fn chain(task: &Value) -> String {
    list(task, "via").iter().map(|link| text(link, "displayName")).collect::<Vec<_>>().join(" → ")
}

fn lease(task: &Value, now: Timestamp) -> Option<String> {
    let holder = at(task, "lease.agentId").map(plain)?;
    let epoch = text(task, "lease.epoch");
    Some(match (str_at(task, "lease.ackBy"), str_at(task, "lease.expiresAt")) {
        (_, Some(expires)) => format!("{holder}, number {epoch}, runs out {}", until(expires, now)),
        (Some(ack_by), None) => format!("offered to {holder}, number {epoch}, lapses {}", until(ack_by, now)),
        (None, None) => format!("{holder}, number {epoch}"),
    })
}

fn indented(text: &str) -> String {
    let text = for_terminal(text);
    text.lines().map(|line| format!("    {line}")).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests;
