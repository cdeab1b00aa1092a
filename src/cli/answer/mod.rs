//! `callboard answer`: a person answers what an agent asks, by a word on the command line or by choosing.
//!
//! - `show`: what is asked, by whom, what happens without an answer;
//! - `pick`: the choice, by arrow keys on a terminal, by a line of input elsewhere.

mod pick;
mod show;

use clap::Args;
use serde_json::{Value, json};

use super::client::HubClient;
use super::exit::Exit;
use super::output::cell::{str_at, text};
use super::output::{OutputArgs, say, say_json};
use super::problem::Problem;
use crate::clock::Clock;

/// Answer what an agent asks; without a value, choose
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  callboard answer QUESTION                 choose with the arrow keys, or write
  callboard answer QUESTION \"use PostgreSQL\"
  callboard answer QUESTION 2               the second option
  callboard answer QUESTION --default --json")]
pub(super) struct AnswerArgs {
    /// The question's id
    #[arg(value_parser = question_id)]
    question: String,
    /// The answer: one of the options or its number, or free words where they are allowed
    value: Option<String>,
    /// Answer with what the agent would do by itself
    #[arg(long, conflicts_with = "value")]
    default: bool,
    /// Print JSON, as `-o json` does
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    output: OutputArgs,
}

/// Answers it.
pub(super) async fn run(args: &AnswerArgs, hub: &HubClient) -> Result<(), Problem> {
    let value = match (&args.value, args.default) {
        // The number of an option, as `questions -o wide` shows it; the hub knows options by their words alone.
        (Some(value), _) if value.parse::<usize>().is_ok() => {
            let question = hub.get(&["api", "v1", "questions", &args.question], &[]).await?;
            pick::numbered(&question, value)?
        }
        (Some(value), _) => value.clone(),
        (None, default) => {
            let question = hub.get(&["api", "v1", "questions", &args.question], &[]).await?;
            still_open(&question)?;
            if default { the_default(&question)? } else { chosen(&question)? }
        }
    };
    let answered = hub.post(&["api", "v1", "questions", &args.question, "answer"], &json!({ "value": value })).await?;
    if args.json || args.output.is_json() {
        return say_json(&answered);
    }
    say(&format!("Question `{}` is answered: {}", args.question, show::value(&value)))
}

fn chosen(question: &Value) -> Result<String, Problem> {
    show::tell(question, Clock::system().now())?;
    pick::pick(question)
}

fn the_default(question: &Value) -> Result<String, Problem> {
    let default = str_at(question, "defaultAction").map(str::to_owned);
    default.ok_or_else(|| Problem::new(Exit::Refused, format!("question `{}` has no default", text(question, "id"))))
}

/// Who comes late hears who was first, before anything is asked of them.
fn still_open(question: &Value) -> Result<(), Problem> {
    if str_at(question, "state") == Some("open") {
        return Ok(());
    }
    let what = format!("question `{}` has its answer already", text(question, "id"));
    Err(Problem::new(Exit::Refused, what).because(show::resolution(question)).next("callboard questions"))
}

/// Reads a question's id: a word that can stand in a path.
fn question_id(text: &str) -> Result<String, String> {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    if !text.is_empty() && text.len() <= 64 && text.chars().all(fits) {
        return Ok(text.to_owned());
    }
    Err(format!("`{text}` is not a question's id: callboard questions lists them"))
}
