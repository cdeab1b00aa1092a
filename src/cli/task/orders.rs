//! Orders to one task: each with its route, its body, and what is said when the hub has no sentence of its own.

use std::io::Read;

use serde_json::Map;

use super::add;
use crate::cli::prelude::*;
use crate::cli::values::task_id;

/// Which task, and how the answer is printed.
#[derive(Debug, Args)]
pub(super) struct OnTask {
    /// The task's id, or at least four characters of its beginning
    #[arg(value_parser = task_id)]
    task: String,
    #[command(flatten)]
    output: OutputArgs,
}

/// Answer a BLOCKED task; it goes back to its last holder first
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  callboard task answer TASK \"use the staging database\"")]
pub(in crate::cli) struct Answer {
    #[command(flatten)]
    on: OnTask,
    /// What the worker reads
    answer: String,
}

/// Approve work that waits for review; its holder merges and completes it
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  callboard task approve TASK
  callboard task approve TASK \"well done\"
  callboard task approve TASK --round 2        only what `review show` showed as round 2")]
pub(in crate::cli) struct Approve {
    #[command(flatten)]
    on: OnTask,
    /// What you say with it
    message: Option<String>,
    /// The round that you looked at; refused where the work was handed in again since
    #[arg(long, value_name = "N")]
    round: Option<u32>,
}

/// Cancel a task; who works on it is told to stop
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  callboard task cancel TASK --reason \"not needed any more\"")]
pub(in crate::cli) struct Cancel {
    #[command(flatten)]
    on: OnTask,
    /// Why; the worker and the asker read it
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
}

/// Comment on a task; its worker and its asker hear it
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  callboard task comment TASK \"mind the time zones\"
  callboard task comment TASK \"this leaks\" --file src/login.rs --line 41")]
pub(in crate::cli) struct Comment {
    #[command(flatten)]
    on: OnTask,
    /// What the comment says; - reads it from standard input
    text: String,
    /// The file it is about
    #[arg(long)]
    file: Option<String>,
    /// The line in that file, from 1
    #[arg(long, requires = "file")]
    line: Option<u32>,
    /// The comment that it answers
    #[arg(long, value_name = "COMMENT")]
    reply_to: Option<String>,
}

/// Change what a task asks, until somebody takes it up, or how urgent it is
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  callboard task edit TASK --priority high
  callboard task edit TASK --title \"Sign people in\" --prompt \"Build the login with passkeys\"")]
#[command(group(clap::ArgGroup::new("change").args(["title", "prompt", "priority"]).required(true).multiple(true)))]
pub(in crate::cli) struct Edit {
    #[command(flatten)]
    on: OnTask,
    /// A line for lists
    #[arg(long)]
    title: Option<String>,
    /// The text that the agent reads; - reads it from standard input
    #[arg(long, value_name = "TEXT")]
    prompt: Option<String>,
    /// How urgent it is now
    #[arg(long, value_parser = ["normal", "high", "critical"])]
    priority: Option<String>,
}

/// Give a task to somebody else
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  callboard task reassign TASK role:test-engineer")]
pub(in crate::cli) struct Reassign {
    #[command(flatten)]
    on: OnTask,
    /// An agent, @NAME, role:ROLE, or any
    target: String,
}

/// Send work back that waits for review, with what is to change
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  callboard task request-changes TASK --comment \"this leaks\" --file src/login.rs --line 41
  callboard task request-changes TASK --comment \"rename it\" --comment \"and test it\"
  callboard task request-changes TASK --round 2     only what `review show` showed as round 2")]
pub(in crate::cli) struct RequestChanges {
    #[command(flatten)]
    on: OnTask,
    /// What is to change; may be given more than once
    #[arg(long, value_name = "TEXT")]
    comment: Vec<String>,
    /// The file that the comment is about, as the diff names it
    #[arg(long, requires = "comment")]
    file: Option<String>,
    /// The line in that file, from 1
    #[arg(long, requires = "file")]
    line: Option<u32>,
    /// The round that you looked at; refused where the work was handed in again since
    #[arg(long, value_name = "N")]
    round: Option<u32>,
}

/// Put a dead letter back in the queue, its attempts counted anew
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  callboard task requeue TASK")]
pub(in crate::cli) struct Requeue {
    #[command(flatten)]
    on: OnTask,
}

