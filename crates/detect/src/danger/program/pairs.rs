//! Verbs that do harm only together with what is named here: to make something is harmless, to make it public is not.

use std::sync::LazyLock;

use crate::lexicon::{Lexicon, Lists};
use crate::lists::{PAIRS, entries};

static VERBS: LazyLock<Lexicon> = LazyLock::new(|| lexicon("verbs"));
static THINGS: LazyLock<Lexicon> = LazyLock::new(|| lexicon("things"));

/// One half of the pairs: a pair is a bit.
fn lexicon(half: &str) -> Lexicon {
    let mut pairs: Vec<&str> = Vec::new();
    let mut words = Vec::new();
    for (section, word) in entries(PAIRS) {
        let Some((pair, list)) = section.split_once(": ") else { continue };
        if !pairs.contains(&pair) {
            pairs.push(pair);
        }
        words.extend((list == half).then_some((1 << (pairs.len() - 1), word)));
    }
    Lexicon::new(words)
}

/// To which verbs a clause has what they do harm to.
#[derive(Debug, Clone, Copy)]
pub(super) struct Things(Lists);

impl Things {
    pub(super) fn of(clause: &[&str]) -> Self {
        let next = clause.iter().skip(1).map(Some).chain([None]);
        let named = clause.iter().zip(next).filter(|(word, next)| {
            // Everybody may see the public half of a key.
            **word != "public" || !next.is_some_and(|next| next.starts_with("key"))
        });
        Self(named.fold(0, |all, (word, _)| all | THINGS.lists_of(word)))
    }

    /// Whether one of them is a machine, or guards one.
    pub(super) fn are_a_machine_or_guard(self) -> bool {
        self.are_harmed_by("restart") || self.are_harmed_by("disable")
    }

    /// Whether a verb does harm to one of them.
    pub(super) fn are_harmed_by(self, verb: &str) -> bool {
        self.0 != 0 && VERBS.lists_of(verb) & self.0 != 0
    }
}
