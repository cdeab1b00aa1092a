//! Whether the answer to a prompt may destroy something. The words are those of `domain::danger`; what is read is
//! the question, and what stands above it since the last prompt that was answered.

use super::kind::PromptKind;
use super::line::{last_bytes, words};
use super::rule::{Guess, View};
use crate::domain::danger;

/// How many rows above a question belong to it.
const CONTEXT: usize = 14;

/// Verbs that destroy when a program asks whether it may: `rm: remove 'a'?`.
const IMPERATIVES: [&str; 22] = [
    "remove",
    "delete",
    "overwrite",
    "replace",
    "erase",
    "discard",
    "revert",
    "unlink",
    "kill",
    "terminate",
    "drop",
    "purge",
    "wipe",
    "destroy",
    "format",
    "reset",
    "flush",
    "descend",
    "truncate",
    "uninstall",
    "rm",
    "shred",
];
/// How the same is asked politely.
const POLITE: [&str; 9] = [
    "confirm ",
    "shall i ",
    "should i ",
    "do you want to ",
    "do you really want to ",
    "are you sure you want to ",
    "would you like to ",
    "really ",
    "ok to ",
];
/// What programs print above a bare "Proceed?".
const ABOVE: [&str; 6] =
    ["would remove", "will be removed", "partition table", "contains a ", "replace the existing", "o)verwrite"];

/// Whether a text asks for something that destroys or cannot be taken back.
///
/// To restart a program is neither: what it served is served again. (A person who is asked whether an agent may restart
/// a server is asked for more than that.)
#[must_use]
pub fn destroys(text: &str) -> bool {
    danger::find(&text.to_lowercase().replace("restart", "")).is_some()
}

pub(super) fn is_dangerous(view: View<'_>, guess: &Guess, question: &str) -> bool {
    if let Some(said) = guess.dangerous {
        return said;
    }
    match guess.kind {
        PromptKind::YesNo | PromptKind::Choice => {}
        PromptKind::Text if guess.rule == "text.typed_confirmation" => {}
        // Asking for a secret, a name or a command destroys nothing by itself.
        PromptKind::Password | PromptKind::Path | PromptKind::Text | PromptKind::Command | PromptKind::Unknown => {
            return false;
        }
    }
    if view.patterns.destroys(question) || orders(question) {
        return true;
    }
    // A list to choose from says much that is not asked; a bare "Continue?" leans on what stands above it.
    let bare = guess.choices.iter().any(|choice| choice.to_lowercase().starts_with("yes"));
    let leans = guess.kind == PromptKind::YesNo
        || guess.rule == "text.typed_confirmation"
        || bare
        || guess.rule == "choice.letters";
    if !leans {
        return false;
    }
    let context = context(view, guess);
    view.patterns.destroys(&context) || {
        let lower = format!("{} {}", context.to_lowercase(), question.to_lowercase());
        ABOVE.iter().any(|words| lower.contains(words))
    }
}

/// Whether the question begins with an order to destroy, behind the name of the program that asks.
fn orders(question: &str) -> bool {
    let lower = question.to_lowercase();
    let body = match lower.split_once(": ") {
        Some((program, rest)) if program.split_whitespace().count() == 1 => rest,
        Some(_) | None => &lower,
    };
    let body = body.trim_start_matches(['<', ' ']);
    let body = POLITE.iter().find_map(|words| body.strip_prefix(words)).unwrap_or(body);
    let first = words(body).next().is_some_and(|word| IMPERATIVES.contains(&word));
    // An editor's own replacement can be undone.
    first && !body.starts_with("replace with ")
}

/// The rows above the question, to the last one that looks answered.
fn context(view: View<'_>, guess: &Guess) -> String {
    let mut rows: Vec<&str> = Vec::new();
    if guess.is_menu {
        return String::new();
    }
    for row in view.above().take(CONTEXT) {
        if is_answered(row) {
            break;
        }
        rows.push(last_bytes(row, 512).trim());
    }
    rows.reverse();
    rows.join("\n")
}

/// A prompt with an answer behind it, or a shell's prompt with a command.
fn is_answered(row: &str) -> bool {
    let row = row.trim();
    let lower = row.to_lowercase();
    let answer = lower.rsplit([' ', ':', '?']).next().unwrap_or_default();
    let short = matches!(answer, "y" | "n" | "yes" | "no");
    let asked = row.contains(['?', ':']) && (lower.contains('[') || lower.contains('(') || lower.contains('?'));
    let shell = ["$ ", "> ", "(gdb) ", "(parted) ", ">>> ", "% ", "# "].iter().any(|sign| row.starts_with(sign));
    short && asked || shell
}
