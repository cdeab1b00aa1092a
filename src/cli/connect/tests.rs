//! The formats as golden files, and what is left of a file that somebody else wrote.

use std::fs;
use std::path::Path;

use rstest::rstest;
use tempfile::TempDir;

use super::client::{Client, Entry};
use super::file::{Kept, difference};

fn entry() -> Entry {
    let arguments = ["proxy", "--agent", "fullstack-1", "--role", "full-stack-engineer"];
    Entry { command: "callboard".to_owned(), arguments: arguments.map(str::to_owned).to_vec() }
}

#[rstest]
#[case(Client::Claude, include_str!("../../../config/clients/claude.json"))]
#[case(Client::Codex, include_str!("../../../config/clients/codex.toml"))]
#[case(Client::Gemini, include_str!("../../../config/clients/gemini.json"))]
#[case(Client::Cursor, include_str!("../../../config/clients/cursor.json"))]
#[case(Client::Vscode, include_str!("../../../config/clients/vscode.json"))]
#[case(Client::Opencode, include_str!("../../../config/clients/opencode.json"))]
fn the_examples_are_what_is_written(#[case] client: Client, #[case] example: &str) {
    assert_eq!(client.example(&entry()), example);
}

const THEIRS: &str =
    "{\n  \"zoo\": 1.0,\n  \"mcpServers\": {\n    \"other\": {\"command\": \"x\"}\n  },\n  \"a\": [ ]\n}\n";

#[test]
fn all_else_of_a_file_stays_as_it_was_written() {
    let once = Client::Cursor.put(THEIRS, &entry()).expect("it fits");
    let head = "{\n  \"zoo\": 1.0,\n  \"mcpServers\": {\n    \"callboard\": {\n      \"args\": [\n        \"proxy\",";
    assert!(once.starts_with(head), "{once}");
    assert!(once.ends_with("},\n    \"other\": {\"command\": \"x\"}\n  },\n  \"a\": [ ]\n}\n"), "{once}");
    assert_eq!(Client::Cursor.put(&once, &entry()).expect("it fits"), once, "twice is once");
    let other = Entry { command: "elsewhere".to_owned(), arguments: Vec::new() };
    let changed = Client::Cursor.put(&once, &other).expect("it fits");
    assert!(changed.contains("elsewhere") && !changed.contains("fullstack-1"), "{changed}");
}

#[rstest]
#[case::empty("{}")]
#[case::one_line(r#"{"a": 1}"#)]
#[case::no_servers("{\n  \"mcpServers\": {}\n}")]
#[case::one_line_of_servers(r#"{"mcpServers": {"other": {}}}"#)]
fn whatever_the_layout_it_stays_json(#[case] text: &str) {
    let after = Client::Claude.put(text, &entry()).expect("it fits");
    let read: serde_json::Value = serde_json::from_str(&after).unwrap_or_else(|error| panic!("{error} in {after}"));
    assert_eq!(read["mcpServers"]["callboard"]["command"], "callboard");
}

#[test]
fn a_file_with_comments_is_left_alone() {
    assert!(Client::Vscode.put("{\n  // mine\n}", &entry()).is_err());
}

#[test]
fn a_table_goes_between_tables_and_replaces_itself() {
    let theirs = "model = \"o\"\n\n[mcp_servers.other]\ncommand = \"x\"\n";
    let once = Client::Codex.put(theirs, &entry()).expect("it fits");
    assert!(once.starts_with(theirs) && once.contains("\n\n[mcp_servers.callboard]\n"), "{once}");
    let more = format!("{once}\n[profiles.a]\nx = 1\n");
    let other = Entry { command: "elsewhere".to_owned(), arguments: Vec::new() };
    let changed = Client::Codex.put(&more, &other).expect("it fits");
    assert!(changed.contains("elsewhere") && changed.ends_with("\n\n[profiles.a]\nx = 1\n"), "{changed}");
    assert!(!changed.contains("fullstack-1"), "{changed}");
}

fn connects(path: &Path, client: Client) {
    let kept = Kept::read(path).expect("it is read");
    let after = client.put(kept.text(), &entry()).expect("it fits");
    kept.write(&after).expect("it is written");
}

fn undoes(path: &Path, client: Client) -> bool {
    let kept = Kept::read(path).expect("it is read");
    kept.before(client).is_ok_and(|was| kept.restore(was).is_ok())
}

#[rstest]
#[case(Client::Cursor, THEIRS)]
#[case(Client::Codex, "model = \"o\"")]
fn a_file_is_put_back_byte_by_byte(#[case] client: Client, #[case] theirs: &str) {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("config");
    fs::write(&path, theirs).expect("a file");
    connects(&path, client);
    connects(&path, client);
    assert_ne!(fs::read_to_string(&path).expect("a file"), theirs);
    assert!(undoes(&path, client));
    assert_eq!(fs::read_to_string(&path).expect("a file"), theirs);
    assert!(!undoes(&path, client), "there is nothing left to undo");
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1, "and nothing left behind");
}

#[test]
fn a_file_that_was_not_there_goes_and_one_that_was_changed_since_stays() {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("below/mcp.json");
    connects(&path, Client::Cursor);
    let written = fs::read_to_string(&path).expect("a file");
    fs::write(&path, written.replace("\n}\n", ",\n  \"mine\": true\n}\n")).expect("a file");
    assert!(!undoes(&path, Client::Cursor));
    fs::write(&path, written).expect("a file");
    assert!(undoes(&path, Client::Cursor));
    assert!(!path.exists());
}

#[test]
fn the_difference_is_what_changes_and_two_lines_around_it() {
    let shown = difference(Path::new("f"), "a\nb\nc\nd\n", "a\nb\nc\nx\nd\n");
    assert_eq!(shown, "f:\n b\n c\n+x\n d");
    assert_eq!(difference(Path::new("f"), "", "x\n"), "f:\n+x");
}
