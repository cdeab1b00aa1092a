//! What stands in a comment outside, as Markdown in which an agent's words call nobody and mark nothing.

use sha2::{Digest as _, Sha256};

use crate::domain::hook::ReplyReason;
use crate::domain::outbox::Delivery;
use crate::domain::session::question::{Question, QuestionSpec, QuestionState, ResolutionType};
use crate::domain::task::{Artifact, KeptText};
use crate::domain::text::{cut, for_forge, quoted, shorten};

/// What a mark begins with. Markdown does not show it.
const MARK: &str = "<!-- callboard:";

/// The bytes of a mark's digest that are written.
const MARK_BYTES: usize = 12;

/// How much of an answer is repeated, in characters.
const ANSWER: usize = 2_000;
/// The longest name of an author that is repeated, in characters.
const AUTHOR: usize = 200;

/// How much of what an agent posts stands outside, in bytes. GitHub takes 65,536 characters in all.
const LONGEST: usize = 60_000;

/// The mark of a question's one comment.
pub(super) fn question_mark(question: &Question) -> String {
    mark(&format!("question {}", question.spec.id))
}

/// The mark of a comment that is posted once.
pub(super) fn comment_mark(delivery: &Delivery) -> String {
    mark(&format!("comment {} {}", delivery.id, delivery.body))
}

fn mark(of: &str) -> String {
    let digest = Sha256::digest(of);
    let hex: String = digest.iter().take(MARK_BYTES).map(|byte| format!("{byte:02x}")).collect();
    format!("{MARK}{hex} -->")
}

pub(super) fn posted(agent: &str, text: &str, mark: &str) -> String {
    format!("**{}**:\n\n{}\n\n{mark}\n", for_forge(agent), cut(&for_forge(text), LONGEST))
}

/// What is said once a task is done: the summary, or the beginning of a long one, and where to look.
pub(super) fn closing(message: &KeptText, artifacts: &[Artifact]) -> String {
    let links = artifacts.iter().filter_map(|artifact| artifact.url.as_deref());
    let links: String = links.map(|url| format!("\n- {url}")).collect();
    let gap = if links.is_empty() { "" } else { "\n" };
    format!("Done. {}{gap}{links}", message.head())
}

/// A question as it stands now.
pub(super) fn asked(question: &Question, mark: &str) -> String {
    let below = match &question.state {
        QuestionState::Open { .. } => how_to_answer(&question.spec),
        QuestionState::Resolved { resolution, .. } => {
            let who = for_forge(&resolution.by.display_name);
            let value = shorten(&one_line(&resolution.value), ANSWER);
            match resolution.kind {
                ResolutionType::Human => format!("**Answered** by {who}: {value}"),
                ResolutionType::Timeout => format!("**Nobody answered in time**: “{value}” applies."),
                ResolutionType::Cancelled => "**Withdrawn**: no answer is needed any more.".to_owned(),
                ResolutionType::Superseded => "**Over**: the work went on without an answer.".to_owned(),
            }
        }
    };
    with_question(&question.spec, &below, mark)
}

pub(super) fn first_asked(spec: &QuestionSpec, mark: &str) -> String {
    with_question(spec, &how_to_answer(spec), mark)
}

fn how_to_answer(spec: &QuestionSpec) -> String {
    let how = if spec.options.is_empty() { "" } else { ": the name or the number of an option" };
    if spec.danger.is_some() {
        return format!("Answer with a comment{how}. It waits until somebody does.");
    }
    let (default, until) = (one_line(&spec.default_action), spec.expires_at);
    format!("Answer with a comment{how}. Without an answer “{default}” applies at {until}.")
}

fn with_question(spec: &QuestionSpec, below: &str, mark: &str) -> String {
    let question: Vec<String> = for_forge(&spec.question).lines().map(|line| format!("> {line}")).collect();
    let (agent, question) = (for_forge(spec.agent_id.as_str()), question.join("\n"));
    format!("**{agent}** asks:\n\n{question}\n{}\n{below}\n\n{mark}\n", numbered(&spec.options))
}

/// The options, each with the number by which it may be called.
fn numbered(options: &[String]) -> String {
    let lines = (1..).zip(options).map(|(number, option): (u32, _)| format!("{number}. {}\n", one_line(option)));
    let lines: String = lines.collect();
    if lines.is_empty() { lines } else { format!("\n{lines}") }
}

/// What the author of a comment is told that answered nothing; none where that is not so any more.
pub(super) fn replied(question: &Question, author: &str, reason: ReplyReason, mark: &str) -> Option<String> {
    let author = quoted(author, AUTHOR);
    let text = match (reason, question.resolution()) {
        (ReplyReason::NotAnOption, Some(_)) | (ReplyReason::TooLate, None) => return None,
        (ReplyReason::NotAnOption, None) => {
            let options = numbered(&question.spec.options);
            format!("{author}, that is none of the options, and the question is still open. They are:\n{options}")
        }
        (ReplyReason::TooLate, Some(first)) => {
            let first = shorten(&one_line(&for_forge(&first.to_string())), ANSWER);
            format!("{author}, this came too late: {first}.\n")
        }
    };
    Some(format!("**callboard**: {text}\n{mark}\n"))
}

fn one_line(text: &str) -> String {
    for_forge(text).split_whitespace().collect::<Vec<_>>().join(" ")
}
