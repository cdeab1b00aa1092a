//! Secrets by their names, in the languages that we know.
//!
//! They stand in `words/secrets.txt`, in some ninety languages, from the translations of programs that ask for them. No
//! such list is whole: what an agent tells is kept only where the prompt is known to ask for no secret.

use std::sync::LazyLock;

use super::super::kind::PromptKind;
use super::super::line::{last_clause, words};
use super::super::rule_id::Form;
use super::{Guess, Strength, View};
use crate::lexicon::{Lexicon, Lists, Stretches};
use crate::lists::{SECRETS, entries};

/// The sections of the file that name no secret.
const PARTS: &str = "parts";
const ABOUT: &str = "about";
const HARMLESS: &str = "harmless";
const HIDDEN: &str = "hidden";

fn section(name: &'static str) -> impl Iterator<Item = &'static str> {
    entries(SECRETS).filter(move |(section, _)| *section == name).map(|(_, line)| line)
}

fn names() -> impl Iterator<Item = &'static str> {
    entries(SECRETS).filter(|(section, _)| ![PARTS, ABOUT, HARMLESS, HIDDEN].contains(section)).map(|(_, line)| line)
}

/// Whether a name is looked for anywhere in a text, and not as a word.
fn is_anywhere(name: &str) -> bool {
    name.starts_with('*') || !name.trim_end_matches('*').chars().all(char::is_alphanumeric)
}

/// The line asks for something that has the name of a secret.
pub(in crate::prompt) fn by_words(view: View<'_>) -> Option<Guess> {
    let lower = view.line.lower.as_str();
    // `Key: (repeat) `, `Passphrase (again) `.
    let noted = lower.ends_with(')') && view.line.makes_room() && lower.contains('(') && !lower.contains('?');
    // `What is your API key? (Get it here: https://…)`
    let remarked = lower.ends_with(')').then(|| lower.find("? (")).flatten();
    let remarked = remarked.filter(|at| !super::action::asks(last_clause(&lower[..=*at])));
    // `Choose a password: ***`, while it is typed.
    let unmasked = lower.trim_end_matches(['*', '•', '●']).trim_end();
    let masked = unmasked.len() < lower.len() && unmasked.ends_with([':', '?', '›']);
    let asks = lower.ends_with([':', '?', '>', '：', '›', '»', '…', '=']) || lower.ends_with("]") || noted || masked;
    let asks = asks || remarked.is_some();
    let decorated = lower.starts_with(['?', '◆', '◇']) || lower.starts_with("[?]");
    // `Password (min. 6 letters):`
    let told = lower.ends_with("):").then(|| lower.rfind('(')).flatten().filter(|at| lower[*at..].contains(". "));
    let told = told.or(remarked);
    let clause = told.map_or_else(|| last_clause(lower), |at| last_clause(&lower[..at]));
    rows! {
        asks && asks_again(view) => Password Again Likely;
        noted && UNSEEN.any_in(lower) || asks && (lower.contains("hidden)") || lower.contains("not echo)"))
            => Password Hidden Likely;
        asks && lower.starts_with('(') && view.above().next().is_some_and(|row| names_secret(&row.to_lowercase()))
            => Password Noted Fair;
        !names_secret(clause) || !(asks || decorated || view.line.makes_room()) => None;
        let short = clause.chars().count() <= 120;
        // `What is the path to your private key file?`
        clause.contains("path to ") || clause.contains("path of ") => None;
    }
    let strength = match (asks, short) {
        (true, true) => Strength::Sure,
        (false, true) if decorated => Strength::Likely,
        (true, false) => Strength::Likely,
        (false, _) => Strength::Weak,
    };
    Some(Guess::new(PromptKind::Password, Form::Words, strength))
}

/// `Enter it again:`, right below a question for a secret: the same once more.
fn asks_again(view: View<'_>) -> bool {
    let again: Vec<&str> = words(&view.line.lower).collect();
    let says =
        again.iter().any(|word| matches!(*word, "again" | "repeat" | "retype" | "re-enter" | "reenter" | "verify"));
    let small = again.len() <= 5 && again.iter().all(|word| word.len() <= 12);
    says && small && view.above().next().is_some_and(|row| row.len() <= 120 && names_secret(&row.to_lowercase()))
}

/// Whether a text, in lower case, names a secret.
pub(in crate::prompt) fn names_secret(lower: &str) -> bool {
    // `Passphrase age:`, of a program of that name: of no passphrase is its age asked.
    let spaced = || lower.contains('_') && NAMING.any_in(lower.replace('_', " "));
    if NAMING.any_in(lower) || spaced() || lower.contains("passphrase age") {
        return true;
    }
    // `TELEGRAM_BOT_TOKEN`
    let last = |word: &'_ str| {
        word.rsplit('_').next().filter(|last| last.len() < word.len()).map_or(0, |last| LEXICON.lists_of(last))
    };
    let mut found = words(lower).map(|word| LEXICON.lists_of(word) | last(word) & NAMES).peekable();
    let mut named = false;
    while let Some(lists) = found.next() {
        if lists & NAMES != 0 {
            if found.peek().is_some_and(|next| next & TELLS_ABOUT != 0) {
                return false;
            }
            named = true;
        }
    }
    named
}

/// Whether a text, in lower case, has words, and none but such as ask for no secret: `Project name:`.
pub(in crate::prompt) fn says_only_harmless(lower: &str) -> bool {
    let mut said = words(lower).filter(|word| !word.bytes().all(|b| b.is_ascii_digit())).peekable();
    said.peek().is_some() && said.all(|word| LEXICON.lists_of(word) & IS_HARMLESS != 0)
}

/// Whether it is worth looking closer at what was printed, in any case: each name of a secret has one of these in it.
/// What is not ASCII is reason enough.
pub(in crate::prompt) fn may_name_secret(bytes: &[u8]) -> bool {
    !bytes.is_ascii() || CORES.any_in(bytes)
}

const NAMES: Lists = 1;
const TELLS_ABOUT: Lists = 1 << 1;
const IS_HARMLESS: Lists = 1 << 2;

static LEXICON: LazyLock<Lexicon> = LazyLock::new(|| {
    let words = names().filter(|name| !is_anywhere(name)).map(|name| (NAMES, name));
    let about = section(ABOUT).map(|word| (TELLS_ABOUT, word));
    Lexicon::new(words.chain(about).chain(section(HARMLESS).map(|word| (IS_HARMLESS, word))))
});
static NAMING: LazyLock<Stretches> =
    LazyLock::new(|| Stretches::new(names().filter(|name| is_anywhere(name)).map(|name| name.trim_matches('*'))));
static UNSEEN: LazyLock<Stretches> = LazyLock::new(|| Stretches::new(section(HIDDEN)));
/// Every name that is ASCII has one of these in it: a part, or all of it. None is longer than [`LONGEST_CORE`].
static CORES: LazyLock<Stretches> = LazyLock::new(|| {
    let parts = Stretches::new(section(PARTS));
    let whole = names().map(|name| name.trim_matches('*')).filter(move |name| name.is_ascii() && !parts.any_in(name));
    Stretches::in_any_case(section(PARTS).chain(whole))
});
/// The most bytes of a part of a name that stands in every such name.
pub(in crate::prompt) const LONGEST_CORE: usize = 16;

#[cfg(test)]
mod tests;
