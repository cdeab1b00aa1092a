//! The hub sees what is printed below `callboard run` and whether it waits for somebody; who types a secret is the only
//! one to know it; and a hub that goes away and comes back is noticed by nobody at the terminal.

use std::fs;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::agent::Agent;
use crate::support::events::Events;
use crate::support::hub_process::{HubProcess, callboard};
use crate::support::pause;
use crate::support::terminal::Terminal;

/// A hub that says all it could say, and an agent with a session.
struct Scene {
    hub: HubProcess,
    agent: Agent,
    data_dir: TempDir,
}

impl Scene {
    fn new() -> Self {
        let data_dir = TempDir::new().unwrap();
        let hub = Self::hub(&data_dir);
        let agent = Agent::register(&hub, "host-1", "full-stack-engineer");
        Self { hub, agent, data_dir }
    }

    fn hub(data_dir: &TempDir) -> HubProcess {
        let config = data_dir.path().join("config");
        fs::create_dir_all(&config).unwrap();
        fs::write(config.join("hub.yaml"), "log:\n  level: trace\n").unwrap();
        HubProcess::start_with(data_dir.path(), &["--config", config.to_str().unwrap()])
    }

    /// `callboard run … -- bash -c SCRIPT`, which finds the hub by its data directory.
    fn hosts(&self, script: &str) -> Terminal {
        let mut run = callboard(self.data_dir.path());
        run.args(["run", "--agent", "host-1", "--", "bash", "--norc", "--noprofile", "-c", script]);
        Terminal::start(run)
    }

    fn events(&self) -> Events {
        Events::of(&self.hub)
    }

    fn session(&self) -> String {
        let answer = self.agent.calls(&self.hub, "get_session", &json!({}));
        let session = &answer["session"];
        let id = session.get("sessionId").or_else(|| session.get("session_id")).and_then(Value::as_str);
        id.unwrap_or_else(|| panic!("the agent has a session: {answer}")).to_owned()
    }

    /// What waits, once the host has said what its kernel knows: on a slow machine the screen speaks first.
    fn seen_by_the_host(&self) -> Value {
        let session = json!({ "session_id": self.session() });
        let mut seen = Value::Null;
        for _ in 0..1_000 {
            seen = self.agent.calls(&self.hub, "detect_input_prompt", &session)["prompt"].take();
            if seen["signals"][0] == "tty_read" {
                return seen;
            }
            pause(60);
        }
        panic!("the host never says that the program reads: {seen}");
    }

    fn transcript(&self) -> Value {
        self.hub.get(&format!("/api/v1/sessions/{}/transcript", self.session())).1
    }
}

#[test]
fn a_prompt_is_seen_with_what_only_the_host_knows() {
    let scene = Scene::new();
    let events = scene.events();
    let mut terminal =
        scene.hosts("read -p 'Delete 3 tables? (yes/no): ' answer; echo so be it; read -p 'Name: ' name");
    let seen = &events.next("session.input_prompt_detected")["prompt"];
    assert_eq!(seen["prompt_text"], "Delete 3 tables? (yes/no):");
    assert_eq!((&seen["prompt_type"], &seen["is_dangerous"]), (&json!("yes_no"), &json!(true)));
    assert_eq!(scene.seen_by_the_host()["safe_to_type"], true);
    terminal.shows("(yes/no): ");
    terminal.presses("no\r");
    events.next("session.input_prompt_gone");
    let seen = &events.next("session.input_prompt_detected")["prompt"];
    assert_eq!((&seen["prompt_text"], &seen["prompt_type"]), (&json!("Name:"), &json!("text")));
    let answer = events.next("session.input_tracked");
    assert_eq!((&answer["source"], &answer["provenance"]), (&json!("user_typed"), &json!("attested")), "{answer}");
    assert_eq!((&answer["promptText"], &answer["success"]), (&json!("Delete 3 tables? (yes/no):"), &json!(true)));
    terminal.presses("\r");
    assert!(terminal.ends().0.success());
}

#[test]
fn programs_that_ask_are_found_each_in_its_own_way() {
    let scene = Scene::new();
    let events = scene.events();
    let ways = [
        ("exec python3 -c 'input(\"Which port? \")'", "Which port?", "text"),
        ("exec python3 -c 'import getpass; getpass.getpass(\"Passphrase: \")'", "Passphrase:", "password"),
        ("printf 'secret word, please'; stty -echo; read word; stty echo", "secret word, please", "password"),
    ];
    for (script, text, kind) in ways {
        let mut terminal = scene.hosts(script);
        let seen = &events.next("session.input_prompt_detected")["prompt"];
        assert_eq!(seen["prompt_type"], kind, "{script}: {seen}");
        assert!(seen["prompt_text"].as_str().unwrap().contains(text), "{script}: {seen}");
        assert_eq!(seen["safe_to_type"], kind != "password", "{script}: {seen}");
        terminal.signals("HUP");
        terminal.has_ended();
        events.next("session.input_prompt_gone");
    }
}

#[test]
fn a_secret_stays_with_who_typed_it() {
    let scene = Scene::new();
    let events = scene.events();
    let canary = "c4nary-Pa55";
    let mut terminal = scene.hosts("read -s -p 'Password: ' word; echo; read -p 'PIN: ' pin; echo done");
    terminal.shows("Password: ");
    events.next("session.input_prompt_detected");
    terminal.presses(&format!("{canary}\r"));
    terminal.shows("PIN: ");
    events.next("session.input_prompt_detected");
    terminal.presses("\r");
    terminal.shows("done");
    let answer = events.next("session.input_tracked");
    assert_eq!((&answer["promptType"], &answer["provenance"]), (&json!("password"), &json!("attested")), "{answer}");
    assert!(terminal.ends().0.success());
    drop(events);
    let Scene { hub, data_dir, .. } = scene;
    assert!(hub.terminate().success());
    let mut files = 0;
    for entry in fs::read_dir(data_dir.path()).unwrap().map(Result::unwrap).filter(|entry| entry.path().is_file()) {
        let bytes = fs::read(entry.path()).unwrap();
        assert!(!bytes.windows(canary.len()).any(|part| part == canary.as_bytes()), "it is in {:?}", entry.path());
        files += 1;
    }
    assert!(files >= 3, "journal, log and transcripts were looked at");
}

#[test]
fn a_hub_that_dies_and_comes_back_is_not_noticed_and_misses_nothing() {
    let scene = Scene::new();
    let events = scene.events();
    let script = "echo before; read -p 'One? ' a; echo while nobody looked; read -p 'Two? ' b; echo code $a$b; exit 6";
    let mut terminal = scene.hosts(script);
    events.next("session.input_prompt_detected");
    let Scene { hub, agent, data_dir } = scene;
    hub.kill();
    terminal.shows("One? ");
    terminal.presses("1\r");
    terminal.shows("while nobody looked");
    terminal.shows("Two? ");
    drop(events);
    let scene = Scene { hub: Scene::hub(&data_dir), agent, data_dir };
    let events = scene.events();
    while events.next("session.input_prompt_detected")["prompt"]["prompt_text"] != "Two?" {}
    let text = scene.transcript()["text"].clone();
    let text = text.as_str().unwrap();
    assert!(text.contains("before") && text.contains("while nobody looked"), "{text:?}");
    assert_eq!(text.matches("while nobody looked").count(), 1, "{text:?}");
    terminal.presses("2\r");
    terminal.shows("code 12");
    assert_eq!(terminal.ends().0.code(), Some(6));
}
