//! A person answers an agent at a terminal: by arrow keys, by words, by a line of input, and too late.

use std::io::Write as _;
use std::process::Stdio;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::agent::Agent;
use crate::support::hub_process::HubProcess;
use crate::support::terminal::{DOWN, ESCAPE, RETURN, Terminal, UP};

/// A hub and an agent that asks.
struct Scene {
    hub: HubProcess,
    agent: Agent,
    _data_dir: TempDir,
}

impl Scene {
    fn new() -> Self {
        let data_dir = TempDir::new().unwrap();
        let hub = HubProcess::start(data_dir.path());
        let agent = Agent::register(&hub, "fullstack-1", "full-stack-engineer");
        Self { hub, agent, _data_dir: data_dir }
    }

    fn asks(&self, mut question: Value) -> String {
        question["wait_seconds"] = json!(0);
        let asked = self.agent.calls(&self.hub, "request_input", &question);
        asked["question_id"].as_str().unwrap_or_else(|| panic!("{asked}")).to_owned()
    }

    fn asks_for_a_database(&self) -> String {
        self.asks(json!({
            "question": "Which database?", "options": ["PostgreSQL", "SQLite", "MySQL"], "default_action": "SQLite",
        }))
    }

    fn at_a_terminal(&self, question: &str) -> Terminal {
        Terminal::start(self.hub.command(&["question", "answer", question]))
    }

    fn question(&self, id: &str) -> Value {
        let (status, question) = self.hub.get(&format!("/api/v1/questions/{id}"));
        assert_eq!(status, 200, "{question}");
        question
    }
}

#[test]
fn an_option_is_chosen_with_the_arrow_keys() {
    let scene = Scene::new();
    let id = scene.asks_for_a_database();
    let mut terminal = scene.at_a_terminal(&id);
    terminal.shows("asked by  fullstack-1");
    terminal.shows("then the agent goes on with its default");
    terminal.shows("Which database?");
    terminal.shows("SQLite (default)");
    terminal.shows("MySQL");
    // It begins at the default: one down, two up, one down is where it began; one more down is the last.
    terminal.presses(&format!("{DOWN}{UP}{UP}{DOWN}{DOWN}{RETURN}"));
    terminal.shows("is answered: MySQL");
    let (status, screen) = terminal.ends();
    assert_eq!(status.code(), Some(0), "{screen:?}");
    let resolution = &scene.question(&id)["resolution"];
    let expected = json!(["human", "MySQL", "cli", "operator"]);
    let found = json!([resolution["type"], resolution["value"], resolution["surface"], resolution["by"]["principal"]]);
    assert_eq!(found, expected, "{resolution}");
    // Who comes now hears who was first, and is asked nothing.
    let (status, screen) = scene.at_a_terminal(&id).ends();
    assert_eq!(status.code(), Some(3), "{screen:?}");
    assert!(screen.contains("has its answer already") && screen.contains("answered: MySQL"), "{screen:?}");
}

#[test]
fn leaving_the_choice_answers_nothing() {
    let scene = Scene::new();
    let id = scene.asks_for_a_database();
    let mut terminal = scene.at_a_terminal(&id);
    terminal.shows("MySQL");
    terminal.presses(ESCAPE);
    let (status, screen) = terminal.ends();
    assert_eq!(status.code(), Some(1), "{screen:?}");
    assert!(screen.contains("nothing was answered"), "{screen:?}");
    assert_eq!(scene.question(&id)["state"], "open");
}

#[test]
fn words_are_written_where_there_are_no_options_and_danger_is_shown() {
    let scene = Scene::new();
    let id = scene.asks(json!({
        "question": "May I drop the table \u{1b}[2Jusers?", "default_action": "wait", "kind": "approval",
    }));
    let mut terminal = scene.at_a_terminal(&id);
    terminal.shows("DANGER");
    terminal.shows("May I drop the table");
    terminal.shows("answer");
    terminal.presses("not before the backup\r");
    terminal.shows("is answered: not before the backup");
    let (status, screen) = terminal.ends();
    assert_eq!(status.code(), Some(0), "{screen:?}");
    assert!(!screen.contains("\u{1b}[2Jusers"), "what an agent wrote drives no terminal: {screen:?}");
    assert_eq!(scene.question(&id)["resolution"]["value"], "not before the backup");
}

#[test]
fn without_a_terminal_a_line_is_read_and_a_script_gets_json() {
    let scene = Scene::new();
    let id = scene.asks_for_a_database();
    let listed = scene.hub.command(&["question", "list"]).output().unwrap();
    let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
    assert!(listed.contains(&id) && listed.contains("Which database?") && listed.contains("in "), "{listed}");
    let mut command = scene.hub.command(&["question", "answer", &id, "-o", "json"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"1\n").unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let answered: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(answered["resolution"]["value"], "PostgreSQL", "{answered}");
    // Nothing to read, no such option, no such question, somebody was faster.
    let other = scene.asks(json!({"question": "Which port?", "options": ["1", "2"], "default_action": "1"}));
    for (words, code) in [
        (vec!["question", "answer", &other], 2),
        (vec!["question", "answer", &other, "3"], 2),
        (vec!["question", "answer", "q_nosuch01", "1"], 4),
        (vec!["question", "answer", &id, "MySQL"], 3),
        (vec!["question", "answer", "../x", "1"], 2),
    ] {
        let output = scene.hub.command(&words).stdin(Stdio::null()).output().unwrap();
        assert_eq!(output.status.code(), Some(code), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
    }
    let defaulted =
        scene.hub.command(&["question", "answer", &other, "--default"]).stdin(Stdio::null()).output().unwrap();
    assert_eq!(defaulted.status.code(), Some(0), "{}", String::from_utf8_lossy(&defaulted.stderr));
    assert_eq!(scene.question(&other)["resolution"]["type"], "human", "the default, and by a person");
}
