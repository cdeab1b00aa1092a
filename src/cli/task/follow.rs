//! `callboard task follow`: what happened to a task, and what happens to it until it is closed.

use std::time::Duration;

use tokio::time::timeout;

use super::show::{asked_of, describe, is_closed};
use crate::cli::client::StreamItem;
use crate::cli::follow;
use crate::cli::prelude::*;
use crate::cli::story::StoryWriter;
use crate::cli::values::task_id;
use crate::domain::task::TaskStateName;
use crate::domain::text::for_json;

/// How long the end of a task is waited for that may be among what was missed.
const SILENCE: Duration = Duration::from_secs(5);

/// Follow a task until it is closed; ends with 0 when it was completed
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  callboard task follow TASK             reports whole, below their lines
  callboard task follow TASK -o json     one JSON object a line, the task itself last")]
pub(in crate::cli) struct FollowArgs {
    /// The task's id, or how it begins
    #[arg(value_parser = task_id)]
    task: String,
    #[command(flatten)]
    output: OutputArgs,
}

/// Past and present come by one stream, which also has the questions that the task's own history lacks.
pub(super) async fn run(args: &FollowArgs, hub: &HubClient) -> Result<(), Problem> {
    let json = args.output.is_json();
    let id = to_look(hub, NamedKind::Task, &args.task).await?;
    let path = ["api", "v1", "tasks", id.as_str()];
    let mut task = hub.get(&path, &[]).await?;
    let first = numbers(&task).next().unwrap_or_default();
    let mut told = first.saturating_sub(1);
    let mut missed_some = false;
    let mut teller = StoryWriter::default();
    let mut stream = hub.events(told, vec![("task", id.clone())]);
    while !is_closed(&task) || told < newest(&task) {
        let heard = if missed_some && is_closed(&task) {
            match timeout(SILENCE, stream.next()).await {
                Ok(heard) => heard?,
                Err(_) => break,
            }
        } else {
            stream.next().await?
        };
        match heard {
            StreamItem::Event(event) => {
                if json {
                    follow::print(&event, true)?;
                } else {
                    teller.tell(&event).iter().try_for_each(|line| say(line))?;
                }
                told = event.get("seq").and_then(Value::as_u64).unwrap_or(told);
            }
            StreamItem::Missed { count, after } => {
                follow::print_gap(count, after, json)?;
                missed_some = true;
            }
        }
        if missed_some || told >= newest(&task) {
            task = hub.get(&path, &[]).await?;
        }
    }
    if json {
        say(&for_json(&task.to_string()))?;
    } else {
        teller.rest().iter().try_for_each(|line| say(line))?;
        let asked = asked_of(hub, &id).await?;
        say(&format!("\n{}", describe(&task, &asked, Clock::system().now())))?;
    }
    verdict(&id, &task)
}

/// The numbers of what happened to the task itself.
fn numbers(task: &Value) -> impl DoubleEndedIterator<Item = u64> {
    let history = task.get("history").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    history.iter().filter_map(|item| item.get("seq")?.as_u64())
}

fn newest(task: &Value) -> u64 {
    numbers(task).next_back().unwrap_or_default()
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
