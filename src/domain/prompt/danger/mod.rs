//! Whether the answer to a prompt may destroy something. The words are those of `domain::danger`; what is read is the
//! question, and what stands above it since the last prompt that was answered: all of that where the question says
//! nothing itself (`Proceed?`), and what is announced there (`all data will be lost`) where it does.

mod above;
mod bare;

use super::kind::PromptKind;
use super::rule::{Guess, View};
use crate::domain::danger::{self, Reading};

/// What lies on a disk that is asked about.
const LIES_THERE: [&str; 8] =
    ["file system", "filesystem", "signature", "partition table", "partition", "array", "superblock", "volume group"];
/// How that is said.
const HOLDS: [&str; 7] = [
    "contains a",
    "is entire",
    "appears to contain",
    "to be part of",
    "already contains",
    "is already in use by",
    "signature detected",
];
/// What is advised before something that may go wrong.
const ADVISED: [&str; 11] = [
    "make a backup",
    "make backups",
    "have a backup",
    "back up your",
    "backup your",
    "power source",
    "do not turn off",
    "do not power off",
    "do not unplug",
    "do not disconnect",
    "do not interrupt",
];

/// How an answer begins that lets something go.
const TAKES_IT: [&str; 6] = ["overwrite", "replace", "remove", "delete", "erase", "clear"];

/// Whether a text asks for something that destroys or cannot be taken back.
///
/// To restart a program is neither: what it served is served again. (A person who is asked whether an agent may restart
/// a server is asked for more than that.)
#[must_use]
pub fn destroys(text: &str) -> bool {
    danger::find(&text.to_lowercase().replace("restart", "")).is_some() || asks(text, Reading::Question)
}

pub(super) fn is_dangerous(view: View<'_>, guess: &Guess, question: &str) -> bool {
    if let Some(said) = guess.dangerous {
        return said;
    }
    // An operator's words count in whatever is asked; a shell's prompt asks nothing.
    if guess.kind != PromptKind::Command && view.patterns.names_danger(question) {
        return true;
    }
    let confirms = match guess.kind {
        PromptKind::YesNo | PromptKind::Choice => true,
        PromptKind::Text => guess.rule == "text.typed_confirmation",
        PromptKind::Unknown => guess.rule.starts_with("unknown.any_key"),
        // Asking for a secret, a name or a command destroys nothing by itself.
        PromptKind::Password | PromptKind::Path | PromptKind::Command => false,
    };
    if !confirms {
        return false;
    }
    let asked = without_answers(question, guess);
    if asks(&asked, Reading::Question) || takes_the_place(question, guess) {
        return true;
    }
    if !leans(question, guess) {
        return false;
    }
    let context = above::since_answered(view, guess);
    // A question that goes on from the row above says nothing without it.
    let goes_on = asked.starts_with(char::is_lowercase) && !asked.contains(": ");
    let reading = if goes_on || guess.rule == "text.typed_confirmation" || bare::is_bare(&asked) {
        Reading::Above
    } else {
        Reading::Announced
    };
    view.patterns.names_danger(&context) || asks(&context, reading) || {
        let lower = context.to_lowercase();
        let says = |list: &[&str]| list.iter().any(|words| lower.contains(words));
        let asked_above = || context.lines().any(|row| row.trim_end().ends_with('?') && asks(row, Reading::Question));
        says(&HOLDS) && says(&LIES_THERE)
            || reading == Reading::Above && lower.lines().any(is_found)
            || says(&ADVISED)
            || reading == Reading::Above && asked_above()
            || lower.contains("o)verwrite")
            || lower.contains("replace the existing")
    }
}

/// `Found ext2 filesystem`
fn is_found(row: &str) -> bool {
    row.starts_with("found ")
        && ["file system", "filesystem", "signature", "superblock"].iter().any(|what| row.contains(what))
}

fn asks(text: &str, reading: Reading) -> bool {
    danger::asked_by_program(text, reading).is_some()
}

/// What a list offers is not what is asked: `(A)dd, (D)elete, (Q)uit?`.
fn without_answers(question: &str, guess: &Guess) -> String {
    // `Type DELETE to confirm`: the word is for itself.
    if guess.rule == "text.typed_confirmation" {
        return question.replacen(" to ", ", to ", 1);
    }
    if guess.kind != PromptKind::Choice {
        return question.to_owned();
    }
    if guess.rule == "choice.slashes" || question.starts_with('[') && ends_with_group(question) {
        return String::new();
    }
    let lists = question.find(['(', '[', '{']).filter(|at| question[..*at].split_whitespace().count() >= 1);
    let begins_with_key =
        question.starts_with(['(', '[']) && question[1..].chars().nth(1).is_some_and(|c| ")]".contains(c));
    match lists {
        Some(at) if !begins_with_key => question[..at].to_owned(),
        Some(_) | None if begins_with_key => String::new(),
        Some(_) | None => question.to_owned(),
    }
}

/// Whether the group in brackets that a question begins with is all there is.
fn ends_with_group(question: &str) -> bool {
    question.rfind([']', ')']).is_some_and(|at| question[at + 1..].chars().all(|c| !c.is_alphanumeric()))
        && question.matches('[').count() == 1
}

/// Something is there already, and one of the answers puts something else in its place; or what is not chosen goes.
fn takes_the_place(question: &str, guess: &Guess) -> bool {
    let lower = question.to_lowercase();
    let replaces = ["verwrite", "(r)eplace", "[r]eplace", "clobber"].iter().any(|words| lower.contains(words));
    let keeps = ["keep which", "preserve which", "preserve files", "which to keep", "files to keep", "to be kept"]
        .iter()
        .any(|words| lower.contains(words));
    // A menu that has it among its answers.
    let there =
        || ["exists", "not empty", "conflict", "data loss", "data-loss"].iter().any(|words| lower.contains(words));
    let first = |choice: &String| choice.split_whitespace().next().unwrap_or_default().to_lowercase();
    let offers = || guess.choices.iter().any(|choice| TAKES_IT.contains(&first(choice).as_str()));
    // `Keep foo? [Ynp?]`: what is not kept goes.
    guess.kind == PromptKind::Choice && (replaces || keeps || lower.starts_with("keep ") || there() && offers())
}

/// A list to choose from says much that is not asked; a bare "Continue?" leans on what stands above it.
fn leans(question: &str, guess: &Guess) -> bool {
    // What a licence says of harm is no order.
    let terms = ["licen", "terms", "agreement"].iter().any(|word| question.to_lowercase().contains(word));
    if terms {
        return false;
    }
    let bare = guess.choices.iter().any(|choice| matches!(choice.to_lowercase().as_str(), "y" | "yes"))
        || guess.choices.iter().any(|choice| choice.to_lowercase().starts_with("yes"));
    guess.kind != PromptKind::Choice || bare || guess.rule == "choice.letters"
}
