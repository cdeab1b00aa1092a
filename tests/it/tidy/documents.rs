//! The documents tell the truth about the tree: every path and link leads somewhere, the drawing of the crates is what
//! cargo has, and what everybody reads first is short.

use super::tree::{self, Source};
use super::{Complaint, none_of};

/// What a path of ours begins with.
const OURS: [&str; 10] =
    ["src/", "crates/", "tests/", "config/", "docs/", "packaging/", "benches/", ".ci/", ".config/", ".github/"];
/// What the name of a file at the top ends in.
const TOP: [&str; 2] = [".md", ".toml"];
/// The documents beside those of `docs/`, with the most words of each.
const AT_THE_TOP: [(&str, usize); 3] = [("README.md", 1_500), ("ARCHITECTURE.md", 3_500), ("CONTRIBUTING.md", 1_000)];
const INDEX: &str = "docs/README.md";

#[test]
fn every_path_named_in_a_document_exists() {
    let complaints: Vec<_> = documents().iter().flat_map(missing).collect();
    none_of("a path in backticks is a path of this tree", &complaints);
}

#[test]
fn documents_are_short_and_their_links_lead_somewhere() {
    let documents = documents();
    let complaints: Vec<_> = documents.iter().flat_map(|document| unfit(document, &documents)).collect();
    none_of("a link leads to a file and a heading, docs/README.md lists each page, README.md is short", &complaints);
}

#[test]
fn the_drawing_of_the_crates_is_what_cargo_has() {
    let documents = documents();
    let page = documents.iter().find(|source| source.path == "ARCHITECTURE.md").expect("it is there");
    let arrows = page.text.lines().filter(|line| line.starts_with("callboard"));
    let mut drawn: Vec<_> = arrows.filter_map(|line| line.split_once(" →")).map(|(name, to)| arrow(name, to)).collect();
    let manifests = tree::read("", &["Cargo.toml"]).into_iter();
    let ours = manifests.filter(|source| source.path == "Cargo.toml" || source.path.starts_with("crates/"));
    let mut built: Vec<_> = ours.map(|manifest| dependencies(&manifest)).collect();
    drawn.sort();
    built.sort();
    assert!(built.len() > 2, "{built:?}");
    assert_eq!(drawn, built);
}

#[test]
fn what_does_not_exist_is_seen() {
    let document =
        Source::made_up("ARCHITECTURE.md", "See `src/lib.rs`,\n`src/nowhere.rs` and `/mcp` and `NOWHERE.md`.\n");
    assert_eq!(
        missing(&document),
        ["ARCHITECTURE.md:2: `src/nowhere.rs` does not exist", "ARCHITECTURE.md:2: `NOWHERE.md` does not exist"]
    );
    let links =
        "[a](#a-b) [b](#c)\n[c](design/y.md#e) <img src=\"no.png\">\n[d](../src/lib.rs) [e](https://e.com)\n# A, b\n";
    let all = [Source::made_up(INDEX, "[y](design/y.md)"), Source::made_up("docs/design/y.md", "## d\n")];
    let said = ["1: `#c` leads", "2: `design/y.md#e` leads", "2: `no.png` leads"];
    let said = said.map(|what| format!("docs/x.md:{what} nowhere")).into_iter();
    let said: Vec<_> = said.chain(["docs/x.md:1: docs/README.md does not list it".to_owned()]).collect();
    assert_eq!(unfit(&Source::made_up("docs/x.md", links), &all), said);
    assert!(unfit(&all[1], &all).is_empty());
    let long = Source::made_up("README.md", &"word ".repeat(1_501));
    assert_eq!(unfit(&long, &all), ["README.md:1: 1501 words are more than 1500"]);
}

