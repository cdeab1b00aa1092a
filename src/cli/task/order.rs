//! What the verbs that act on a task share: the order is sent, and what the hub says of it is printed.

use serde_json::Value;

use crate::cli::client::HubClient;
use crate::cli::output::cell::{str_at, text};
use crate::cli::output::{OutputArgs, say, say_json};
use crate::cli::problem::Problem;

/// Sends an order to a task, and prints the answer; `done` where the hub has no sentence of its own.
pub(super) async fn order(
    hub: &HubClient,
    task: &str,
    verb: &str,
    body: &Value,
    output: OutputArgs,
    done: &str,
) -> Result<(), Problem> {
    let answer = hub.post(&["api", "v1", "tasks", task, verb], body).await?;
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
