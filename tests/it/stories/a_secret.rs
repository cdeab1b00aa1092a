//! What is typed at a prompt for a secret is known to nobody but who typed it: whether the terminal hid it, the program
//! showed it, somebody pushed it, a log file had it, or a caller told of it. Not the journal, its log, the transcripts,
//! the hub's own log at its loudest, an event, a view, an error.

use std::fs;
use std::io::Write as _;
use std::path::Path;

use serde_json::{Value, json};

use crate::support::hub_process::HubProcess;
use crate::support::watched::{FOLLOWED, Scene};

/// Every secret of the story has this in it, and nothing else has.
const CANARY: &str = "c4nary";

#[track_caller]
fn is_silent(what: &str, text: &str) {
    assert!(!text.contains(CANARY), "{what} says it: {text}");
}

/// Each file below a folder that says it, and how many were looked at.
fn told_in(folder: &Path, told: &mut Vec<String>) -> usize {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut looked = 0;
    for path in entries.filter(|path| !path.ends_with(FOLLOWED)) {
        if path.is_dir() {
            looked += told_in(&path, told);
            continue;
        }
        let bytes = fs::read(&path).unwrap();
        if bytes.windows(CANARY.len()).any(|part| part == CANARY.as_bytes()) {
            told.push(path.display().to_string());
        }
        looked += 1;
    }
    looked
}

fn tool(hub: &HubProcess, token: &str, name: &str, arguments: &Value) -> (u16, Value) {
    hub.post_as(token, &format!("/api/v1/tools/{name}"), arguments)
}

/// Typed at prompts of a hosted program, one of which shows what is typed.
fn is_typed(scene: &Scene) {
    let script = "read -s -p 'Password: ' word; echo; read -p 'PIN: ' pin; \
                  echo 'Enter your password:'; read below; read -p 'Name: ' name; \
                  echo \"postgres://$name:$word@db/$pin\"; echo done";
    let mut terminal = scene.hosts_and_types(script);
    scene.sees("Password:", |prompt| prompt["signals"][0] == "tty_read");
    let answer = json!({"text": "c4nary-answer", "promptText": "Password:", "reason": "it was asked"});
    let (status, refused) = scene.hub.post(&format!("/api/v1/sessions/{}/input", scene.session()), &answer);
    assert_eq!((status, &refused["code"]), (403, &json!("PROMPT_SECRET")));
    is_silent("a refusal", &refused.to_string());
    terminal.presses("c4nary-hidden\r");
    // Faster than anybody looks.
    terminal.shows("PIN: ");
    terminal.presses("c4nary-shown\r");
    // Not in the row of what asks for it.
    scene.sees("Enter your password:", |prompt| prompt["signals"][0] == "tty_read");
    terminal.presses("my-c4nary");
    terminal.shows("my-c4nary");
    terminal.presses("-below\r");
    scene.is_safe_at("Name:");
    terminal.presses("bob\r");
    terminal.shows("done");
    assert!(terminal.screen.contains("my-c4nary-below"), "in view is in view");
    assert!(terminal.screen.contains("c4nary-shown"), "who sits there sees what they typed");
    assert!(terminal.screen.contains("postgres://bob:c4nary-hidden@db/"), "and what the program makes of it");
    assert!(terminal.ends().0.success());
}

/// Told, pushed in one piece and in several, and read from a log.
fn is_told_of(scene: &Scene) {
    let (agent, operator) = (scene.agent.token().to_owned(), scene.hub.operator_token());
    let session = scene.session();
    for text in ["Enter passphrase: c4nary-pushed\r\nok\r\n", "Password: ", "c4nary-in-", "pieces\r\nok\r\n$ "] {
        assert_eq!(tool(&scene.hub, &agent, "append_output", &json!({"session_id": session, "text": text})).0, 200);
    }
    for (token, prompt) in [(&agent, "Password:"), (&operator, "[sudo] password for dev:"), (&operator, "API token?")] {
        let told = json!({"session_id": session, "prompt_text": prompt, "input_text": "c4nary-told", "success": true,
            "input_source": "user_typed"});
        let (status, body) = tool(&scene.hub, token, "track_input_event", &told);
        assert_eq!(status, 200, "{body}");
        is_silent("an answer", &body.to_string());
        let mut wrong = told;
        wrong["success"] = json!("maybe");
        let (status, body) = tool(&scene.hub, token, "track_input_event", &wrong);
        assert_eq!(status, 400, "{body}");
        is_silent("an error", &body.to_string());
    }
    let log = scene.data_dir.path().join(FOLLOWED).join("session.log");
    let mut file = fs::File::create(&log).unwrap();
    let follows = json!({"session_id": "ssh-1", "session_type": "ssh", "log_file": log});
    assert_eq!(tool(&scene.hub, &operator, "start_session_monitor", &follows).0, 200);
    write!(file, "ada@box's password: c4nary-logged\r\nLast login: today\r\n$ ").unwrap();
    let updates = tool(&scene.hub, &operator, "get_session_updates", &json!({"session_id": "ssh-1"})).1;
    assert!(updates["new_content"].as_str().unwrap().contains("Last login"), "it was read: {updates}");
    is_silent("a monitor", &updates.to_string());
}

fn is_shown_nowhere(scene: &Scene) {
    let session = scene.session();
    for path in [
        format!("/api/v1/sessions/{session}/transcript"),
        format!("/api/v1/sessions/{session}/output"),
        format!("/api/v1/sessions/{session}/history?limit=500"),
        "/api/v1/sessions/ssh-1/transcript".to_owned(),
        "/api/v1/snapshot".to_owned(),
        "/api/v1/patterns".to_owned(),
        "/api/v1/inbox".to_owned(),
        "/admin/actors".to_owned(),
        "/admin/journal".to_owned(),
    ] {
        let (status, body) = scene.hub.get(&path);
        assert_eq!(status, 200, "{path}: {body}");
        is_silent(&path, &body.to_string());
    }
    let told = scene.hub.command(&["event", "list", "--after", "0", "-o", "json"]).output().unwrap();
    let told = String::from_utf8_lossy(&told.stdout).into_owned();
    assert!(told.contains("session.input_tracked"), "{told}");
    is_silent("the events", &told);
    // An expression, so that what is looked for does not itself say it.
    let search = json!({"query": "c4n.ry", "max_results": 100});
    let found = tool(&scene.hub, &scene.hub.operator_token(), "search_session_history", &search).1;
    assert_eq!(found["total_matches"], 0, "{found}");
    let search = json!({"query": "REDACTED", "max_results": 100});
    let found = tool(&scene.hub, &scene.hub.operator_token(), "search_session_history", &search).1;
    assert!(found["total_matches"].as_u64().unwrap() >= 3, "what was typed had come: {found}");
}

#[test]
fn a_secret_stays_with_who_typed_it_however_it_came() {
    let scene = Scene::new();
    is_typed(&scene);
    is_told_of(&scene);
    is_shown_nowhere(&scene);
    let Scene { hub, data_dir, .. } = scene;
    // Also what a crash leaves: the write-ahead logs are there then.
    hub.kill();
    let mut told = Vec::new();
    let looked = told_in(data_dir.path(), &mut told);
    assert!(told.is_empty(), "it is in {told:?}");
    assert!(looked >= 6, "journal, transcripts, their logs, the hub's log, the audit: {looked}");
    let again = Scene::hub(&data_dir);
    assert!(again.terminate().success());
    told_in(data_dir.path(), &mut told);
    assert!(told.is_empty(), "it is in {told:?}");
}
