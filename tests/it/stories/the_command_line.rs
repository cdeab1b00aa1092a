//! The command line, as people and scripts rely on it: examples, exit codes, and words that say what to mend.

use std::fs;
use std::path::Path;
use std::process::Output;

use tempfile::TempDir;

use crate::support::hub_process::{HubProcess, callboard};

const CONFIGURATION: i32 = 2;
const NOT_FOUND: i32 = 4;
const UNREACHABLE: i32 = 5;

#[test]
fn every_command_shows_an_example() {
    let nowhere = TempDir::new().unwrap();
    let commands = commands_of(&words(&run(nowhere.path(), &["--help"])));
    assert!(commands.iter().any(|name| name == "serve"), "`--help` lists {commands:?}");
    for name in commands.iter().filter(|name| *name != "help") {
        let help = words(&run(nowhere.path(), &[name, "--help"]));
        assert!(help.to_lowercase().contains("example"), "`callboard {name} --help` shows no example:\n{help}");
    }
}

#[test]
fn every_command_line_of_the_readme_is_understood() {
    let nowhere = TempDir::new().unwrap();
    let readme = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md")).unwrap();
    let lines: Vec<_> = readme.lines().filter_map(|line| line.strip_prefix("$ callboard ")).collect();
    assert!(lines.len() > 5, "the README shows only {lines:?}");
    for line in lines {
        // `--help` at the end: every word before it must be a command, a flag or an argument in its place. What stands
        // behind `--` is another program's.
        let mut arguments = split(line.split(" # ").next().unwrap_or(line));
        let end = arguments.iter().position(|word| word == "--").unwrap_or(arguments.len());
        arguments.insert(end, "--help".to_owned());
        let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
        let understood = run(nowhere.path(), &arguments);
        assert!(understood.status.success(), "`callboard {line}` is no command: {}", words(&understood));
    }
}

#[test]
fn a_wrong_key_is_refused_where_it_stands_with_the_right_name() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("hub.yaml"), "leases:\n  tll: 1h\n").unwrap();
    let refused = run(folder.path(), &["check-config", "--config", folder.path().to_str().unwrap()]);
    assert_eq!(refused.status.code(), Some(CONFIGURATION));
    let words = words(&refused);
    assert!(words.contains("hub.yaml:2:3") && words.contains("`ttl`"), "it said: {words}");
}

#[test]
fn a_value_tells_which_file_and_line_it_came_from() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("hub.yaml"), "leases:\n  ttl: 1h\n").unwrap();
    let shown = run(folder.path(), &["config", "show", "--origin", "--config", folder.path().to_str().unwrap()]);
    assert_eq!(shown.status.code(), Some(0));
    let words = words(&shown);
    let line = words.lines().find(|line| line.contains("ttl") && line.contains("1h")).unwrap_or_default();
    assert!(line.contains("hub.yaml:2"), "it said: {words}");
}

#[test]
fn a_command_without_a_hub_says_that_nobody_listens() {
    let nowhere = TempDir::new().unwrap();
    fs::write(nowhere.path().join("operator.token"), "cb_u_nobody").unwrap();
    let mut command = callboard(nowhere.path());
    // Port 1 belongs to nobody here.
    let lost = command.env("CALLBOARD_URL", "http://127.0.0.1:1").arg("tasks").output().unwrap();
    assert_eq!(lost.status.code(), Some(UNREACHABLE));
    assert!(words(&lost).contains("callboard serve"), "says what to type next, but said: {}", words(&lost));
}

#[test]
fn a_task_is_added_and_shown_and_a_missing_one_is_not_found() {
    let data_dir = TempDir::new().unwrap();
    let hub = HubProcess::start(data_dir.path());
    let added = hub.command(&["task", "add", "role:full-stack-engineer", "implement login", "-o", "json"]).output();
    let added = added.unwrap();
    assert_eq!(added.status.code(), Some(0), "{}", words(&added));
    let task: serde_json::Value = serde_json::from_slice(&added.stdout).unwrap();
    let id = task["taskId"].as_str().unwrap();
    let shown = words(&hub.command(&["task", "show", id]).output().unwrap());
    assert!(shown.contains("implement login") && shown.contains("QUEUED"), "{shown}");
    let missing = hub.command(&["task", "show", "zzzzzzzzzzzz"]).output().unwrap();
    assert_eq!(missing.status.code(), Some(NOT_FOUND), "{}", words(&missing));
}

fn run(data_dir: &Path, arguments: &[&str]) -> Output {
    callboard(data_dir).args(arguments).output().unwrap()
}

fn words(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// The names below `Commands:`.
fn commands_of(help: &str) -> Vec<String> {
    help.lines()
        .skip_while(|line| !line.starts_with("Commands:"))
        .skip(1)
        .take_while(|line| line.starts_with(' '))
        // The description of a long name stands on a line of its own, indented further.
        .filter(|line| line.len() - line.trim_start().len() <= 4)
        .filter_map(|line| line.split_whitespace().next())
        .map(str::to_owned)
        .collect()
}

/// The words of a command line; double quotes keep words together.
fn split(line: &str) -> Vec<String> {
    let parts = line.split('"').enumerate();
    parts
        .flat_map(|(index, part)| {
            if index % 2 == 1 { vec![part.to_owned()] } else { part.split_whitespace().map(str::to_owned).collect() }
        })
        .collect()
}
