//! The table of the codes of refusals: every code that is given has a row, and every row is given.

use std::collections::BTreeSet;

use super::tree::{self, Source};
use super::{Complaint, none_of};
use callboard::domain::refusal;

/// What a code is given to, or compared with, in the line of its text.
const GIVEN: [&str; 9] = [
    "Refusal::new(", "Refusal::without_advice(", "ApiError::new(", "Self::new(", " refusal(", "code == ", "code != ",
    "code: ", "CODE: &'static str = ",
];

#[test]
fn every_code_that_is_given_has_a_row() {
    let known: BTreeSet<&str> = refusal::codes().iter().map(|row| row.code).collect();
    let complaints: Vec<Complaint> = shipped().iter().flat_map(|source| without_a_row(source, &known)).collect();
    none_of("add it to crates/domain/src/refusal/codes.txt", &complaints);
}

#[test]
fn every_row_is_of_a_code_that_is_given() {
    let sources = shipped();
    let unused = refusal::codes().iter().map(|row| row.code).filter(|code| {
        let text = format!("\"{code}\"");
        !sources.iter().any(|source| code_of(source).any(|(_, line)| line.contains(&text)))
    });
    none_of("take it out of crates/domain/src/refusal/codes.txt", &unused.map(str::to_owned).collect::<Vec<_>>());
}

#[test]
fn a_code_without_a_row_is_seen() {
    let text = "fn a() {\n    Refusal::new(\n        \"NEW_ONE\",\n    )\n}\nfn code() {\n    Self::B => \"OTHER\",\n\
                }\n\
                const C: &str = \"NO_CODE\";\n#[cfg(test)]\nmod tests {\n    Refusal::new(\"IN_A_TEST\")\n}\n";
    let source = Source::made_up("src/a.rs", text);
    assert_eq!(without_a_row(&source, &BTreeSet::from(["OTHER"])), ["src/a.rs:3: `NEW_ONE`"]);
    assert_eq!(without_a_row(&source, &BTreeSet::from(["NEW_ONE"])), ["src/a.rs:7: `OTHER`"]);
}

/// What is in the hub, without its tests.
fn shipped() -> Vec<Source> {
    let all = tree::rust().into_iter();
    all.filter(|source| {
        let path = &source.path;
        let ours = path.starts_with("src/") || path.starts_with("crates/domain/src/");
        ours && !path.contains("/tests") && !path.contains("/stories/") && !path.ends_with("/kit.rs")
    })
    .collect()
}

/// The lines of code before the tests of a file.
fn code_of(source: &Source) -> impl Iterator<Item = (usize, &str)> {
    source.code_lines().take_while(|(_, line)| *line != "#[cfg(test)]")
}

/// The codes that are given there and are not known.
fn without_a_row(source: &Source, known: &BTreeSet<&str>) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    let (mut before, mut in_code) = ("", false);
    for (number, line) in code_of(source) {
        in_code = line.contains("fn code(")
            || line.contains("codes!(")
            || in_code && !line.starts_with("    }") && !line.starts_with('}');
        let given = |start: &str| line.contains(start) || before.trim_end().ends_with(start.trim_end());
        if in_code || GIVEN.iter().any(|start| given(start)) {
            let unknown = texts_in_capitals(line).filter(|text| !known.contains(text));
            complaints.extend(unknown.map(|text| format!("{}: `{text}`", source.at(number))));
        }
        before = line;
    }
    complaints
}

/// The texts of a line that are written as codes are.
fn texts_in_capitals(line: &str) -> impl Iterator<Item = &str> {
    let is_code = |text: &&str| text.len() > 3 && text.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_');
    line.split('"').skip(1).step_by(2).filter(is_code)
}
