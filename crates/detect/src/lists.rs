//! The lists of words: text files with sections, read by this one reader.
//!
//! `[SECTION]` opens a sorted list; blanks separate entries, `_` is a blank within one, `#` begins a remark.

use std::collections::BTreeMap;
use std::ops::Deref;
use std::sync::{LazyLock, OnceLock};

use crate::ablation::is_left_out;

/// A bit for each list of a file, by its place among `NAMES`.
macro_rules! list_bits {
    (@ $bit:expr;) => {};
    (@ $bit:expr; $(#[$doc:meta])* $list:ident = $name:literal, $($rest:tt)*) => {
        $(#[$doc])*
        pub(super) const $list: Lists = 1 << ($bit);
        list_bits!(@ $bit + 1; $($rest)*);
    };
    ($($(#[$doc:meta])* $list:ident = $name:literal,)+) => {
        pub(super) const NAMES: [&str; [$($name),+].len()] = [$($name),+];
        list_bits!(@ 0; $($(#[$doc])* $list = $name,)+);
    };
}

pub(crate) use list_bits;

const DANGER: &str = include_str!("../words/danger.txt");
/// Words that single rules about prompts look for.
const PROMPT: &str = include_str!("../words/prompt.txt");
pub(crate) const SECRETS: &str = include_str!("../words/secrets.txt");
/// Words of danger, as people write them: `LANGUAGE LIST`.
pub(crate) const PEOPLE: &str = include_str!("../words/people.txt");
/// Words of danger, as programs print them.
pub(crate) const PROGRAMS: &str = include_str!("../words/programs.txt");
/// Verbs and what they do harm to: `PAIR: verbs` and `PAIR: things`.
pub(crate) const PAIRS: &str = include_str!("../words/pairs.txt");
pub(crate) const HARMLESS: &str = include_str!("../words/harmless.txt");
pub(crate) const NOT_ACTING: &str = include_str!("../words/not-acting.txt");

/// Every list of the two files of single lists, by its section.
static LISTS: LazyLock<BTreeMap<&'static str, Vec<&'static str>>> = LazyLock::new(|| {
    let mut lists: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    [DANGER, PROMPT]
        .into_iter()
        .flat_map(entries)
        .for_each(|(section, word)| lists.entry(section).or_default().push(word));
    lists
});

/// One list of `danger.txt` or `prompt.txt`, read when it is first asked for.
#[derive(Debug)]
pub(crate) struct List {
    section: &'static str,
    words: OnceLock<&'static [&'static str]>,
}

impl List {
    pub(crate) const fn of(section: &'static str) -> Self {
        Self { section, words: OnceLock::new() }
    }
}

impl Deref for List {
    type Target = [&'static str];

    fn deref(&self) -> &Self::Target {
        self.words.get_or_init(|| LISTS.get(self.section).map_or(&[], Vec::as_slice))
    }
}

/// Each entry of a file with its section, blanks as blanks.
pub(crate) fn entries(file: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    raw_entries(file).map(|(section, entry)| (section, spelled(entry)))
}

/// Each entry of a file with its section, as it stands there.
pub(crate) fn raw_entries(file: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    let mut section = "";
    let entries = file.lines().filter(|line| !line.starts_with('#')).flat_map(move |line| {
        let opened = section_of(line);
        section = opened.unwrap_or(section);
        let words = if opened.is_some() { "" } else { line };
        words.split_ascii_whitespace().map(move |word| (section, word))
    });
    entries.filter(|(section, word)| !is_left_out(*section) && !is_left_out(format_args!("{section}/{word}")))
}

fn section_of(line: &'static str) -> Option<&'static str> {
    line.strip_prefix('[')?.strip_suffix(']').filter(|section| !section.contains(['[', ']']))
}

/// An entry with its blanks; what has any is kept for as long as the program runs.
fn spelled(entry: &'static str) -> &'static str {
    if entry.contains('_') { entry.replace('_', " ").leak() } else { entry }
}

#[cfg(test)]
mod tests;
