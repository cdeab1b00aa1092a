//! A file or a folder.

use super::super::kind::PromptKind;
use super::super::line::{last_clause, words};
use super::choice::listed;
use super::{Guess, Strength, View};

const WORDS: [&str; 16] = [
    "file",
    "filename",
    "path",
    "directory",
    "folder",
    "dir",
    "pathname",
    "datei",
    "verzeichnis",
    "ordner",
    "fichier",
    "dossier",
    "répertoire",
    "archivo",
    "carpeta",
    "filepath",
];
/// Words after which a file is not what is asked for.
const ABOUT: [&str; 11] = [
    "pattern",
    "patterns",
    "type",
    "types",
    "format",
    "size",
    "mode",
    "extension",
    "permissions",
    "system",
    "encoding",
];
const STRETCHES: [&str; 7] =
    ["save as", "file name", "where should", "where is your", "output to", "install to", "location of"];

/// The line asks for something that is a file or a folder.
pub(super) fn by_words(view: View<'_>) -> Option<Guess> {
    let lower = view.line.lower.as_str();
    let body = without_default(lower);
    let ends = lower.ends_with([':', '?', '>', '›', '…']) || lower.starts_with(['?', '◆']) || lower.starts_with("[?]");
    if body.is_empty() || !ends {
        return None;
    }
    // What is said of the answer in brackets is not what is asked.
    let asked = body.find("? (").map_or(body, |at| &body[..=at]);
    let clause = last_clause(asked);
    let chooses = ["select", "choose", "pick"].iter().any(|verb| clause.starts_with(verb)) && !listed(view).is_empty();
    let named = names_path(clause) && !chooses && !clause.contains("url");
    let confirms = super::action::asks(clause) && asked.ends_with('?') && !clause.starts_with("where");
    let strength = if lower.ends_with([':', '›']) { Strength::Likely } else { Strength::Fair };
    (named && !confirms).then(|| Guess::new(PromptKind::Path, "path.words", strength))
}

/// Whether a text, in lower case, names a file or a folder. What stands in brackets behind a question of some words is
/// said of it, and not asked for: `Project name (target directory)`.
pub(super) fn names_path(lower: &str) -> bool {
    let asked = lower.split_once('(').map(|(asked, _)| asked.trim_end()).filter(|asked| words(asked).count() >= 2);
    let lower = asked.unwrap_or(lower);
    let mut asked = words(lower).peekable();
    let mut named = false;
    while let Some(word) = asked.next() {
        named |= WORDS.contains(&word) && !asked.peek().is_some_and(|next| ABOUT.contains(next));
    }
    named || STRETCHES.iter().any(|words| lower.contains(words))
}

/// The line without a default in brackets at its end.
fn without_default(lower: &str) -> &str {
    let body = lower.trim_end_matches([' ', ':', '>', '›']);
    match body.chars().next_back() {
        Some(')') => body.rfind('(').map_or(lower, |at| body[..at].trim_end()),
        Some(']') => body.rfind('[').map_or(lower, |at| body[..at].trim_end()),
        Some(_) | None => lower,
    }
}
