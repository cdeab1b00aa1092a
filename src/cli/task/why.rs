//! `callboard task why`: why nobody has it, or why somebody does.

use clap::Args;
use serde_json::Value;

use crate::cli::client::HubClient;
use crate::cli::id::to_look;
use crate::cli::output::OutputArgs;
use crate::cli::output::cell::{at, text};
use crate::cli::output::table::{Column, table};
use crate::cli::problem::Problem;
use crate::cli::typed::as_typed;
use crate::cli::values::task_id;
use crate::domain::task::TaskStateName;
use crate::tools::people::NamedKind;

/// Explain what a task waits for, and who could take it
#[derive(Debug, Args)]
#[command(after_help = "Example:
  callboard task why TASK")]
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

fn words(why: &Value) -> String {
    let mut words = format!("{}: {}\n", text(why, "state"), as_typed(&text(why, "summary")));
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
    let columns = [
        Column::new("AGENT", |agent: &Value| text(agent, "agentId")),
        Column::new("COULD TAKE IT", |agent: &Value| text(agent, "eligible")),
        Column::new("BECAUSE", |agent: &Value| as_typed(&text(agent, "reasons"))),
    ];
    words.push('\n');
    words.push_str(&table(&columns, agents, false, None));
    words
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_agent_has_its_line() {
        let why = json!({
            "taskId": "0196abcd", "state": "QUEUED", "position": 2,
            "summary": "waits for an agent that fits fullstack-1 to call wait_for_prompt",
            "reachable": true,
            "agents": [
                { "agentId": "ann", "eligible": false, "reasons": ["has a task", "is to call wait_for_prompt"] },
                { "agentId": "tester-1", "eligible": false, "reasons": ["is not the target"] },
            ],
        });
        let expected = "\
QUEUED: waits for an agent that fits fullstack-1 to ask for work
place 2 in its queue

AGENT     COULD TAKE IT  BECAUSE
ann       no             has a task, is to ask for work
tester-1  no             is not the target
";
        assert_eq!(words(&why), expected);
    }

    #[test]
    fn of_a_closed_task_nobody_is_told_of_and_of_an_open_one_that_there_is_nobody() {
        let why = |state: &str| json!({"state": state, "summary": "so it is", "reachable": true, "agents": []});
        assert_eq!(words(&why("DEAD_LETTER")), "DEAD_LETTER: so it is\n");
        assert_eq!(words(&why("QUEUED")), "QUEUED: so it is\nno agent is registered\n");
    }
}
