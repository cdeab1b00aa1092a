//! A file or a folder.

use std::sync::LazyLock;

use super::super::kind::PromptKind;
use super::super::line::{last_clause, words};
use super::super::rule_id::Form;
use super::choice::numbers;
use super::listed::listed;
use super::verbs::begins_to_pick;
use super::{Guess, Strength, View, forms};
use crate::lexicon::{Lexicon, Lists};
use crate::lists::List;

static WORDS: List = List::of("path words");
static STRETCHES: List = List::of("path stretches");

static PLACING: List = List::of("path placing");

const NAMES: Lists = 1;
const PLACED: Lists = 1 << 1;

static LEXICON: LazyLock<Lexicon> = LazyLock::new(|| {
    let names = WORDS.iter().map(|word| (NAMES, *word));
    Lexicon::new(names.chain(PLACING.iter().copied().map(|word| (PLACED, word))))
});

/// `where should it be created?`, `where are your tests located?`
pub(super) fn asks_where(lower: &str) -> bool {
    let clause = lower.trim_start_matches(['?', '❯', '◆', '◇', '│', ' ']);
    clause.starts_with("where ") && words(clause).any(|word| LEXICON.lists_of(word) & PLACED != 0)
}

/// The same in languages without blanks.
static UNSPACED: List = List::of("path unspaced");

/// The line asks for something that is a file or a folder.
pub(super) fn by_words(view: View<'_>) -> Option<Guess> {
    let lower = view.line.lower.as_str();
    let body = forms::parts("default-behind", lower).map_or(lower, |found| found.part("asked"));
    let ends = lower.ends_with([':', '?', '>', '›', '…', '：', '？'])
        || lower.starts_with(['?', '◆', '❯'])
        || lower.starts_with("[?]")
        || lower.contains("? (") && lower.ends_with(')');
    if body.is_empty() || !ends {
        return None;
    }
    // What is said of the answer in brackets is not what is asked.
    let asked = body.find("? (").map_or(body, |at| &body[..=at]);
    let asked = asked.split(" ‣ ").next().unwrap_or(asked);
    let asked = asked.find("? › ").map_or(asked, |at| &asked[..=at]);
    let clause = last_clause(asked);
    let pronoun = ["what ", "where ", "which "].iter().any(|word| clause.trim_start_matches("? ").starts_with(word));
    let chooses = begins_to_pick(clause) && !listed(view).is_empty() || pronoun && listed(view).len() >= 2;
    let shown = lower.ends_with(':')
        && words(clause).count() <= 3
        && view.above().next().is_some_and(|row| forms::fits("shows-path", row));
    let named = (shown || forms::read("offers-path", lower).is_some() || names_path(clause))
        && !chooses
        && !clause.contains("url");
    if numbers(lower).is_some() {
        return None;
    }
    let confirms = super::action::asks(clause) && asked.ends_with('?') && !clause.starts_with("where");
    let strength = if lower.ends_with([':', '›']) { Strength::Likely } else { Strength::Fair };
    (named && !confirms).then(|| Guess::new(PromptKind::Path, Form::Words, strength))
}

/// Whether a text, in lower case, names a file or a folder. What stands in brackets behind a question of some words is
/// said of it, and not asked for: `Project name (target directory)`.
pub(super) fn names_path(lower: &str) -> bool {
    let asked = lower.split_once('(').map(|(asked, _)| asked.trim_end()).filter(|asked| words(asked).count() >= 2);
    let lower = asked.unwrap_or(lower);
    // `Provide a user name for the config file`
    let given = lower
        .split_once(" for ")
        .map(|(given, _)| given)
        .filter(|given| super::verbs::gives(given) && words(given).count() >= 2);
    let lower = given.unwrap_or(lower);
    // `Type your message or @path/to/file`: it may be mentioned.
    let mut asked = lower.split_whitespace().filter(|word| !word.starts_with('@')).flat_map(words);
    let named = asked.any(|word| {
        // `IdentityFile`
        let joined = word.len() > 5 && word.ends_with("file") && !word.ends_with("profile");
        joined || LEXICON.lists_of(word) & NAMES != 0
    });
    named
        || asks_where(lower)
        || lower.contains("verzeichnis")
        || !lower.is_ascii() && UNSPACED.iter().any(|words| lower.contains(words))
        || STRETCHES.iter().any(|words| lower.contains(words))
}
