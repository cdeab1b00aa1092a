//! Word lists, read from text files: which lists of a language a word or a phrase is in.

use std::collections::{BTreeMap, BTreeSet};

use crate::lexicon::{Lexicon, Lists};
use crate::lists::raw_entries;

const LONGEST: usize = 4;

#[derive(Debug)]
pub(super) struct Language {
    pub(super) name: &'static str,
    words: Lexicon,
    phrases: BTreeSet<&'static str>,
    /// The words as they stand, by the number of their list: for languages that put no blanks between words.
    pub(super) raw: BTreeMap<usize, Vec<&'static str>>,
}

/// The languages of a file with sections `[LANGUAGE LIST]`. Each language gets the words of `any`, too. `names` are the
/// lists that there may be; a list's bit is its place among them. A list of another name counts nowhere.
pub(super) fn languages(file: &'static str, names: &[&str]) -> Vec<Language> {
    let mut lists: BTreeMap<&str, Vec<(usize, &'static str)>> = BTreeMap::new();
    for (section, word) in raw_entries(file) {
        let (language, list) = section.split_once(' ').unwrap_or((section, ""));
        if let Some(at) = names.iter().position(|name| *name == list) {
            lists.entry(language).or_default().push((at, word));
        }
    }
    let alone = lists.len() == 1;
    let any = if alone { Vec::new() } else { lists.remove("any").unwrap_or_default() };
    let all = lists.into_iter().map(|(name, own)| {
        let words: Vec<_> = own.into_iter().chain(any.iter().copied()).collect();
        let mut raw: BTreeMap<usize, Vec<&'static str>> = BTreeMap::new();
        for (at, word) in &words {
            raw.entry(*at).or_default().push(word);
        }
        Language {
            name,
            phrases: words.iter().map(|(_, word)| *word).filter(|word| word.contains('_')).collect(),
            words: Lexicon::new(words.into_iter().map(|(at, word)| (1 << at, word))),
            raw,
        }
    });
    all.collect()
}

impl Language {
    pub(super) fn lists_of(&self, word: &str) -> Lists {
        self.words.lists_of(word)
    }

    /// How many of these words, from the first on, are one phrase; and the phrase.
    pub(super) fn phrase(&self, words: &[&str]) -> Option<(usize, String)> {
        let longest = words.len().min(LONGEST);
        let joined = (2..=longest).rev().map(|length| (length, words[..length].join("_")));
        joined.into_iter().find(|(_, phrase)| self.phrases.contains(phrase.as_str()))
    }
}
