//! Every example of the help does what it says, or says what is not there: none is a command that is typed wrong.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::process::Stdio;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::agent::Agent;
use crate::support::hub_process::{HubProcess, callboard};

const CONFIGURATION: i32 = 2;
/// What does not end by itself, starts other programs, changes files of the user, asks at a terminal, or wants a hub
/// that is stopped or a database: its examples are parsed by a test beside the commands.
const NOT_RUN: &[&str] = &[
    "serve", "proxy", "run", "oncall", "cluster init", "connect", "doctor", "event follow", "task follow",
    "session follow", "question answer QUESTION", "open", "journal backup", "journal import", "journal verify --both",
    "journal restore", "man",
];

/// The examples of all commands, as the help of each shows them: up to what explains them, a pipe or a redirection.
fn examples() -> BTreeSet<Vec<String>> {
    let nowhere = TempDir::new().unwrap();
    let (mut found, mut left) = (BTreeSet::new(), vec![Vec::<String>::new()]);
    while let Some(command) = left.pop() {
        let help = callboard(nowhere.path()).args(&command).arg("--help").output().unwrap();
        let help = String::from_utf8(help.stdout).unwrap();
        left.extend(below(&help, command.is_empty()).into_iter().map(|name| [command.clone(), vec![name]].concat()));
        found.extend(typed(&help).iter().map(|line| words(line)));
    }
    found
}

/// The lines that begin with the program's name, each with what was wrapped below it.
fn typed(help: &str) -> Vec<String> {
    let (mut lines, mut goes_on) = (Vec::<String>::new(), false);
    for line in help.lines() {
        if let Some(begun) = line.trim().strip_prefix("callboard ") {
            lines.push(begun.to_owned());
            goes_on = true;
        } else if let Some(last) = lines.last_mut().filter(|_| goes_on && line.starts_with("  ")) {
            *last = format!("{last} {}", line.trim());
        } else {
            goes_on = false;
        }
    }
    lines
}

/// The names of the commands below one.
fn below(help: &str, top: bool) -> Vec<String> {
    let begins = if top { "Start here:" } else { "Commands:" };
    let names = help.lines().skip_while(|line| *line != begins).take_while(|line| *line != "Options:");
    let names = names.filter(|line| (1..=4).contains(&(line.len() - line.trim_start().len())));
    let names = names.filter_map(|line| line.split_whitespace().next()).filter(|name| *name != "help");
    names.map(str::to_owned).collect()
}

/// The words of a command line; quotes keep words together.
fn words(line: &str) -> Vec<String> {
    let line = line.split("  ").next().unwrap_or_default();
    let (mut words, mut quoted) = (vec![String::new()], None);
    for sign in line.chars() {
        match (sign, quoted) {
            ('"' | '\'', None) => quoted = Some(sign),
            (end, Some(begun)) if end == begun => quoted = None,
            (' ', None) => words.push(String::new()),
            (sign, _) => words.last_mut().unwrap().push(sign),
        }
    }
    words.into_iter().take_while(|word| !["|", ">", "<", "&&"].contains(&word.as_str())).collect()
}

#[test]
fn every_example_of_the_help_is_a_command_that_runs() {
    let data_dir = TempDir::new().unwrap();
    let hub = HubProcess::start(data_dir.path());
    let agent = Agent::register(&hub, "fullstack-1", "full-stack-engineer");
    let given = |arguments: &[&str]| -> Value {
        let output = hub.command(arguments).output().unwrap();
        serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{arguments:?}: {output:?}"))
    };
    let text = |value: &Value, key: &str| value[key].as_str().unwrap().to_owned();
    let task = text(&given(&["task", "add", "role:designer", "draw it", "-o", "json"]), "taskId");
    let token = given(&["token", "create", "--scope", "view", "--name", "eve", "-o", "json"]);
    let token = text(&token, "token").split('_').nth(2).unwrap().to_owned();
    let session = text(&given(&["session", "list", "-o", "json"])["items"][0], "sessionId");
    let ask = json!({ "question": "Which?", "options": ["old", "new"], "default_action": "old", "wait_seconds": 0 });
    let question = text(&agent.calls(&hub, "request_input", &ask), "question_id");
    let places = [
        ("TASK", task),
        ("PUBLIC_ID", token),
        ("SESSION", session),
        ("QUESTION", question),
        ("COMMENT", "c_00000000".to_owned()),
    ];
    let (mut ran, mut complaints) = (0, Vec::new());
    for example in examples() {
        let line = example.join(" ");
        let starts = |command: &&str| line == **command || line.starts_with(&format!("{command} "));
        if NOT_RUN.iter().any(starts) {
            continue;
        }
        let place = TempDir::new().unwrap();
        set_up(place.path());
        let fill = |word: &String| {
            let word = places.iter().fold(word.clone(), |word, (name, id)| word.replace(name, id));
            word.replace("/backup", &place.path().display().to_string())
                .replace("/var/lib/callboard", &data_dir.path().display().to_string())
        };
        let arguments: Vec<_> = example.iter().map(fill).collect();
        let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
        let input = fs::File::open(place.path().join("spec.md")).unwrap();
        let mut command = hub.command(&arguments);
        let output = command.current_dir(place.path()).stdin(Stdio::from(input)).output().unwrap();
        let said = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        let code = output.status.code();
        if code.is_none() || code == Some(CONFIGURATION) {
            complaints.push(format!("`callboard {line}` ended with {code:?}: {said}"));
        }
        ran += 1;
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
    assert!(ran > 80, "only {ran} examples");
}

/// What the examples name in the folder where they are typed.
fn set_up(place: &Path) {
    symlink(Path::new(env!("CARGO_MANIFEST_DIR")).join("config"), place.join("config")).unwrap();
    fs::write(place.join("spec.md"), "sort new issues").unwrap();
    fs::write(place.join("shared.secret"), "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=").unwrap();
    fs::set_permissions(place.join("shared.secret"), fs::Permissions::from_mode(0o600)).unwrap();
}
