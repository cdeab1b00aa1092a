//! The verbs with which a program tells its user to give a value, or to pick one of several.

use std::sync::LazyLock;

use super::super::line::words;
use crate::lexicon::{Lexicon, Lists};
use crate::lists::List;

static GIVE: List = List::of("verbs give");
static PICK: List = List::of("verbs pick");
/// What is picked, and the words for it that stand in no order.
static CHOICE: List = List::of("verbs choice");
static BEFORE: List = List::of("verbs before");

const GIVES: Lists = 1;
const PICKS: Lists = 1 << 1;
const CHOICES: Lists = 1 << 2;
const POLITE: Lists = 1 << 3;

static VERBS: LazyLock<Lexicon> = LazyLock::new(|| {
    let lists = [(GIVES, &GIVE), (PICKS, &PICK), (CHOICES, &CHOICE), (POLITE, &BEFORE)];
    Lexicon::new(lists.into_iter().flat_map(|(list, words)| words.iter().map(move |word| (list, *word))))
});

/// The same in languages without blanks.
static GIVE_UNSPACED: List = List::of("verbs give-unspaced");
static PICK_UNSPACED: List = List::of("verbs pick-unspaced");

/// Whether a clause, in lower case, asks for a value: `enter the name`.
pub(super) fn gives(clause: &str) -> bool {
    says(clause, GIVES)
}

/// The same, also in languages without blanks.
pub(super) fn gives_anywhere(clause: &str) -> bool {
    gives(clause) || is_unspaced(clause, &GIVE_UNSPACED)
}

/// Whether a clause, in lower case, asks for one of several, also in languages without blanks.
pub(super) fn picks(clause: &str) -> bool {
    says(clause, PICKS) || is_unspaced(clause, &PICK_UNSPACED)
}

/// Whether it speaks of choosing, anywhere: `your choice`, `make a selection`, `1 wählen`.
pub(super) fn speaks_of_choosing(lower: &str) -> bool {
    words(lower).any(|word| VERBS.lists_of(word) & (PICKS | CHOICES) != 0) || is_unspaced(lower, &PICK_UNSPACED)
}

pub(super) fn is_to_give(word: &str) -> bool {
    VERBS.lists_of(word) & GIVES != 0
}

/// Whether a title begins with a verb that lets somebody choose, or with `which`.
pub(super) fn begins_to_pick(lower: &str) -> bool {
    words(lower).next().is_some_and(|first| first == "which" || VERBS.lists_of(first) & PICKS != 0)
}

/// Whether a text tells to give, to pick or to press something, anywhere.
pub(super) fn tells_what_to_do(lower: &str) -> bool {
    words(lower).any(|word| word == "press" || VERBS.lists_of(word) & (GIVES | PICKS) != 0)
}

fn is_unspaced(text: &str, stretches: &[&str]) -> bool {
    !text.is_ascii() && stretches.iter().any(|stretch| text.contains(stretch))
}

/// Whether a clause begins with one of these verbs, or has it behind a comma.
fn says(clause: &str, verbs: Lists) -> bool {
    let is = |word: &str, list: Lists| VERBS.lists_of(word) & list != 0;
    let begins = |part: &str| {
        let mut said = words(part).skip_while(|word| is(word, POLITE));
        let verb = said.next().is_some_and(|word| is(word, verbs));
        // `enter to confirm` names the key; `Bitte Namen eingeben` has its verb at the end.
        let last = words(part).next_back().filter(|last| last.ends_with("geben") || last.ends_with("wählen"));
        verb && said.next().is_none_or(|next| next != "to") || last.is_some_and(|last| is(last, verbs))
    };
    clause.split([',', ':', '-', '!']).flat_map(|part| part.split(" and ")).any(begins)
}
