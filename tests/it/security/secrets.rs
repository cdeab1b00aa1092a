//! What people type at prompts for secrets, and agents tell of: it is kept nowhere, under whatever a prompt is painted.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::Path;

use serde_json::{Value, json};

use super::raw::Stage;
use crate::support::{pause, plain_http};

/// Prompts for secrets, as programs write them.
const PROMPTS: [&str; 10] = [
    "Password:",
    "API key:",
    "Token?",
    "\u{1b}[1mPassword\u{1b}[0m: ",
    "\u{1b}[31mPass\u{1b}[0m\u{1b}[1mword\u{1b}[0m:",
    "Enter passphrase for key '/home/ann/.ssh/id_ed25519': ",
    "[sudo] password for ann: ",
    "PASSWORD:",
    "Pass\u{200b}word:",
    "Client secret: ",
];

/// Every file below a folder that holds this.
fn holders(folder: &Path, text: &str) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let found = entries.flat_map(|path| {
        if path.is_dir() {
            return holders(&path, text);
        }
        let bytes = fs::read(&path).unwrap();
        let holds = bytes.windows(text.len()).any(|piece| piece == text.as_bytes());
        holds.then(|| path.display().to_string()).into_iter().collect()
    });
    found.collect()
}

/// SEC-58: what is typed at a prompt for a secret is nowhere: in no file, no event, no log.
#[test]
fn a_secret_that_an_agent_tells_of_is_kept_nowhere() {
    let stage = Stage::with("log:\n  level: trace\n");
    let agent = stage.agent("a1", "full-stack-engineer");
    let known = json!({ "agentId": "a1", "role": "full-stack-engineer", "capabilities": [] });
    let session = stage.uses(&agent, "register_agent", &known)["sessionId"].as_str().unwrap().to_owned();
    let tells = |number: usize, prompt: &str, source: &str| {
        let tracked = json!({
            "session_id": session, "prompt_text": prompt, "input_text": format!("canary-secret-{number}"),
            "success": true, "input_source": source, "idempotencyKey": format!("{source}-{number}"),
        });
        // By both doors.
        let plain = stage.uses(&agent, "track_input_event", &tracked);
        let (_, mcp) = plain_http::call_by_mcp(stage.port(), &agent, "track_input_event", &tracked).unwrap();
        for said in [plain, mcp] {
            assert_eq!(
                (&said["recorded"], &said["pattern_updated"]),
                (&json!(true), &json!(false)),
                "{prompt}: {said}"
            );
            assert!(!said.to_string().contains("canary-secret"), "{said}");
        }
    };
    for (number, prompt) in PROMPTS.into_iter().enumerate() {
        tells(number, prompt, "user_typed");
        tells(number, prompt, "auto_injected");
    }
    let many = 2 * PROMPTS.len();
    // What was tracked is in the journal by now; the audit reads it from there.
    while stage.until_audited("session.input_tracked").len() < many {
        pause(10);
    }
    let headers = "Accept: application/x-ndjson\r\n";
    let operator = stage.hub.operator_token();
    let path = "/api/v1/events?after=0";
    let stream = stage.begins(&plain_http::request(stage.port(), "GET", path, &operator, headers, &Value::Null));
    let mut told = 0;
    for line in BufReader::new(stream).lines().map_while(Result::ok) {
        assert!(!line.contains("canary-secret"), "{line}");
        told += usize::from(line.contains("session.input_tracked"));
        if told == many {
            break;
        }
    }
    assert_eq!(told, many, "each of them is an event");
    for path in [
        format!("/api/v1/sessions/{session}/history"),
        format!("/api/v1/sessions/{session}"),
        "/api/v1/patterns".to_owned(),
        "/api/v1/snapshot".to_owned(),
        "/admin/actors".to_owned(),
    ] {
        let (status, said) = stage.hub.get(&path);
        assert!(status == 200 && !said.to_string().contains("canary-secret"), "{path}: {said}");
    }
    let place = stage.data_dir.path().to_owned();
    assert!(!holders(&place, "[REDACTED]").is_empty(), "what was told is kept without it");
    assert_eq!(holders(&place, "canary-secret"), Vec::<String>::new());
    // Nor does a life that begins with these records say it.
    let stage = stage.crashes_and_restarts();
    assert_eq!(stage.hub.get(&format!("/api/v1/sessions/{session}/history")).0, 200);
    assert_eq!(holders(&place, "canary-secret"), Vec::<String>::new());
}
