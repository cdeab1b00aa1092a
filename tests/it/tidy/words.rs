//! Words that stay out: work left undone, lints silenced without a reason, the names of package registries.
//!
//! The words are put together from halves here, so that this file does not hold them.

use super::registries::REGISTRIES;
use super::tree::{self, Source};
use super::{Complaint, none_of};

const UNDONE: [&str; 4] =
    [concat!("to", "do!("), concat!("unimple", "mented!("), concat!("FIX", "ME"), concat!("TO", "DO")];
const SILENCED: [&str; 2] = [concat!("#[al", "low("), concat!("#![al", "low(")];

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
