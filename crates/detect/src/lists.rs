//! The lists of words: text files with sections, read by this one reader.
//!
//! `[SECTION]` opens a list, sorted; entries are separated by blanks, `_` stands for a blank within one. A line that
//! begins with `#` is a remark.

use std::collections::BTreeMap;
use std::ops::Deref;
use std::sync::{LazyLock, OnceLock};

use crate::ablation::is_left_out;

/// Words around a danger.
const DANGER: &str = include_str!("../words/danger.txt");
/// Words that single rules about prompts look for.
const PROMPT: &str = include_str!("../words/prompt.txt");
/// Names of secrets, by language.
pub(crate) const SECRETS: &str = include_str!("../words/secrets.txt");
/// Words of danger, as people write them: `LANGUAGE LIST`.
pub(crate) const PEOPLE: &str = include_str!("../words/people.txt");
/// Words of danger, as programs print them.
pub(crate) const PROGRAMS: &str = include_str!("../words/programs.txt");
/// Verbs and what they do harm to: `PAIR: verbs` and `PAIR: things`.
pub(crate) const PAIRS: &str = include_str!("../words/pairs.txt");
/// What does no harm: `LANGUAGE LIST`.
pub(crate) const HARMLESS: &str = include_str!("../words/harmless.txt");
/// What does nothing: `LANGUAGE LIST`.
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
    /// The list of this section.
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

/// The section that a line opens.
fn section_of(line: &'static str) -> Option<&'static str> {
    line.strip_prefix('[')?.strip_suffix(']').filter(|section| !section.contains(['[', ']']))
}

/// An entry with its blanks; what has any is kept for as long as the program runs.
fn spelled(entry: &'static str) -> &'static str {
    if entry.contains('_') { entry.replace('_', " ").leak() } else { entry }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::Path;

    use super::*;

    const FILES: [(&str, &str); 8] = [
        ("danger", DANGER),
        ("prompt", PROMPT),
        ("secrets", SECRETS),
        ("people", PEOPLE),
        ("programs", PROGRAMS),
        ("pairs", PAIRS),
        ("harmless", HARMLESS),
        ("not-acting", NOT_ACTING),
    ];

    /// What is wrong with the lists of a file.
    fn faults(file: &'static str) -> Vec<String> {
        let mut faults = Vec::new();
        let opened: Vec<&str> = file.lines().filter_map(section_of).collect();
        for (at, section) in opened.iter().enumerate() {
            if opened[..at].contains(section) {
                faults.push(format!("[{section}] is opened twice"));
            }
            let words: Vec<&str> = raw_entries(file).filter(|(it, _)| it == section).map(|(_, word)| word).collect();
            if words.is_empty() {
                faults.push(format!("[{section}] is empty"));
            }
            faults.extend(
                words.windows(2).filter(|pair| pair[0] >= pair[1]).map(|pair| {
                    format!("[{section}] is not sorted, or has a double: `{}` before `{}`", pair[0], pair[1])
                }),
            );
            faults.extend(
                words
                    .iter()
                    .filter(|word| **word != word.to_lowercase())
                    .map(|word| format!("[{section}] has capitals: `{word}`")),
            );
        }
        faults.extend(
            raw_entries(file)
                .filter(|(section, _)| section.is_empty())
                .map(|(_, word)| format!("`{word}` is in no section")),
        );
        faults
    }

    #[test]
    fn every_list_is_sorted_without_doubles_in_lower_case_and_has_words() {
        for (name, file) in FILES {
            assert_eq!(faults(file), [""; 0], "{name}.txt");
        }
        let wrong = ["[a]\nx b", "[a]\nb b", "[a]\nB", "[a]\n[b]\nx", "x\n[a]\ny", "[a]\nx\n[b]\ny\n[a]\nz"];
        wrong.into_iter().for_each(|file| assert_eq!(faults(file).len(), 1, "{file}"));
        assert_eq!(faults("# [no]\n[a]\n[x]/_y b_c\n"), [""; 0]);
    }

    #[test]
    fn every_list_is_read_and_every_list_that_is_read_is_there() {
        let mut named = BTreeSet::new();
        let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src")];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    let text = fs::read_to_string(&path).unwrap();
                    let found = text.split("List::of(\"").skip(1).filter_map(|rest| rest.split_once("\")"));
                    named.extend(found.map(|(section, _)| section.to_owned()).filter(|it| it != "x"));
                }
            }
        }
        let there: BTreeSet<String> = LISTS.keys().map(|section| (*section).to_owned()).collect();
        assert_eq!(named, there);
    }

    #[test]
    fn an_entry_is_spelled_with_its_blanks() {
        let file = "# remark\n[a b]\nx_y_ z*\n\n[c]\n[enter] (or)\n";
        let found: Vec<_> = entries(file).collect();
        assert_eq!(found, [("a b", "x y "), ("a b", "z*"), ("c", "[enter]"), ("c", "(or)")]);
        assert!(List::of("x").is_empty());
    }
}
