//! `callboard connect` as a user types it: shown, written, tried, and taken back.

use std::fs;
use std::process::Output;

use serde_json::Value;
use tempfile::TempDir;

use crate::support::hub_process::{HubProcess, callboard};

#[test]
fn a_client_is_connected_and_disconnected_by_one_command_each() {
    let (data_dir, home) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let hub = HubProcess::start(data_dir.path());
    let connect = |more: &[&str]| {
        let mut arguments = vec!["connect", "cursor", "--agent", "fullstack-1", "--role", "full-stack-engineer"];
        arguments.extend(more);
        hub.command(&arguments).env("HOME", home.path()).output().unwrap()
    };
    let said = |output: &Output| {
        let words = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{words}{}", String::from_utf8_lossy(&output.stderr));
        words
    };
    let file = home.path().join(".cursor/mcp.json");
    assert!(said(&connect(&["--dry-run"])).contains("+    \"callboard\": {"));
    assert!(!file.exists());
    let words = said(&connect(&[]));
    assert!(words.contains("the proxy and the hub answer"), "{words}");
    let written = fs::read_to_string(&file).unwrap();
    let entry: Value = serde_json::from_str(&written).unwrap();
    let arguments = entry["mcpServers"]["callboard"]["args"].as_array().unwrap();
    assert!(arguments.iter().any(|argument| argument == "fullstack-1"), "{written}");
    assert!(!written.contains("cb_"), "no token stands in it");
    assert!(words.contains("say to the client: \"Register at callboard as `fullstack-1`, role"), "{words}");
    let slip = ["connect", "json", "--agent", "fullstack-1", "--role", "full-stack-enginer"];
    let refused = hub.command(&slip).output().unwrap();
    let why = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert_eq!(refused.status.code(), Some(2), "{why}");
    assert!(why.contains("no role is called `full-stack-enginer`") && why.contains("full-stack-engineer?"), "{why}");
    said(&hub.command(&[&slip[..], &["--new-role"]].concat()).output().unwrap());
    said(&connect(&["--undo"]));
    assert!(!file.exists());
    let again = connect(&["--undo"]);
    assert_eq!(again.status.code(), Some(2), "there is nothing to take back");
}

#[test]
fn a_client_is_given_the_hubs_address_and_its_roles_instructions_and_both_are_taken_back() {
    let (data_dir, home) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let hub = HubProcess::start(data_dir.path());
    let notes = home.path().join(".claude/CLAUDE.md");
    fs::create_dir_all(notes.parent().unwrap()).unwrap();
    fs::write(&notes, "# Mine\n").unwrap();
    let connect = |more: &[&str]| {
        let mut arguments = vec!["connect", "claude", "--agent", "fullstack-1", "--role", "full-stack-engineer"];
        arguments.extend(["--http", "--with-instructions"].iter().chain(more));
        let output = hub.command(&arguments).env("HOME", home.path()).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let words = connect(&[]);
    assert!(words.contains("callboard token create --agent fullstack-1"), "{words}");
    let file = home.path().join(".claude.json");
    let entry: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    let entry = &entry["mcpServers"]["callboard"];
    assert_eq!(entry["url"], format!("http://127.0.0.1:{}/mcp", hub.port()));
    assert_eq!(entry["headers"]["Authorization"], "Bearer ${CALLBOARD_TOKEN}");
    let told = fs::read_to_string(&notes).unwrap();
    assert!(told.starts_with("# Mine\n") && told.contains("wait_for_prompt") && told.contains("fullstack-1"), "{told}");
    connect(&[]);
    let undo = ["connect", "claude", "--agent", "fullstack-1", "--undo"];
    let output = hub.command(&undo).env("HOME", home.path()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(fs::read_to_string(&notes).unwrap(), "# Mine\n", "however often, and without saying it again");
    assert!(!file.exists());
}

#[test]
fn who_asks_for_the_token_or_wrote_the_entry_is_said_as_it_is() {
    let (data_dir, home) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let connect = |client: &str, more: &[&str]| {
        let mut command = callboard(data_dir.path());
        command.env("HOME", home.path()).args(["connect", client, "--agent", "fullstack-1"]).args(more);
        let output = command.output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    };
    let (code, words, _) = connect("vscode", &["--http"]);
    assert!(code == Some(0) && words.contains("Visual Studio Code asks for it"), "{words}");
    assert!(!words.contains("CALLBOARD_TOKEN set"), "{words}");
    let (_, words, _) = connect("cursor", &["--http"]);
    assert!(words.contains("with CALLBOARD_TOKEN set to it"), "{words}");
    let (code, shown, said) = connect("json", &["--undo"]);
    assert_eq!((code, shown.as_str()), (Some(2), ""), "an entry that is printed is read as one to put in");
    assert!(said.contains("writes no file") && said.contains("take the entry `callboard` out"), "{said}");
}

#[test]
fn a_client_is_allowed_to_call_unasked_and_doctor_sees_whether_it_is() {
    let (data_dir, home) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let hub = HubProcess::start(data_dir.path());
    let types = |arguments: &[&str]| {
        let output = hub.command(arguments).env("HOME", home.path()).current_dir(home.path()).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let settings = home.path().join(".claude/settings.json");
    fs::create_dir_all(settings.parent().unwrap()).unwrap();
    let theirs = "{\n  \"permissions\": {\"allow\": [\"Bash(ls)\"]}\n}\n";
    fs::write(&settings, theirs).unwrap();
    for (client, file) in [("claude", &settings), ("gemini", &home.path().join(".gemini/settings.json"))] {
        let connect = ["connect", client, "--agent", "fullstack-1", "--role", "full-stack-engineer"];
        types(&connect);
        let asks = types(&["doctor", "--no-wait"]);
        assert!(
            asks.contains(&format!("client {client} unattended: it asks its user")) && asks.contains("--allow"),
            "{asks}"
        );
        let words = types(&[&connect[..], &["--allow"]].concat());
        assert!(words.contains("--allow grants") && words.contains("--undo"), "{words}");
        let written = fs::read_to_string(file).unwrap();
        assert!(written.contains("\"mcp__callboard\"") || written.contains("\"trust\": true"), "{written}");
        let free = types(&["doctor", "--no-wait"]);
        assert!(
            free.contains(&format!("client {client} unattended: it calls callboard's tools without asking")),
            "{free}"
        );
        types(&["connect", client, "--agent", "fullstack-1", "--undo"]);
    }
    assert_eq!(fs::read_to_string(&settings).unwrap(), theirs, "byte by byte");
    assert!(!home.path().join(".gemini/settings.json").exists());
}

#[test]
fn instructions_say_what_a_client_itself_makes_hard() {
    let (data_dir, home) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    for (client, file, says) in [
        ("claude", ".claude/CLAUDE.md", "end your turn; the result will come to you"),
        ("gemini", ".gemini/GEMINI.md", "The user asks you to follow the field `prompt`"),
        ("codex", ".codex/AGENTS.md", "wait_for_prompt"),
    ] {
        let mut command = callboard(data_dir.path());
        command.env("HOME", home.path()).args(["connect", client, "--agent", "fullstack-1", "--with-instructions"]);
        assert!(command.args(["--role", "full-stack-engineer"]).status().unwrap().success());
        let told = fs::read_to_string(home.path().join(file)).unwrap();
        assert!(told.contains(says), "{told}");
        assert_eq!(told.contains("end your turn") || told.contains("The user asks"), client != "codex", "{told}");
    }
}
