//! Words that stay out: work left undone, lints silenced without a reason, the names of package registries. And names
//! that say nothing, which are counted until there are none.
//!
//! The words are put together from halves here, so that this file does not hold them.

use std::collections::BTreeMap;

use super::registries::REGISTRIES;
use super::tree::{self, Source};
use super::{Complaint, none_of};

const UNDONE: [&str; 4] =
    [concat!("to", "do!("), concat!("unimple", "mented!("), concat!("FIX", "ME"), concat!("TO", "DO")];
const SILENCED: [&str; 2] = [concat!("#[al", "low("), concat!("#![al", "low(")];

/// Names that say nothing of a type, a module or a function: none is defined any more.
const GONE: [&str; 27] = [
    "Asked", "Bell", "Bench", "Berth", "Desk", "Guest", "Heard", "House", "Known", "Parcel", "Patience", "Place",
    "Post", "Rest", "Said", "Seat", "Sight", "Stake", "Stranger", "Tally", "Teller", "Told", "Typist", "Way", "blame",
    "permit", "no",
];

/// Of these some are left, and so are `///` lines of one word or two. The numbers only fall: whoever removes one lowers
/// its number here.
const LEFT: [(&str, usize); 3] = [("Line", 1), ("Visitor", 1), (SHORT_DOCS, 0)];

/// The key in [`LEFT`] of documentation that says nothing.
const SHORT_DOCS: &str = "/// of one or two words";

#[test]
fn nothing_is_left_undone() {
    let ours = tree::read("", &[".rs", ".md", ".yaml", ".toml", ".mjs", ".py", "/run"]);
    none_of("finish it, or say in ARCHITECTURE.md why it is not there", &all(&ours, &UNDONE));
}

#[test]
fn no_lint_is_silenced_without_a_reason() {
    none_of(
        "write `#[expect(lint, reason = \"…\")]`, which also tells when it is no longer needed",
        &all(&tree::rust(), &SILENCED),
    );
}

#[test]
fn no_package_registry_is_named() {
    let ours =
        tree::read("", &[".rs", ".md", ".yaml", ".yml", ".toml", ".json", ".mjs", ".py", ".txt", ".npmrc", "/run"]);
    none_of("packages are named, and the tools know where they come from", &all(&ours, &REGISTRIES));
}

#[test]
fn a_forbidden_word_is_seen_where_it_stands() {
    let bad = Source::made_up("src/a.rs", &format!("fn a() {{\n    {}later\")\n}}\n", UNDONE[0]));
    assert_eq!(all(&[bad], &UNDONE), [format!("src/a.rs:2: `{}`", UNDONE[0])]);
    assert!(all(&[Source::made_up("src/a.rs", "fn a() {}\n")], &UNDONE).is_empty());
}

#[test]
fn names_and_comments_that_say_nothing_only_get_fewer() {
    let found = say_nothing(&tree::rust());
    let complaints: Vec<Complaint> = limits()
        .filter(|(name, limit)| found[name] != *limit)
        .map(|(name, limit)| format!("`{name}`: {} in the sources, and {limit} in the table", found[name]))
        .collect();
    none_of("more: say what the thing is; fewer: lower the number in tests/it/tidy/words.rs", &complaints);
}

#[test]
fn a_name_that_says_nothing_is_counted() {
    let bad = "/// Which.\npub(in crate::a) enum Asked {}\nstruct AskedTwice;\n/// # Errors\npub const fn no() {}\n";
    let worse = "/// One of three.\nlet asked = Asked;\n// struct Asked;\ntype Asked<'a> = &'a str;\nfn asked() {}\n";
    let found = say_nothing(&[Source::made_up("src/a.rs", bad), Source::made_up("src/b.rs", worse)]);
    assert_eq!((found["Asked"], found["no"], found["Desk"], found[SHORT_DOCS]), (2, 1, 0, 1));
}

fn limits() -> impl Iterator<Item = (&'static str, usize)> {
    GONE.into_iter().map(|name| (name, 0)).chain(LEFT)
}

/// How often each name of the tables is found.
fn say_nothing(sources: &[Source]) -> BTreeMap<&'static str, usize> {
    let mut found: BTreeMap<&str, usize> = limits().map(|(name, _)| (name, 0)).collect();
    for source in sources {
        let names = source.code_lines().filter_map(|(_, line)| defined(line));
        let docs = source.lines().filter(|(_, line)| is_short(line)).map(|_| SHORT_DOCS);
        for key in names.chain(docs) {
            if let Some(count) = found.get_mut(key) {
                *count += 1;
            }
        }
    }
    found
}

/// The name of the type, the module or the function that a line of code defines.
fn defined(line: &str) -> Option<&str> {
    let mut words = line.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty());
    let begins = ["pub", "async", "const", "struct", "enum", "trait", "type", "mod", "fn"];
    let first = words.next().filter(|word| begins.contains(word))?;
    std::iter::once(first).chain(words.by_ref()).find(|word| begins[3..].contains(word))?;
    words.next()
}

/// Whether a line is documentation of one or two words, and no heading.
fn is_short(line: &str) -> bool {
    let text = line.trim_start().strip_prefix("/// ").filter(|text| !text.starts_with(['#', '`', '-', '|', ' ']));
    text.is_some_and(|text| (1..=2).contains(&text.split_whitespace().count()))
}

fn all(sources: &[Source], words: &[&str]) -> Vec<Complaint> {
    sources.iter().flat_map(|source| holds(source, words)).collect()
}

fn holds(source: &Source, words: &[&str]) -> Vec<Complaint> {
    source
        .lines()
        .flat_map(|(number, line)| {
            let found = words.iter().filter(|word| line.contains(**word));
            found.map(move |word| format!("{}: `{word}`", source.at(number))).collect::<Vec<_>>()
        })
        .collect()
}
