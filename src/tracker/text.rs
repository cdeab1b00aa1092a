//! What stands in a comment outside, as Markdown in which an agent's words call nobody and mark nothing.

use sha2::{Digest as _, Sha256};

use crate::domain::hook::OWN_MARK;
use crate::domain::outbox::Delivery;
use crate::domain::session::question::{Question, QuestionState, ResolutionType};
use crate::domain::task::{Artifact, KeptText};
use crate::domain::text::cut;

/// The bytes of a mark's digest that are written.
const MARK_BYTES: usize = 12;

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
    format!("{OWN_MARK}{hex} -->")
}

/// A comment of an agent.
pub(super) fn posted(agent: &str, text: &str, mark: &str) -> String {
    format!("**{}**:\n\n{}\n\n{mark}\n", quiet(agent), cut(&quiet(text), LONGEST))
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
    let spec = &question.spec;
    let mut body = format!("**{}** asks:\n\n{}\n", quiet(spec.agent_id.as_str()), quoted(&spec.question));
    if !spec.options.is_empty() {
        body.push('\n');
        spec.options.iter().for_each(|option| body.push_str(&format!("- {}\n", one_line(option))));
    }
    let default = one_line(&spec.default_action);
    let below = match &question.state {
        QuestionState::Open { .. } if spec.danger.is_some() => {
            "Answer with a comment. It waits until somebody does.".to_owned()
        }
        QuestionState::Open { .. } => {
            let until = spec.expires_at;
            format!("Answer with a comment. Without an answer “{default}” applies at {until}.")
        }
        QuestionState::Resolved { resolution, .. } => {
            let (who, value) = (quiet(&resolution.by.display_name), one_line(&resolution.value));
            match resolution.kind {
                ResolutionType::Human => format!("**Answered** by {who}: {value}"),
                ResolutionType::Timeout => format!("**Nobody answered in time**: “{value}” applies."),
                ResolutionType::Cancelled => "**Withdrawn**: no answer is needed any more.".to_owned(),
                ResolutionType::Superseded => "**Over**: the work went on without an answer.".to_owned(),
            }
        }
    };
    body.push_str(&format!("\n{below}\n\n{mark}\n"));
    body
}

fn quoted(text: &str) -> String {
    let lines: Vec<String> = quiet(text).lines().map(|line| format!("> {line}")).collect();
    lines.join("\n")
}

fn one_line(text: &str) -> String {
    quiet(text).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A text that calls nobody by `@` and holds no mark.
fn quiet(text: &str) -> String {
    text.replace('@', "@\u{200b}").replace("<!--", "&lt;!--")
}
