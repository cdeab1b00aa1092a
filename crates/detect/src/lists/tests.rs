//! What `lists` does, tried.

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
            words
                .windows(2)
                .filter(|pair| pair[0] >= pair[1])
                .map(|pair| format!("[{section}] is not sorted, or has a double: `{}` before `{}`", pair[0], pair[1])),
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
