//! The words with which one is asked to confirm.

use std::sync::LazyLock;

use super::super::line::words;
use crate::lexicon::{Lexicon, Lists};
use crate::lists::List;

/// How a question begins that yes or no answers.
static OPENINGS: List = List::of("action openings");
/// Verbs that make a question one of yes or no wherever they stand, as in `rm: remove regular file 'a'?`.
static VERBS: List = List::of("action verbs");
/// Orders that make a question one of yes or no where they begin it and say what is to be done: `Show instructions?`.
static ORDERS: List = List::of("action orders");
/// Behind these something is missing: `Move to?`.
static MISSING: List = List::of("action missing");
/// How a question begins that yes or no does not answer.
static OPEN_QUESTIONS: List = List::of("action open-questions");

/// The same of other languages: wherever they stand, their questions ask for yes or no.
static ELSEWHERE: List = List::of("action elsewhere");

/// Whether a clause, in lower case, asks for yes or no.
pub(super) fn asks(lower: &str) -> bool {
    // `/usr/bin/bashbug: do you want to give up`: who asks, and what.
    let asker = lower.split_once(": ").filter(|(name, _)| !name.contains(' '));
    let lower = asker.map_or(lower, |(_, asked)| asked);
    let mut first = words(lower).peekable();
    if is_open(lower) {
        return false;
    }
    first.peek().is_some_and(|word| OPENINGS.contains(word))
        || words(lower).any(|word| VERBS.contains(&word))
        || orders(lower)
        || !lower.is_ascii() && foreign(lower)
        || words(lower).next_back().is_some_and(foreign)
}

fn orders(lower: &str) -> bool {
    let mut said = words(lower);
    let first = said.next().is_some_and(|first| LEXICON.lists_of(first) & ORDER != 0);
    first && said.next_back().is_some_and(|last| !MISSING.contains(&last))
}

/// Whether a clause asks for one of several that it names.
pub(super) fn picks(lower: &str) -> bool {
    words(lower).any(|word| matches!(word, "which" | "pick" | "either"))
}

fn foreign(lower: &str) -> bool {
    words(lower).any(|word| LEXICON.lists_of(word) & FOREIGN != 0)
}

const ORDER: Lists = 1;
const FOREIGN: Lists = 1 << 1;

static LEXICON: LazyLock<Lexicon> = LazyLock::new(|| {
    let orders = ORDERS.iter().copied().map(|word| (ORDER, word));
    Lexicon::new(orders.chain(ELSEWHERE.iter().copied().map(|word| (FOREIGN, word))))
});

/// Whether a clause, in lower case, asks for something that is not yes or no.
pub(super) fn is_open(lower: &str) -> bool {
    words(lower).take(2).any(|word| OPEN_QUESTIONS.contains(&word))
}
