//! `callboard question …`: what agents ask, when each goes on by itself, and a person's answer.
//!
//! - `answer`: by a word on the command line or by choosing;
//! - `pick`: the choice, by arrow keys on a terminal, by a line of input elsewhere;
//! - `tell`: what is asked, by whom, what happens without an answer.

mod answer;
mod pick;
mod tell;

use clap::{Args, Subcommand};
use serde_json::Value;

use super::client::HubClient;
use super::id::to_look;
use super::output::cell::{ago, line, str_at, text, until};
use super::output::table::Column;
use super::output::{OutputArgs, PageArgs, nothing};
use super::problem::Problem;
use crate::clock::Clock;
use crate::domain::time::Timestamp;
use crate::tools::people::NamedKind;

#[derive(Debug, Subcommand)]
pub(super) enum QuestionVerb {
    List(ListArgs),
    Show(ShowArgs),
    Answer(answer::AnswerArgs),
}

/// List what agents ask
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  callboard question list
  callboard question list --state all -o wide
  callboard question answer QUESTION            choose with the arrow keys")]
pub(super) struct ListArgs {
    /// Which: open, resolved, all
    #[arg(long, default_value = "open", value_parser = ["open", "resolved", "all"])]
    state: String,
    /// Only those of this agent
    #[arg(long, value_name = "ID")]
    agent: Option<String>,
    #[command(flatten)]
    page: PageArgs,
}

/// Show a question: who asks, its options, its default, its answer
#[derive(Debug, Args)]
#[command(after_help = "Example:
  callboard question show QUESTION")]
pub(super) struct ShowArgs {
    /// The question's id or how it begins, or its item in the inbox
    #[arg(value_parser = answer::question_id)]
    question: String,
    #[command(flatten)]
    output: OutputArgs,
}

pub(super) async fn run(verb: &QuestionVerb, hub: &HubClient) -> Result<(), Problem> {
    match verb {
        QuestionVerb::List(args) => list(args, hub).await,
        QuestionVerb::Show(args) => {
            let id = to_look(hub, NamedKind::Question, &args.question).await?;
            let question = hub.get(&["api", "v1", "questions", &id], &[]).await?;
            args.output.show(&question, || tell::describe_whole(&question, Clock::system().now()))
        }
        QuestionVerb::Answer(args) => answer::run(args, hub).await,
    }
}

async fn list(args: &ListArgs, hub: &HubClient) -> Result<(), Problem> {
    let mut query = vec![("state", args.state.clone())];
    query.extend(args.agent.clone().map(|agent| ("agent", agent)));
    let questions = hub.list(&["api", "v1", "questions"], &query, args.page.limit).await?;
    let chosen = args.state != "open" || args.agent.is_some();
    let empty = nothing(chosen, "No open questions. Nobody waits for an answer of yours.");
    args.page.output.list(&questions, &columns(Clock::system().now()), empty)
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

/// With the numbers by which `callboard question answer` takes them.
fn options(question: &Value) -> String {
    let options = question.get("options").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let numbered = options.iter().filter_map(Value::as_str).zip(1..).map(|(option, n)| format!("{n}. {option}"));
    numbered.collect::<Vec<_>>().join("  ")
}

fn danger(question: &Value) -> &'static str {
    if question.get("dangerous") == Some(&Value::Bool(true)) { "yes" } else { "–" }
}
