//! The words, one file per language.
//!
//! `*` at the end stands for any ending, since verbs bend; at the beginning for any, since nouns are put together. A
//! *strong* word says by itself that something is destroyed or spent. A *weak* one does so only where something *dear*
//! is in the same clause: `remove the table`, not `remove the blank line`. A *final* phrase says that there is no way
//! back. *Passive* words count only after one that says that it is still to come (`will be deleted`, not `was
//! deleted`).

mod chinese;
mod dutch;
mod english;
mod french;
mod german;
mod italian;
mod portuguese;
mod russian;
mod spanish;

use super::clause::Clause;
use super::negation;

/// The words of one language.
#[derive(Debug)]
pub(super) struct Language {
    /// Its code.
    pub(super) name: &'static str,
    /// Say by themselves that something is destroyed or spent.
    pub(super) strong: &'static [&'static str],
    /// Say it of what is dear.
    pub(super) weak: &'static [&'static str],
    /// What is dear.
    pub(super) dear: &'static [&'static str],
    /// Count after one of `coming`.
    pub(super) passive: &'static [&'static str],
    /// Say that something is still to come.
    pub(super) coming: &'static [&'static str],
    /// Say that there is no way back; looked for in the whole clause.
    pub(super) last: &'static [&'static str],
    /// After or before one of these a word is only named: `the delete button`.
    pub(super) named: &'static [&'static str],
    /// No spaces between words: everything is looked for in the whole clause; the first of each pair forbids.
    pub(super) unspaced: bool,
}

/// Every language.
pub(super) const LANGUAGES: [&Language; 9] = [
    &english::WORDS,
    &german::WORDS,
    &french::WORDS,
    &spanish::WORDS,
    &portuguese::WORDS,
    &italian::WORDS,
    &dutch::WORDS,
    &russian::WORDS,
    &chinese::WORDS,
];

impl Language {
    /// The first danger in a clause.
    pub(super) fn find(&self, clause: &Clause<'_>) -> Option<String> {
        if self.unspaced {
            return chinese::find(self, clause.text);
        }
        let last = self.last.iter().find(|phrase| clause.text.contains(**phrase));
        if let Some(phrase) = last {
            return Some((*phrase).to_owned());
        }
        let dear = clause.words.iter().find(|word| any(self.dear, word));
        let mut chained = false;
        for (at, word) in clause.words.iter().enumerate() {
            let (before, after) = (&clause.words[..at], &clause.words[at + 1..]);
            let strong = any(self.strong, word) || (any(self.passive, word) && self.is_coming(before));
            let weak = any(self.weak, word) && dear.is_some();
            if !(strong || weak) || self.is_named(before, after) {
                continue;
            }
            // `do not delete or overwrite`: the negation carries over.
            let joined = chained && before.last().is_some_and(|word| JOIN.contains(word));
            let forbidden = joined
                || negation::forbids(before)
                || negation::without_to(before)
                || negation::none_of(before)
                || negation::around(before, after);
            if !forbidden {
                let what = if strong { None } else { dear };
                return Some(what.map_or_else(|| (*word).to_owned(), |what| format!("{word} … {what}")));
            }
            chained = true;
        }
        None
    }

    fn is_coming(&self, before: &[&str]) -> bool {
        before.iter().rev().take(3).any(|word| self.coming.contains(word))
    }

    fn is_named(&self, before: &[&str], after: &[&str]) -> bool {
        let neighbour = |word: Option<&&str>| word.is_some_and(|word| self.named.contains(word));
        neighbour(after.first()) || neighbour(before.last())
    }
}

/// Carry a negation from one word to the next.
const JOIN: [&str; 14] = ["or", "nor", "and", "oder", "noch", "und", "ou", "ni", "o", "y", "e", "и", "или", "of"];

fn any(list: &[&str], word: &str) -> bool {
    list.iter().any(|known| match (known.strip_prefix('*'), known.strip_suffix('*')) {
        (Some(end), _) => word.contains(end.trim_end_matches('*')),
        (None, Some(beginning)) => word.starts_with(beginning),
        (None, None) => known == &word,
    })
}
