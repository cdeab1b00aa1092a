//! How a file looks: it says what it is, fits a screen in width, and holds one idea.

use super::tree::{self, Source};
use super::{Complaint, none_of};

const MOST_LINES: usize = 600;
const MOST_COLUMNS: usize = 120;

#[test]
fn every_file_opens_by_saying_what_it_is() {
    none_of("a file opens with `//!`: what lives here, and why if it surprises", &all(silent));
}

#[test]
fn no_file_is_longer_than_one_idea() {
    none_of("a file has at most 600 lines; split it by ideas", &all(long));
}

#[test]
fn no_line_is_wider_than_120_columns() {
    none_of("a line has at most 120 columns", &all(wide));
}

#[test]
fn the_rules_of_form_see_what_breaks_them() {
    assert_eq!(silent(&Source::made_up("src/a.rs", "use std::fs;\n")).len(), 1);
    assert_eq!(silent(&Source::made_up("src/a.rs", "//! stub\n")).len(), 1);
    assert!(silent(&Source::made_up("src/a.rs", "//! What it is.\n")).is_empty());
    assert_eq!(long(&Source::made_up("src/a.rs", &"x\n".repeat(601))).len(), 1);
    assert!(long(&Source::made_up("src/a.rs", &"x\n".repeat(600))).is_empty());
    assert_eq!(wide(&Source::made_up("src/a.rs", &format!("ok\n{}\n", "ü".repeat(121)))), ["src/a.rs:2: 121 columns"]);
    assert!(wide(&Source::made_up("src/a.rs", &"ü".repeat(120))).is_empty());
}

fn all(rule: fn(&Source) -> Vec<Complaint>) -> Vec<Complaint> {
    tree::rust().iter().flat_map(rule).collect()
}

fn silent(source: &Source) -> Vec<Complaint> {
    let words = source.text.lines().next().and_then(|line| line.strip_prefix("//! ")).unwrap_or_default();
    if words.split_whitespace().count() >= 2 {
        return Vec::new();
    }
    vec![format!("{}: does not open with a sentence after `//!`", source.at(1))]
}

fn long(source: &Source) -> Vec<Complaint> {
    let lines = source.lines().count();
    if lines > MOST_LINES { vec![format!("{}: {lines} lines", source.path)] } else { Vec::new() }
}

fn wide(source: &Source) -> Vec<Complaint> {
    source
        .lines()
        .map(|(number, line)| (number, line.chars().count()))
        .filter(|(_, columns)| *columns > MOST_COLUMNS)
        .map(|(number, columns)| format!("{}: {columns} columns", source.at(number)))
        .collect()
}
