//! What `workarounds` does, tried.

use std::fs::{read_dir, read_to_string};
use std::path::Path;

const PAGE: &str = include_str!("mod.rs");

/// The texts of all files in a folder and below it.
fn texts(folder: &Path) -> String {
    let entries = read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    entries.map(|path| if path.is_dir() { texts(&path) } else { read_to_string(&path).expect("a file") }).collect()
}

#[test]
fn the_page_names_each_file_tests_that_exist_and_the_version_that_is_pinned() {
    let page: String = PAGE.lines().filter_map(|line| line.strip_prefix("//!")).collect::<Vec<_>>().join("\n");
    let headings: Vec<&str> = page.lines().filter_map(|line| line.trim().strip_prefix("### ")).collect();
    let modules = PAGE
        .lines()
        .filter_map(|line| line.strip_prefix("pub(super) ").unwrap_or(line).strip_prefix("mod ")?.strip_suffix(';'));
    let is_told =
        |module: &&str| *module == "tests" || headings.iter().any(|heading| heading.contains(&format!("`{module}`")));
    let missing: Vec<&str> = modules.filter(|module| !is_told(module)).collect();
    assert!(missing.is_empty(), "the page says nothing of {missing:?}");
    let room = texts(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src/transport/mcp"));
    let shown = page.split("- shown by:").skip(1).filter_map(|rest| rest.split("- goes when:").next());
    let tests: Vec<&str> = shown.flat_map(|names| names.split('`').skip(1).step_by(2)).collect();
    assert!(tests.len() >= headings.len(), "each file is shown by a test: {tests:?}");
    let unknown: Vec<&&str> = tests.iter().filter(|test| !room.contains(&format!("fn {test}("))).collect();
    assert!(unknown.is_empty(), "the page names tests that do not exist: {unknown:?}");
    let version = page.split("`rmcp` ").nth(1).and_then(|rest| rest.split(". ").next()).expect("a version");
    let manifest = include_str!("../../../../Cargo.toml");
    assert!(manifest.contains(&format!("rmcp = {{ version = \"={version}\"")), "read the page again: {version}");
}