/// Put a task that failed or timed out back in the queue
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  callboard task retry TASK")]
pub(in crate::cli) struct Retry {
    #[command(flatten)]
    on: OnTask,
}

pub(super) struct Order<'a> {
    on: &'a OnTask,
    verb: &'static str,
    body: Value,
    done: &'static str,
}

impl OnTask {
    fn order(&self, verb: &'static str, body: Value, done: &'static str) -> Order<'_> {
        Order { on: self, verb, body, done }
    }
}

impl Answer {
    pub(super) fn order(&self) -> Order<'_> {
        self.on.order("answer", json!({ "answer": self.answer }), "is answered")
    }
}

impl Approve {
    pub(super) fn order(&self) -> Order<'_> {
        let body = given([("message", json!(self.message)), ("round", json!(self.round))]);
        self.on.order("approve", body, "is approved: its holder merges and completes it")
    }
}

impl Cancel {
    pub(super) fn order(&self) -> Order<'_> {
        self.on.order("cancel", given([("reason", json!(self.reason))]), "is cancelled")
    }
}

impl Comment {
    pub(super) fn order(&self, input: impl Read) -> Result<Order<'_>, Problem> {
        let (file, line, reply_to) = (json!(self.file), json!(self.line), json!(self.reply_to));
        let text = json!(add::prompt(&self.text, input)?);
        let body = given([("text", text), ("file", file), ("line", line), ("replyTo", reply_to)]);
        Ok(self.on.order("comments", body, "has your comment"))
    }
}

impl Edit {
    pub(super) fn order(&self, input: impl Read) -> Result<Order<'_>, Problem> {
        let prompt = self.prompt.as_ref().map(|text| add::prompt(text, input)).transpose()?;
        let body = given([("title", json!(self.title)), ("prompt", json!(prompt)), ("priority", json!(self.priority))]);
        Ok(self.on.order("edit", body, "is as you want it now"))
    }
}

impl Reassign {
    pub(super) fn order(&self) -> Order<'_> {
        self.on.order("reassign", json!({ "targetAgentId": self.target }), "is for somebody else now")
    }
}

impl RequestChanges {
    pub(super) fn order(&self) -> Result<Order<'_>, Problem> {
        if self.file.is_some() && self.comment.len() > 1 {
            return Err(Problem::configuration("`--file` goes with one `--comment`, and several are given")
                .next("callboard review show TASK shows where others stand; give each in a call of its own"));
        }
        let wish =
            |text: &String| given([("text", json!(text)), ("file", json!(self.file)), ("line", json!(self.line))]);
        let comments: Vec<Value> = self.comment.iter().map(wish).collect();
        let body = given([("comments", json!(comments)), ("round", json!(self.round))]);
        Ok(self.on.order("request-changes", body, "goes back to its worker"))
    }
}

impl Requeue {
    pub(super) fn order(&self) -> Order<'_> {
        self.on.order("requeue", json!({}), "is in the queue again, its attempts counted anew")
    }
}

impl Retry {
    pub(super) fn order(&self) -> Order<'_> {
        self.on.order("retry", json!({}), "is in the queue again")
    }
}

/// The fields that were typed: the hub's own defaults stand for the others.
fn given<const N: usize>(fields: [(&str, Value); N]) -> Value {
    let typed = fields.into_iter().filter(|(_, value)| !value.is_null());
    Map::from_iter(typed.map(|(name, value)| (name.to_owned(), value))).into()
}

impl Order<'_> {
    pub(super) async fn send(self, hub: &HubClient) -> Result<(), Problem> {
        let Self { on: OnTask { task, output }, verb, body, done } = self;
        let task = to_change(hub, NamedKind::Task, task).await?;
        let answer = hub.post(&["api", "v1", "tasks", &task, verb], &body).await?;
        if output.is_json() {
            return say_json(&answer);
        }
        let state = str_at(&answer, "state").map(|_| format!(" It is {} now.", text(&answer, "state")));
        if answer.get("changed") == Some(&Value::Bool(false)) {
            return say(&format!("Nothing to do: that was done before.{}", state.unwrap_or_default()));
        }
        match str_at(&answer, "message") {
            Some(_) => say(&text(&answer, "message"))?,
            None => say(&format!("Task `{task}` {done}.{}", state.unwrap_or_default()))?,
        }
        for beside in answer.get("besideDiff").and_then(Value::as_array).into_iter().flatten() {
            say(&format!("Kept all the same: {}.", text(beside, "why")))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
