//! The documents tell the truth about the tree: every path that they name exists.

use super::tree::{self, Source};
use super::{Complaint, none_of};

/// What a path of ours begins with.
const OURS: [&str; 10] =
    ["src/", "crates/", "tests/", "config/", "docs/", "packaging/", "benches/", ".ci/", ".config/", ".github/"];
/// What the name of a file at the top ends in.
const TOP: [&str; 2] = [".md", ".toml"];

#[test]
fn every_path_named_in_a_document_exists() {
    let top = ["README.md", "ARCHITECTURE.md"].iter().flat_map(|name| tree::read("", &[name]));
    let documents: Vec<_> = top.chain(tree::read("docs", &[".md"])).collect();
    assert!(documents.len() >= 3, "README.md and ARCHITECTURE.md are to be at the top, and others in docs/");
    let complaints: Vec<_> = documents.iter().flat_map(missing).collect();
    none_of("a path in backticks is a path of this tree", &complaints);
}

#[test]
fn a_path_that_does_not_exist_is_seen() {
    let document =
        Source::made_up("ARCHITECTURE.md", "See `src/lib.rs`,\n`src/nowhere.rs` and `/mcp` and `NOWHERE.md`.\n");
    assert_eq!(
        missing(&document),
        ["ARCHITECTURE.md:2: `src/nowhere.rs` does not exist", "ARCHITECTURE.md:2: `NOWHERE.md` does not exist"]
    );
}

fn missing(document: &Source) -> Vec<Complaint> {
    document
        .lines()
        .flat_map(|(number, line)| quoted(line).map(move |path| (number, path)))
        .filter(|(_, path)| is_path(path) && !tree::root().join(path).exists())
        .map(|(number, path)| format!("{}: `{path}` does not exist", document.at(number)))
        .collect()
}

fn quoted(line: &str) -> impl Iterator<Item = &str> {
    line.split('`').skip(1).step_by(2)
}

fn is_path(text: &str) -> bool {
    let plain = text.chars().all(|c| c.is_ascii_alphanumeric() || "._-/".contains(c));
    let ours = OURS.iter().any(|start| text.starts_with(start));
    let top = !text.contains('/') && text.len() > 3 && TOP.iter().any(|end| text.ends_with(end));
    plain && (ours || top)
}
