//! `callboard answer`: a person answers what an agent asks, by a word on the command line or by choosing; or what the
//! terminal of an agent waits for.
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
use super::typed::next_step;
use crate::clock::Clock;
use crate::domain::inbox::InboxKind;
use crate::tools::status_of;

/// Answer what an agent or its terminal asks; without a value, choose
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  callboard answer QUESTION                 choose with the arrow keys, or write
  callboard answer QUESTION \"use PostgreSQL\"
  callboard answer QUESTION 2               the second option
  callboard answer QUESTION --own-words \"neither of them\"
  callboard answer input_prompt:SESSION@12 yes   what the inbox shows of a terminal: typed there by its host
  callboard answer QUESTION --default --json")]
pub(super) struct AnswerArgs {
    /// The question's id, or an item of the inbox that can be answered
    #[arg(value_parser = asked)]
    question: Asked,
    /// The answer: one of the options or its number, or free words where they are allowed
    value: Option<String>,
    /// Answer with what the agent would do by itself
    #[arg(long, conflicts_with = "value")]
    default: bool,
    /// Take the answer as it stands though it is none of the options: the agent is told so
    #[arg(long, requires = "value")]
    own_words: bool,
    /// Print JSON, as `-o json` does
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    output: OutputArgs,
}

/// What is answered.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Asked {
    /// A question, by its id.
    Question(String),
    /// What a terminal waits for, as the item of the inbox.
    Prompt(String),
}

/// Answers it.
pub(super) async fn run(args: &AnswerArgs, hub: &HubClient) -> Result<(), Problem> {
    match &args.question {
        Asked::Question(id) => question(args, id, hub).await,
        Asked::Prompt(item) => prompt(args, item, hub).await,
    }
}

/// Has it typed where it is asked.
async fn prompt(args: &AnswerArgs, item: &str, hub: &HubClient) -> Result<(), Problem> {
    let Some(value) = &args.value else {
        let problem = Problem::new(Exit::Configuration, format!("what is to be typed at `{item}`?"));
        return Err(problem.next(format!("callboard answer {item} ANSWER")));
    };
    let action = json!({ "item": item, "action": "answer", "value": value });
    let answered = hub.post(&["api", "v1", "inbox", "actions"], &json!({ "actions": [action] })).await?;
    let outcome = &answered["results"][0];
    if outcome["ok"] != true {
        return Err(unanswered(item, outcome));
    }
    if args.json || args.output.is_json() {
        return say_json(outcome);
    }
    say(&format!("Typed at `{item}`: {}", show::value(value)))
}

/// What the hub advises there (`details.prompt`) is for an agent, which has tools and no commands.
fn unanswered(item: &str, outcome: &Value) -> Problem {
    let code = str_at(outcome, "code").unwrap_or_default();
    // The hub may not know whether it was typed, and says so then.
    let (exit, next) = match code {
        "UNAVAILABLE" => {
            (Exit::Failed, "callboard tail SESSION: it may have been typed, so look before you answer again")
        }
        code => (Exit::Refused, next_step(status_of(code), code).unwrap_or("callboard inbox")),
    };
    Problem::new(exit, format!("`{item}` was not answered")).because(text(outcome, "error")).next(next)
}

async fn question(args: &AnswerArgs, id: &str, hub: &HubClient) -> Result<(), Problem> {
    let value = match (&args.value, args.default) {
        // The number of an option, as `questions -o wide` shows it; the hub knows options by their words alone.
        (Some(value), _) if value.parse::<usize>().is_ok() && !args.own_words => {
            let question = hub.get(&["api", "v1", "questions", id], &[]).await?;
            pick::numbered(&question, value)?
        }
        (Some(value), _) => value.clone(),
        (None, default) => {
            let question = hub.get(&["api", "v1", "questions", id], &[]).await?;
            still_open(&question)?;
            if default { the_default(&question)? } else { chosen(&question)? }
        }
    };
    let mut body = json!({ "value": value });
    if args.own_words {
        body["ownWords"] = json!(true);
    }
    let answered = hub.post(&["api", "v1", "questions", id, "answer"], &body).await?;
    if args.json || args.output.is_json() {
        return say_json(&answered);
    }
    let taken = str_at(&answered["resolution"], "value").unwrap_or(&value);
    say(&format!("Question `{id}` is answered: {}", show::value(taken)))
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

/// Reads what is answered: a question's id, a word that can stand in a path, or an item of the inbox.
fn asked(text: &str) -> Result<Asked, String> {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '@' | '.' | ':');
    let is_word = |text: &str| !text.is_empty() && text.len() <= 128 && text.chars().all(fits);
    let of = |kind: InboxKind| text.strip_prefix(kind.as_str()).and_then(|rest| rest.strip_prefix(':'));
    let id = of(InboxKind::Question).unwrap_or(text);
    match of(InboxKind::InputPrompt) {
        Some(prompt) if is_word(prompt) => Ok(Asked::Prompt(text.to_owned())),
        None if is_word(id) && !id.contains([':', '@', '.']) && id.len() <= 64 => Ok(Asked::Question(id.to_owned())),
        None if of(InboxKind::Blocked).is_some_and(is_word) => {
            let task = of(InboxKind::Blocked).unwrap_or_default();
            Err(format!("`{text}` is a task that is blocked, and no question: callboard task answer {task} ANSWER"))
        }
        Some(_) | None => Err(format!(
            "`{text}` is neither a question's id nor an item that is answered: callboard questions, callboard inbox"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_could_not_answer_is_told_what_to_type_and_of_no_tool() {
        let outcome = |code: &str| {
            json!({ "ok": false, "code": code, "error": "it is not there",
            "details": { "prompt": "Look with detect_input_prompt." } })
        };
        for (code, exit, next) in [
            ("NO_INPUT_PROMPT", Exit::Refused, "callboard inbox"),
            ("TERMINAL_NOT_HOSTED", Exit::Refused, "callboard run --inject"),
            ("UNAVAILABLE", Exit::Failed, "look before you answer again"),
            ("NEW_CODE", Exit::Refused, "callboard inbox"),
        ] {
            let problem = unanswered("input_prompt:s_0001@12", &outcome(code));
            let words = problem.words();
            assert_eq!(problem.exit(), exit);
            assert!(words.contains("it is not there") && !words.contains("detect_input_prompt"), "{words}");
            assert!(words.split_once("next: ").is_some_and(|(_, said)| said.contains(next)), "{words}");
        }
    }

    #[test]
    fn what_is_answered_is_a_question_or_an_item_of_the_inbox() {
        let question = |id: &str| Ok(Asked::Question(id.to_owned()));
        assert_eq!(asked("q_0001"), question("q_0001"));
        assert_eq!(asked("question:q_0001"), question("q_0001"));
        let item = "input_prompt:s_0001@12";
        assert_eq!(asked(item), Ok(Asked::Prompt(item.to_owned())));
        let blocked = asked("blocked:t_0001").expect_err("it is a task");
        assert!(blocked.contains("callboard task answer t_0001 ANSWER"), "{blocked}");
        for odd in ["blocked:", "blocked:a/b"] {
            assert!(asked(odd).is_err_and(|said| !said.contains("task answer")), "{odd}");
        }
        for odd in ["", "a/b", "review:t_1", "question:", "input_prompt:", "input_prompt:a/b", "q@1"] {
            assert!(asked(odd).is_err(), "{odd}");
        }
    }
}
