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
mod japanese;
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
    /// No spaces between words: where one that stands in the clause is named, forbidden or taken back, this says so.
    pub(super) unspaced: Option<Takes>,
}

/// Whether what stands before and behind a word takes its danger: both parts of the clause.
pub(super) type Takes = fn(before: &str, after: &str) -> bool;

/// Every language.
pub(super) const LANGUAGES: [&Language; 10] = [
    &english::WORDS,
    &german::WORDS,
    &french::WORDS,
    &spanish::WORDS,
    &portuguese::WORDS,
    &italian::WORDS,
    &dutch::WORDS,
    &russian::WORDS,
    &chinese::WORDS,
    &japanese::WORDS,
];

impl Language {
    /// The first danger in a clause.
    pub(super) fn find(&self, clause: &Clause<'_>) -> Option<String> {
        if let Some(takes) = self.unspaced {
            return self.find_unspaced(clause.text, takes);
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

    fn find_unspaced(&self, clause: &str, takes: Takes) -> Option<String> {
        if let Some(phrase) = self.last.iter().find(|phrase| clause.contains(**phrase)) {
            return Some((*phrase).to_owned());
        }
        let is_meant = |at: usize, word: &str| {
            let (before, after) = (&clause[..at], &clause[at + word.len()..]);
            !takes(before, after) && !self.named.iter().any(|what| after.starts_with(what))
        };
        let meant = |word: &&&str| clause.match_indices(**word).any(|(at, _)| is_meant(at, word));
        if let Some(word) = self.strong.iter().find(meant) {
            return Some((*word).to_owned());
        }
        let dear = self.dear.iter().find(|what| clause.contains(**what))?;
        self.weak.iter().find(meant).map(|word| format!("{word} … {dear}"))
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
