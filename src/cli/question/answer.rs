//! `callboard question answer`: answers an agent's question, or what its terminal waits for, by word or by choice.

use tokio::signal::unix::{SignalKind, signal};

use super::{pick, tell};
use crate::cli::inbox::act;
use crate::cli::prelude::*;
use crate::cli::signals::INTERRUPTED;
use crate::domain::inbox::InboxKind;

/// Answer what an agent or its terminal asks; without a value, choose
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  callboard question answer QUESTION                 choose with the arrow keys, or write
  callboard question answer QUESTION \"use PostgreSQL\"
  callboard question answer QUESTION 2               the second option
  callboard question answer QUESTION --own-words \"neither of them\"
  callboard question answer input_prompt:SESSION@12 yes   an item of the inbox, typed by its host
  callboard question answer blocked:TASK \"use staging\"
  callboard question answer QUESTION --default -o json")]
pub(in crate::cli) struct AnswerArgs {
    /// The question's id or at least four characters of it, or an item of the inbox that can be answered
    #[arg(value_parser = asked)]
    question: AnswerTarget,
    /// The answer: one of the options or its number, or free words where they are allowed
    value: Option<String>,
    /// Answer with what the agent would do by itself
    #[arg(long, conflicts_with = "value")]
    default: bool,
    /// Take the answer as it stands though it is none of the options: the agent is told so
    #[arg(long, requires = "value")]
    own_words: bool,
    #[command(flatten)]
    output: OutputArgs,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum AnswerTarget {
    Question(String),
    /// What a terminal or a blocked task waits for, as the item of the inbox.
    Item(String),
}

pub(super) async fn run(args: &AnswerArgs, hub: &HubClient) -> Result<(), Problem> {
    match &args.question {
        AnswerTarget::Question(id) => question(args, id, hub).await,
        AnswerTarget::Item(item) => answer_item(args, item, hub).await,
    }
}

/// Has it typed where it is asked, or told to who works on the task.
async fn answer_item(args: &AnswerArgs, item: &str, hub: &HubClient) -> Result<(), Problem> {
    let Some(value) = &args.value else {
        let problem = Problem::new(Exit::Configuration, format!("what is the answer to `{item}`?"));
        return Err(problem.next(format!("callboard question answer {item} ANSWER")));
    };
    let typed = act(hub, item, "answer", Some(value)).await?;
    let done = if item.starts_with(InboxKind::InputPrompt.as_str()) { "Typed at" } else { "Answered" };
    args.output.show(&typed, || format!("{done} `{item}`: {}", tell::value(value)))
}

async fn question(args: &AnswerArgs, id: &str, hub: &HubClient) -> Result<(), Problem> {
    let id = to_change(hub, NamedKind::Question, id).await?;
    let id = id.as_str();
    let value = match (&args.value, args.default) {
        // The number of an option, as `question list -o wide` shows it; the hub knows options by their words alone.
        (Some(value), _) if value.parse::<usize>().is_ok() && !args.own_words => {
            let question = hub.get(&["api", "v1", "questions", id], &[]).await?;
            pick::numbered(&question, value)?
        }
        (Some(value), _) => value.clone(),
        (None, default) => {
            let question = hub.get(&["api", "v1", "questions", id], &[]).await?;
            still_open(&question)?;
            if default {
                the_default(&question)?
            } else {
                tell::tell(&question, Clock::system().now())?;
                pick::pick(&question)?
            }
        }
    };
    let mut body = json!({ "value": value });
    if args.own_words {
        body["ownWords"] = json!(true);
    }
    let (path, mut interrupts) = (["api", "v1", "questions", id, "answer"], signal(SignalKind::interrupt())?);
    let answered = tokio::select! {
        answered = hub.post(&path, &body) => answered?,
        _ = interrupts.recv() => return Err(Problem::hosted(INTERRUPTED)),
    };
    let taken = str_at(&answered["resolution"], "value").unwrap_or(&value);
    args.output.show(&answered, || format!("Question `{id}` is answered: {}", tell::value(taken)))
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
    Err(Problem::new(Exit::Refused, what).because(tell::resolution(question)).next("callboard question list"))
}

pub(super) fn question_id(text: &str) -> Result<String, String> {
    match asked(text)? {
        AnswerTarget::Question(id) => Ok(id),
        AnswerTarget::Item(_) => Err("it is no question, but an item of the inbox: callboard inbox list".to_owned()),
    }
}

/// Reads what is answered: a question's id, a word that can stand in a path, or an item of the inbox.
fn asked(text: &str) -> Result<AnswerTarget, String> {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '@' | '.' | ':');
    let is_word = |text: &str| !text.is_empty() && text.len() <= 128 && text.chars().all(fits);
    let of = |kind: InboxKind| text.strip_prefix(kind.as_str()).and_then(|rest| rest.strip_prefix(':'));
    let id = of(InboxKind::Question).unwrap_or(text);
    match of(InboxKind::InputPrompt) {
        Some(prompt) if is_word(prompt) => Ok(AnswerTarget::Item(text.to_owned())),
        None if is_word(id) && !id.contains([':', '@', '.']) && id.len() <= 64 => {
            Ok(AnswerTarget::Question(id.to_owned()))
        }
        None if of(InboxKind::Blocked).is_some_and(is_word) => Ok(AnswerTarget::Item(text.to_owned())),
        Some(_) | None => Err(format!(
            "`{text}` is neither a question's id nor an item that is answered: callboard question list, or callboard \
             inbox list"
        )),
    }
}

#[cfg(test)]
mod tests;
