//! `callboard questions`: what agents ask, and when each goes on by itself.

use clap::Args;
use serde_json::Value;

use super::client::HubClient;
use super::output::cell::{ago, line, str_at, text, until};
use super::output::table::Column;
use super::output::{OutputArgs, nothing, show_list};
use super::problem::Problem;
use super::values::at_least_one;
use crate::clock::Clock;
use crate::domain::time::Timestamp;

/// List what agents ask
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  callboard questions
  callboard questions --state all -o wide
  callboard answer QUESTION            choose with the arrow keys")]
pub(super) struct QuestionsArgs {
    /// Which: open, resolved, all
    #[arg(long, default_value = "open", value_parser = ["open", "resolved", "all"])]
    state: String,
    /// Only those of this agent
    #[arg(long, value_name = "ID")]
    agent: Option<String>,
    /// At most so many
    #[arg(long, default_value_t = 50, value_parser = at_least_one)]
    limit: usize,
    #[command(flatten)]
    output: OutputArgs,
}

/// Lists questions.
pub(super) async fn run(args: &QuestionsArgs, hub: &HubClient) -> Result<(), Problem> {
    let mut query = vec![("state", args.state.clone())];
    query.extend(args.agent.clone().map(|agent| ("agent", agent)));
    let questions = hub.list(&["api", "v1", "questions"], &query, args.limit).await?;
    let chosen = args.state != "open" || args.agent.is_some();
    let empty = nothing(chosen, "No open questions. Nobody waits for an answer of yours.");
    show_list(&questions, &columns(Clock::system().now()), args.output, empty)
}

fn columns(now: Timestamp) -> [Column<Value>; 10] {
    [
        Column::new("QUESTION", |question| text(question, "id")),
        Column::new("AGENT", |question| text(question, "agentId")),
        Column::new("IS", |question| match str_at(question, "resolution.type") {
            Some(_) => text(question, "resolution.type"),
            None => text(question, "state"),
        }),
        // Whether it is overdue the hub knows by its own clock, which does not go back with the machine's.
        Column::new("DUE", move |question| match (str_at(question, "state"), str_at(question, "expiresAt")) {
            (Some("open"), Some(_)) if str_at(question, "overdueAt").is_some() => "overdue".to_owned(),
            (Some("open"), Some(at)) => until(at, now),
            (_, _) => "–".to_owned(),
        }),
        Column::new("DANGER", |question| danger(question).to_owned()),
        Column::wide("ASKED", move |question| ago(question, "askedAt", now)),
        Column::wide("OPTIONS", |question| line(&options(question), 60)),
        Column::wide("DEFAULT", |question| line(str_at(question, "defaultAction").unwrap_or_default(), 30)),
        Column::wide("ANSWER", |question| line(str_at(question, "resolution.value").unwrap_or_default(), 30)),
        Column::new("ASKS", |question| line(str_at(question, "question").unwrap_or_default(), 60)),
    ]
}

/// With the numbers by which `callboard answer` takes them.
fn options(question: &Value) -> String {
    let options = question.get("options").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let numbered = options.iter().filter_map(Value::as_str).zip(1..).map(|(option, n)| format!("{n}. {option}"));
    numbered.collect::<Vec<_>>().join("  ")
}

fn danger(question: &Value) -> &'static str {
    if question.get("dangerous") == Some(&Value::Bool(true)) { "yes" } else { "–" }
}
