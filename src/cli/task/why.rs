//! `callboard task why`: why nobody has it, or why somebody does.

use crate::cli::output::cell::one_line;
use crate::cli::prelude::*;
use crate::cli::typed::as_typed;
use crate::cli::values::task_id;
use crate::domain::task::TaskStateName;

/// Explain what a task waits for, and who could take it
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  callboard task why TASK")]
pub(in crate::cli) struct WhyArgs {
    /// The task's id, or how it begins
    #[arg(value_parser = task_id)]
    task: String,
    #[command(flatten)]
    output: OutputArgs,
}

pub(super) async fn run(args: &WhyArgs, hub: &HubClient) -> Result<(), Problem> {
    let id = to_look(hub, NamedKind::Task, &args.task).await?;
    let why = hub.get(&["api", "v1", "tasks", &id, "why"], &[]).await?;
    args.output.show(&why, || words(&why))
}

/// With the task's id where the command needs it.
fn summary(why: &Value) -> String {
    let answer = format!("`callboard task answer {} ANSWER`", text(why, "taskId"));
    as_typed(&text(why, "summary")).replace("`callboard task answer`", &answer)
}

pub(in crate::cli) fn words(why: &Value) -> String {
    let mut words = format!("{}: {}\n", text(why, "state"), summary(why));
    if at(why, "position").is_some() {
        words.push_str(&format!("place {} in its queue\n", text(why, "position")));
    }
    let agents = why.get("agents").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let state = why.get("state").cloned().and_then(|state| serde_json::from_value::<TaskStateName>(state).ok());
    if agents.is_empty() && state.is_some_and(TaskStateName::is_closed) {
        return words;
    }
    if agents.is_empty() {
        words.push_str("no agent is registered\n");
        return words;
    }
    let first = if state == Some(TaskStateName::Blocked) {
        "could take it, once it waits for nothing"
    } else {
        "could take it"
    };
    for (could, heading) in [(true, first), (false, "could not")] {
        let of_these: Vec<_> = agents.iter().filter(|agent| agent["eligible"] == could).collect();
        if !of_these.is_empty() {
            words.push_str(&format!("\n{heading}:\n"));
        }
        // A reason is a sentence: it has a line of its own, which no terminal has to cut.
        for agent in of_these {
            words.push_str(&format!("  {}\n", text(agent, "agentId")));
            for reason in agent["reasons"].as_array().into_iter().flatten().filter_map(Value::as_str) {
                words.push_str(&format!("    {}\n", as_typed(&one_line(reason))));
            }
        }
    }
    words
}

#[cfg(test)]
mod tests;