/// The documents of the repository: those at its top that somebody reads first, and all of `docs/`.
fn documents() -> Vec<Source> {
    let ours = |path: &str| path.starts_with("docs/") || AT_THE_TOP.iter().any(|(name, _)| *name == path);
    let found: Vec<_> = tree::read("", &[".md"]).into_iter().filter(|source| ours(&source.path)).collect();
    assert!(found.len() > AT_THE_TOP.len(), "README.md and others are to be at the top, and more in docs/");
    found
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

/// What is wrong with a document: its links, that the index does not list it, or its length.
fn unfit(document: &Source, all: &[Source]) -> Vec<Complaint> {
    let links =
        document.lines().flat_map(|(number, line)| targets(line).into_iter().map(move |target| (number, target)));
    let mut complaints: Vec<_> = links
        .filter(|(_, target)| !leads_somewhere(document, target, all))
        .map(|(number, target)| format!("{}: `{target}` leads nowhere", document.at(number)))
        .collect();
    let index = all.iter().filter(|source| source.path == INDEX).flat_map(Source::lines);
    let listed: Vec<_> = index.flat_map(|(_, line)| targets(line)).map(|target| beside(INDEX, target)).collect();
    if document.path.starts_with("docs/") && document.path != INDEX && !listed.contains(&document.path) {
        complaints.push(format!("{}: {INDEX} does not list it", document.at(1)));
    }
    let words = document.text.split_whitespace().count();
    let most = AT_THE_TOP.iter().find(|(path, most)| *path == document.path && words > *most);
    complaints.extend(most.map(|(_, most)| format!("{}: {words} words are more than {most}", document.at(1))));
    complaints
}

/// Where the links and pictures of a line lead, without those that leave the repository.
fn targets(line: &str) -> Vec<&str> {
    let after =
        |open: &'static str, close: char| line.split(open).skip(1).filter_map(move |rest| rest.split(close).next());
    let all = after("](", ')').chain(after("src=\"", '"')).chain(after("srcset=\"", '"'));
    all.filter(|target| !target.contains("://")).collect()
}

fn leads_somewhere(document: &Source, target: &str, all: &[Source]) -> bool {
    let (file, heading) = target.split_once('#').unwrap_or((target, ""));
    let path = if file.is_empty() { document.path.clone() } else { beside(&document.path, file) };
    let mut there = all.iter().chain([document]).filter(|source| source.path == path);
    let exists = file.is_empty() || tree::root().join(&path).exists() || all.iter().any(|source| source.path == path);
    exists && (heading.is_empty() || there.any(|source| source.lines().any(|(_, line)| anchor(line) == heading)))
}

/// The path of a file that is named in the document at `path`.
fn beside(path: &str, file: &str) -> String {
    let mut parts: Vec<_> = path.split('/').collect();
    parts.pop();
    for part in file.split('/') {
        if part == ".." {
            parts.pop();
        } else {
            parts.push(part);
        }
    }
    parts.join("/")
}

/// The anchor of a heading; empty for other lines.
fn anchor(line: &str) -> String {
    let title = line.strip_prefix('#').map_or("", |rest| rest.trim_start_matches('#').trim());
    let kept = title.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
    kept.flat_map(char::to_lowercase).map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// `name → a, b`, from a line of the drawing: after two spaces begins what the crate does.
fn arrow(name: &str, to: &str) -> String {
    format!("{} → {}", name.trim(), to.strip_prefix(' ').unwrap_or(to).split("  ").next().unwrap_or_default())
}

/// The same from a manifest: its crate, and which of ours it depends on outside its tests.
fn dependencies(manifest: &Source) -> String {
    let name = manifest.text.lines().find_map(|line| line.strip_prefix("name = \"")?.strip_suffix('"'));
    let (_, section) = manifest.text.split_once("\n[dependencies]\n").unwrap_or_default();
    let lines = section.lines().take_while(|line| !line.starts_with('['));
    let mut used: Vec<_> =
        lines.filter(|line| line.starts_with("callboard")).filter_map(|line| line.split([' ', '.']).next()).collect();
    used.sort_unstable();
    format!("{} → {}", name.unwrap_or_default(), used.join(", "))
}
