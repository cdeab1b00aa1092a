//! `callboard question …`: what agents ask, when each goes on by itself, and a person's answer.

mod answer;
mod pick;
mod tell;

use super::prelude::*;
use crate::cli::columns::QUESTIONS;

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
#[command(after_help = "Example:\n  callboard question show QUESTION")]
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
    args.page.output.table(&questions, (QUESTIONS, Clock::system().now()), empty)
}
