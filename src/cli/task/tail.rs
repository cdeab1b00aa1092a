//! `callboard task tail`: what happened to a task, and what happens to it until it is closed.

use clap::Args;
use serde_json::Value;

use super::show::describe;
use crate::cli::args::task_id;
use crate::cli::client::{Heard, HubClient};
use crate::cli::follow;
use crate::cli::output::cell::str_at;
use crate::cli::output::{OutputArgs, say};
use crate::cli::problem::Problem;
use crate::clock::Clock;
use crate::domain::task::TaskStateName;
use crate::domain::text::for_json;

/// Follow a task until it is closed; ends with 0 when it was completed
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  callboard task tail TASK
  callboard task tail TASK -o json     one JSON object a line, the task itself last")]
pub(super) struct TailArgs {
    /// The task's id
    #[arg(value_parser = task_id)]
    task: String,
    #[command(flatten)]
    output: OutputArgs,
}

/// Follows it.
pub(super) async fn run(args: &TailArgs, hub: &HubClient) -> Result<(), Problem> {
    let json = args.output.is_json();
    let path = ["api", "v1", "tasks", args.task.as_str()];
    // The position comes first: what happens between the two questions is then told twice rather than not at all.
    let position = hub.position().await?;
    let mut task = hub.get(&path, &[]).await?;
    let mut told = 0;
    for item in task.get("history").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default() {
        told = item.get("seq").and_then(Value::as_u64).unwrap_or(told);
        follow::print(item, json)?;
    }
    let mut stream = hub.events(position.max(told), Vec::new());
    while !is_closed(&task) {
        match stream.next().await? {
            Heard::Event(event) if str_at(&event, "subject.task") == Some(args.task.as_str()) => {
                follow::print(&event, json)?;
                task = hub.get(&path, &[]).await?;
            }
            Heard::Event(_) => {}
            Heard::Missed(missed) => {
                follow::print_gap(missed, json)?;
                task = hub.get(&path, &[]).await?;
            }
        }
    }
    if json {
        say(&for_json(&task.to_string()))?;
    } else {
        say(&format!("\n{}", describe(&task, Clock::system().now())))?;
    }
    verdict(&args.task, &task)
}

fn is_closed(task: &Value) -> bool {
    state(task).is_some_and(TaskStateName::is_closed)
}

fn state(task: &Value) -> Option<TaskStateName> {
    TaskStateName::parse(str_at(task, "state")?)
}

fn verdict(id: &str, task: &Value) -> Result<(), Problem> {
    match state(task) {
        Some(TaskStateName::Completed) => Ok(()),
        Some(ended) => {
            let problem = Problem::failed(format!("task `{id}` ended {ended}"));
            Err(match ended {
                TaskStateName::Failed => problem.next(format!("callboard task retry {id}")),
                TaskStateName::DeadLetter => problem.next(format!("callboard task requeue {id}")),
                TaskStateName::Completed
                | TaskStateName::Cancelled
                | TaskStateName::Queued
                | TaskStateName::Assigned
                | TaskStateName::InProgress
                | TaskStateName::Blocked
                | TaskStateName::InReview
                | TaskStateName::Timeout => problem,
            })
        }
        None => Err(Problem::failed(format!("task `{id}` is in a state that this version does not know"))),
    }
}
