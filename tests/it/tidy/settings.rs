//! Every key of `config/*.yaml` is read: a setting that changes nothing is a promise that is not kept.

use super::tree::{self, Source};
use super::{Complaint, none_of};

/// Keys whose children are names that people choose.
const NAMED_BY_PEOPLE: [&str; 5] = ["roles", "agents", "clients", "people", "users"];

#[test]
fn every_key_of_a_configuration_file_is_read_in_settings() {
    let files: Vec<_> =
        tree::read("config", &[".yaml"]).into_iter().filter(|file| file.path.matches('/').count() == 1).collect();
    assert!(!files.is_empty(), "config/ holds the defaults");
    let readers: String = tree::read("crates/settings/src", &[".rs"]).iter().map(code_of).collect();
    let complaints: Vec<_> = files.iter().flat_map(|file| unread(file, &readers)).collect();
    none_of("a key is read in crates/settings by its name, or by the field that serde maps to it", &complaints);
}

#[test]
fn a_key_that_nobody_reads_is_seen() {
    let file = Source::made_up(
        "config/hub.yaml",
        "# words\nwaits:\n  default: 45s\n  lostKey: 1\nroles:\n  tester:\n    ttl: 1h\n",
    );
    let readers = "struct Waits { default: Duration } waits ttl roles";
    assert_eq!(unread(&file, readers), ["config/hub.yaml:4: nothing in crates/settings reads `lostKey`"]);
}

fn code_of(source: &Source) -> String {
    source.code_lines().map(|(_, line)| format!("{line}\n")).collect()
}

fn unread(file: &Source, readers: &str) -> Vec<Complaint> {
    keys(file)
        .into_iter()
        .filter(|(_, key)| !has_word(readers, key) && !has_word(readers, &snake(key)))
        .map(|(line, key)| format!("{}: nothing in crates/settings reads `{key}`", file.at(line)))
        .collect()
}

/// The keys that are ours to read, with their lines; those that people name are left out.
fn keys(file: &Source) -> Vec<(usize, String)> {
    let mut above: Vec<(usize, String)> = Vec::new();
    let mut found = Vec::new();
    for (number, line) in file.lines() {
        let text = line.trim_start().trim_start_matches("- ");
        let indent = line.len() - text.len();
        let Some((key, value)) = text.split_once(':') else { continue };
        let is_key = !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c));
        if !is_key || !(value.is_empty() || value.starts_with(' ')) {
            continue;
        }
        above.retain(|(depth, _)| *depth < indent);
        if !above.last().is_some_and(|(_, parent)| NAMED_BY_PEOPLE.contains(&parent.as_str())) {
            found.push((number, key.to_owned()));
        }
        above.push((indent, key.to_owned()));
    }
    found
}

fn has_word(text: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word)
        .any(|(at, _)| !text[..at].ends_with(is_part) && !text[at + word.len()..].starts_with(is_part))
}

fn snake(camel: &str) -> String {
    camel
        .chars()
        .flat_map(|c| if c.is_ascii_uppercase() { vec!['_', c.to_ascii_lowercase()] } else { vec![c] })
        .collect()
}
