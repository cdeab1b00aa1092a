//! The words of people, by language: `words/people.txt`.
//!
//! `*` at the end stands for any ending, since verbs bend. A *strong* word says by itself that something is destroyed
//! or spent. A *weak* one does so only where something *dear* is in the same clause: `remove the table`, not `remove
//! the blank line`. A *final* phrase says that there is no way back. *Passive* words count only after one that says
//! that it is still to come (`will be deleted`, not `was deleted`).

mod chinese;
mod japanese;
mod korean;

use std::cell::LazyCell;
use std::sync::LazyLock;

use super::clause::Clause;
use super::{Finding, negation};
use crate::lexicon::{Lexicon, Lists, Stretches};
use crate::lists::{List, PEOPLE, entries};

/// The words of one language; what each list means stands at the top of the file.
#[derive(Debug, Default)]
pub(super) struct Language {
    name: &'static str,
    strong: Vec<&'static str>,
    weak: Vec<&'static str>,
    choosing: Vec<&'static str>,
    dear: Vec<&'static str>,
    within: Vec<&'static str>,
    passive: Vec<&'static str>,
    coming: Vec<&'static str>,
    last: Vec<&'static str>,
    named: Vec<&'static str>,
    /// No spaces between words: where one that stands in the clause is named, forbidden or taken back, this says so.
    unspaced: Option<Takes>,
}

/// Whether what stands before and behind a word takes its danger: both parts of the clause.
pub(super) type Takes = fn(before: &str, after: &str) -> bool;

/// Every language, in the order of the file.
static LANGUAGES: LazyLock<Vec<Language>> = LazyLock::new(|| {
    let mut languages: Vec<Language> = Vec::new();
    for (section, word) in entries(PEOPLE) {
        let Some((name, list)) = section.split_once(' ') else { continue };
        if languages.last().is_none_or(|language| language.name != name) {
            let unspaced: Option<Takes> = match name {
                "zh" => Some(chinese::takes),
                "ja" => Some(japanese::takes),
                "ko" => Some(korean::takes),
                _ => None,
            };
            languages.push(Language { name, unspaced, ..Language::default() });
        }
        if let Some(words) = languages.last_mut().and_then(|language| language.list(list)) {
            words.push(word);
        }
    }
    languages
});

/// In the lexicon each language has four lists: the lowest bits are the first language's.
const LISTS: usize = 4;
const STRONG: Lists = 1;
const WEAK: Lists = 1 << 1;
const DEAR: Lists = 1 << 2;
const PASSIVE: Lists = 1 << 3;

static WORDS: LazyLock<Lexicon> = LazyLock::new(|| {
    let spaced = LANGUAGES.iter().enumerate().filter(|(_, language)| language.unspaced.is_none());
    Lexicon::new(spaced.flat_map(|(at, language)| {
        let lists = [
            (STRONG, &language.strong),
            (WEAK, &language.weak),
            (WEAK, &language.choosing),
            (DEAR, &language.dear),
            (PASSIVE, &language.passive),
        ];
        lists.into_iter().flat_map(move |(list, words)| words.iter().map(move |word| (list << (at * LISTS), *word)))
    }))
});

/// What says in any of these languages that there is no way back.
static LAST: LazyLock<Stretches> = LazyLock::new(|| {
    let spaced = LANGUAGES.iter().filter(|language| language.unspaced.is_none());
    Stretches::new(spaced.flat_map(|language| language.last.iter().copied()))
});

/// The first danger in a clause, in the first of the languages asked for that knows one.
pub(super) fn in_languages(clause: &Clause<'_>, asked: impl Fn(&str) -> bool) -> Option<Finding> {
    let last = LAST.any_in(clause.text);
    let known: Vec<Lists> = clause.words.iter().map(|word| WORDS.lists_of(word)).collect();
    let asked = LANGUAGES.iter().enumerate().filter(|(_, language)| asked(language.name));
    asked.map(|(at, language)| (at * LISTS, language)).find_map(|(shift, language)| {
        let words = match language.unspaced {
            Some(takes) if has_unspaced(clause.text) => language.find_unspaced(clause.text, takes),
            Some(_) => None,
            None => {
                let phrase = if last { language.find_last(clause.text) } else { None };
                phrase.or_else(|| language.find(clause, |at| known.get(at).map_or(0, |lists| lists >> shift)))
            }
        };
        Some(Finding { words: words?, language: language.name })
    })
}

/// Whether a text may have words of a language without spaces: of the letters from U+3000 on, by their first byte.
fn has_unspaced(text: &str) -> bool {
    text.bytes().any(|byte| byte >= 0xe3)
}

impl Language {
    fn list(&mut self, name: &str) -> Option<&mut Vec<&'static str>> {
        Some(match name {
            "strong" => &mut self.strong,
            "weak" => &mut self.weak,
            "choosing" => &mut self.choosing,
            "dear" => &mut self.dear,
            "within" => &mut self.within,
            "passive" => &mut self.passive,
            "coming" => &mut self.coming,
            "last" => &mut self.last,
            "named" => &mut self.named,
            _ => return None,
        })
    }

    /// The first danger in a clause, of whose words `lists` tells the lists of this language.
    fn find(&self, clause: &Clause<'_>, lists: impl Fn(usize) -> Lists) -> Option<String> {
        let dear_from = |from| {
            let mut words = clause.words.iter().enumerate().skip(from);
            words.find(|(at, word)| lists(*at) & DEAR != 0 || self.holds_dear(word)).map(|(_, word)| word)
        };
        let dear = LazyCell::new(|| dear_from(0));
        let mut chained = false;
        for (at, word) in clause.words.iter().enumerate() {
            let (before, after) = (&clause.words[..at], &clause.words[at + 1..]);
            let lists = lists(at);
            let strong = lists & STRONG != 0 || (lists & PASSIVE != 0 && self.is_coming(before));
            let dear = match strong || lists & WEAK == 0 {
                true => None,
                false if self.choosing.contains(word) => dear_from(at + 1),
                false => *dear,
            };
            if !strong && dear.is_none() || self.is_named(before, after) {
                continue;
            }
            // `do not delete or overwrite`: the negation carries over.
            let joined = chained && before.last().is_some_and(|word| JOIN.contains(word));
            let forbidden = joined
                || negation::forbids(before)
                || negation::without_to(before)
                || negation::none_of(before)
                || negation::around(before, after)
                || self.name != "en" && negation::is_counted_to_nought(after);
            if !forbidden {
                return Some(dear.map_or_else(|| (*word).to_owned(), |what| format!("{word} … {what}")));
            }
            chained = true;
        }
        None
    }

    /// The first phrase of a clause that says that there is no way back.
    fn find_last(&self, clause: &str) -> Option<String> {
        self.last.iter().find(|phrase| clause.contains(**phrase)).map(|phrase| (*phrase).to_owned())
    }

    fn find_unspaced(&self, clause: &str, takes: Takes) -> Option<String> {
        if let Some(phrase) = self.find_last(clause) {
            return Some(phrase);
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

    /// Whether a word has something dear in its middle, as put together nouns have.
    fn holds_dear(&self, word: &str) -> bool {
        self.within.iter().any(|part| word.contains(part))
    }

    fn is_coming(&self, before: &[&str]) -> bool {
        before.iter().rev().take(3).any(|word| self.coming.contains(word))
    }

    fn is_named(&self, before: &[&str], after: &[&str]) -> bool {
        let neighbour = |word: Option<&&str>| word.is_some_and(|word| self.named.contains(word));
        neighbour(after.first()) || neighbour(before.last())
    }
}

static JOIN: List = List::of("people join");

#[cfg(test)]
mod tests;
