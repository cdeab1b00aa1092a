//! To remove and to replace, in other languages: people say it of a blank line, programs of what then is gone.

use super::super::clause::Clause;
use super::super::{Finding, negation};
use crate::lists::List;

/// How such a verb begins, whatever its ending.
static STEMS: List = List::of("elsewhere stems");

/// The first such verb of a clause that is not forbidden.
pub(super) fn removes(clause: &Clause<'_>) -> Option<Finding> {
    // `0 zu entfernen`
    let none = |at: usize| clause.words[..at].iter().rev().take(2).any(|word| *word == "0");
    let meant = |at: usize| !none(at) && !negation::forbids(&clause.words[..at]);
    let verb = |word: &str| STEMS.iter().any(|stem| word.starts_with(stem));
    let found = clause.words.iter().enumerate().find(|(at, word)| verb(word) && meant(*at));
    found.map(|(_, word)| Finding { words: (*word).to_owned(), language: "program" })
}
