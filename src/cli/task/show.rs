//! `callboard task show`: everything about one task.

use crate::cli::output::cell::list_at;
use crate::cli::prelude::*;
use crate::cli::pulls::pull_requests;
use crate::cli::story::{spent, story, usage};
use crate::cli::values::task_id;
use crate::domain::task::TaskStateName;

/// Show a task: its text, its state, and all that happened to it
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  callboard task show TASK
  callboard task show TASK -o wide     also renewals and other things of little weight
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
    let asked = asked_of(hub, &id).await?;
    let tree = hub.get(&["api", "v1", "tasks", &id, "tree"], &[]).await?;
    say(&told(&task, (&asked, list_at(&tree, "items")), args.output.is_wide(), Clock::system().now()))
}

/// All questions of a task.
pub(super) async fn asked_of(hub: &HubClient, id: &str) -> Result<Vec<Value>, Problem> {
    let filter = [("task", id.to_owned()), ("state", "all".to_owned())];
    Ok(hub.list(&["api", "v1", "questions"], &filter, 0).await?.items)
}

/// The task in words, and its story: from what the hub knows of it, of its questions, and of what was delegated.
pub(in crate::cli) fn told(task: &Value, others: (&[Value], &[Value]), all: bool, now: Timestamp) -> String {
    format!("{}\n{}", describe(task, others.0, now), story(task, others, all))
}

/// The task in words. What people and agents wrote is indented, so that none of it passes for the hub's own.
pub(super) fn describe(task: &Value, questions: &[Value], now: Timestamp) -> String {
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
    row("via", list_at(task, "via").first().map(|_| chain(task)));
    row("created", Some(format!("{} ago", ago(task, "createdAt", now))));
    row("time", spent(task, questions, is_closed(task), now));
    row("lease", lease(task, now));
    row("next", str_at(task, "deadline.at").map(|at| format!("{}: {}", until(at, now), text(task, "deadline.reason"))));
    // A sentence of its own: who must do what, as `it depends on …: retry that one`. What it says is said once.
    let stands = given("waitsFor").map(|stands| stands.replace('\n', " "));
    let reason = given("reason").map(|reason| reason.replace('\n', " "));
    let reason = reason.filter(|reason| !stands.as_ref().is_some_and(|stands| stands.contains(reason.as_str())));
    row("because", stands);
    row("reason", reason);
    row("after", list_at(task, "dependencies").first().map(|_| text(task, "dependencies")));
    words.push_str(&format!("\n{}\n", indented(str_at(task, "prompt").unwrap_or_default())));
    for run in list_at(task, "runs") {
        let ended = str_at(run, "reason").map(|reason| format!(", {reason}")).unwrap_or_default();
        let (id, agent, client) = (text(run, "runId"), text(run, "agentId"), text(run, "client"));
        let used = run.get("usage").and_then(usage).map(|used| format!(", {used}")).unwrap_or_default();
        words.push_str(&format!("\n{id} of {agent} ({client}): {}{ended}{used}\n", text(run, "state")));
        if let Some(tail) = str_at(run, "tail") {
            words.push_str(&format!("{}\n", indented(tail)));
        }
    }
    words.push_str(&pull_requests(task));
    words
}

fn chain(task: &Value) -> String {
    list_at(task, "via").iter().map(|link| text(link, "displayName")).collect::<Vec<_>>().join(" → ")
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

pub(super) fn is_closed(task: &Value) -> bool {
    str_at(task, "state").and_then(TaskStateName::parse).is_some_and(TaskStateName::is_closed)
}

#[cfg(test)]
mod tests;
