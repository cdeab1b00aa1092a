//! A person answers an agent on the forge, where it asked to be heard: told from outside, to the real binary.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use serde_json::{Value, json};
use sha2::Sha256;
use tempfile::TempDir;

use crate::support::agent::Agent;
use crate::support::hub_process::HubProcess;
use crate::support::plain_http::deliver;

const FORGES: &str = "a secret that both know";
/// 24 bytes in base64, as Standard Webhooks has them.
const TRACKERS: &str = "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

struct Stage {
    hub: HubProcess,
    data_dir: TempDir,
    config: TempDir,
}

fn secret(folder: &Path, name: &str, text: &str) -> std::path::PathBuf {
    let file = folder.join(name);
    fs::write(&file, text).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    file
}

fn start(data_dir: &Path, config: &Path) -> HubProcess {
    HubProcess::start_with(data_dir, &["--config", config.to_str().unwrap()])
}

fn stage() -> Stage {
    let (data_dir, config) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let github = secret(config.path(), "github.secret", FORGES);
    let tracker = secret(config.path(), "tracker.secret", &format!("whsec_{TRACKERS}"));
    let fields = json!({"item": "data.issue.key", "author": "data.comment.author.name"});
    let hub = json!({"webhooks": {"in": {
        "github": {"scheme": "github", "secretFile": &github},
        "organisation": {"scheme": "github", "secretFile": &github},
        "board": {"scheme": "standard", "secretFile": tracker, "fields": fields},
    }}});
    fs::write(config.path().join("hub.yaml"), hub.to_string()).unwrap();
    let people = json!({"people": {"ada": {
        "displayName": "Ada", "github": "ada-l", "tracker": "ada.l", "principal": "person:ada",
    }}});
    fs::write(config.path().join("people.yaml"), people.to_string()).unwrap();
    let hub = start(data_dir.path(), config.path());
    Stage { hub, data_dir, config }
}

fn mac(key: &[u8], parts: &str) -> Vec<u8> {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).unwrap();
    mac.update(parts.as_bytes());
    mac.finalize().into_bytes().to_vec()
}

/// A comment as GitHub sends it.
fn on_github(hub: &HubProcess, id: &str, login: &str, text: &str) -> (u16, Value) {
    let body = json!({
        "action": "created", "issue": {"number": 12}, "repository": {"full_name": "acme/web"},
        "comment": {"body": text, "user": {"login": login, "type": "User"}},
    })
    .to_string();
    let hex: String = mac(FORGES.as_bytes(), &body).iter().map(|byte| format!("{byte:02x}")).collect();
    let headers =
        format!("X-GitHub-Event: issue_comment\r\nX-GitHub-Delivery: {id}\r\nX-Hub-Signature-256: sha256={hex}\r\n");
    deliver(hub.port(), "/hooks/in/github", &headers, &body)
}

/// A comment as a tracker sends it that nobody here knows, signed so many seconds ago.
#[expect(clippy::disallowed_methods, reason = "it is signed by a program that has a clock of its own")]
fn on_the_board(hub: &HubProcess, id: &str, seconds_ago: u64, text: &str) -> (u16, Value) {
    let comment = json!({"body": text, "author": {"name": "ada.l"}});
    let body = json!({"type": "comment.created", "data": {"comment": comment, "issue": {"key": "KB-7"}}}).to_string();
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    let sent = now - seconds_ago;
    let signed = STANDARD.encode(mac(&STANDARD.decode(TRACKERS).unwrap(), &format!("{id}.{sent}.{body}")));
    let headers =
        format!("Webhook-Id: {id}\r\nWebhook-Timestamp: {sent}\r\nWebhook-Signature: v1,AAAA v1,{signed}\r\n");
    deliver(hub.port(), "/hooks/in/board", &headers, &body)
}

fn asks(hub: &HubProcess, agent: &Agent, what: &str) -> String {
    let ask = json!({ "question": what, "options": ["old", "new"], "default_action": "new",
        "timeout_minutes": 30, "wait_seconds": 0 });
    agent.calls(hub, "request_input", &ask)["question_id"].as_str().unwrap().to_owned()
}

/// The question once it has its answer.
fn answered(hub: &HubProcess, question: &str) -> Value {
    loop {
        let (_, known) = hub.get(&format!("/api/v1/questions/{question}"));
        if known["state"] == "resolved" {
            return known;
        }
        crate::support::pause(10);
    }
}

/// Whether anything of this session is still due.
fn is_due(hub: &HubProcess, what: &str) -> bool {
    hub.get("/admin/timers").1.to_string().contains(what)
}

#[test]
fn a_comment_on_the_forge_answers_and_the_timer_is_void() {
    let stage = stage();
    let agent = Agent::register(&stage.hub, "fullstack-1", "full-stack-engineer");
    agent.calls(&stage.hub, "link_task", &json!({"work_item": "acme/web#12"}));
    let question = asks(&stage.hub, &agent, "Old or new?");
    let due = "question's default applies";
    assert!(is_due(&stage.hub, due) || is_due(&stage.hub, "reminded"), "{}", stage.hub.get("/admin/timers").1);

    let (status, said) = on_github(&stage.hub, "d1", "mallory", "new");
    assert_eq!((status, &said["received"]), (202, &json!("kept")), "{said}");
    let heard = loop {
        let told = agent.calls(&stage.hub, "get_session", &json!({}));
        if told["notices"].is_array() {
            break told;
        }
        crate::support::pause(10);
    };
    assert!(heard["notices"][0]["text"].as_str().unwrap().contains("mallory"), "{heard}");
    assert_eq!(stage.hub.get(&format!("/api/v1/questions/{question}")).1["state"], "open");

    assert_eq!(on_github(&stage.hub, "d2", "Ada-L", "Old").0, 202);
    let known = answered(&stage.hub, &question);
    assert_eq!((&known["resolution"]["type"], &known["resolution"]["value"]), (&json!("human"), &json!("old")));
    assert_eq!(known["resolution"]["by"], json!({"principal": "person:ada", "displayName": "Ada"}), "{known}");
    assert!(!is_due(&stage.hub, due) && !is_due(&stage.hub, "reminded"), "{}", stage.hub.get("/admin/timers").1);

    // The same delivery once more, and the same body under another id.
    for id in ["d2", "d3"] {
        let (status, said) = on_github(&stage.hub, id, "Ada-L", "Old");
        assert_eq!((status, &said["received"]), (200, &json!("repeat")), "{id}: {said}");
    }
    assert_eq!(answered(&stage.hub, &question)["lateAnswers"], json!([]), "a repeat does nothing");
    assert_eq!(stage.hub.terminate().code(), Some(0));
}

#[test]
fn one_comment_that_comes_by_the_hook_of_the_repository_and_of_its_owner_is_heard_once() {
    let stage = stage();
    let agent = Agent::register(&stage.hub, "fullstack-1", "full-stack-engineer");
    agent.calls(&stage.hub, "link_task", &json!({"work_item": "acme/web#12"}));
    let tells = |source: &str, id: &str, more: Value| {
        let url = "https://git.example/acme/web/issues/12#issuecomment-7";
        let user = json!({"login": "mallory", "type": "User"});
        let mut body = json!({
            "action": "created", "issue": {"number": 12}, "repository": {"full_name": "acme/web"},
            "comment": {"id": 7, "html_url": url, "body": "new", "user": user},
        });
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let body = body.to_string();
        let hex: String = mac(FORGES.as_bytes(), &body).iter().map(|byte| format!("{byte:02x}")).collect();
        let headers = format!(
            "X-GitHub-Event: issue_comment\r\nX-GitHub-Delivery: {id}\r\nX-Hub-Signature-256: sha256={hex}\r\n"
        );
        deliver(stage.hub.port(), &format!("/hooks/in/{source}"), &headers, &body)
    };
    assert_eq!(tells("github", "d1", json!({})).0, 202);
    let (status, said) = tells("organisation", "d2", json!({"organization": {"login": "acme"}}));
    assert_eq!((status, &said["received"]), (200, &json!("repeat")), "{said}");
    let heard = loop {
        let told = agent.calls(&stage.hub, "get_session", &json!({}));
        if told["notices"].is_array() {
            break told["notices"].clone();
        }
        crate::support::pause(10);
    };
    assert_eq!(heard.as_array().map(Vec::len), Some(1), "{heard}");
    assert_eq!(stage.hub.terminate().code(), Some(0));
}

#[test]
fn who_cannot_prove_it_is_refused_and_changes_nothing() {
    let stage = stage();
    let agent = Agent::register(&stage.hub, "fullstack-1", "full-stack-engineer");
    agent.calls(&stage.hub, "link_task", &json!({"work_item": "KB-7"}));
    let question = asks(&stage.hub, &agent, "Old or new?");
    let port = stage.hub.port();
    for (source, headers, status, code) in [
        ("nobody", "", 404, "HOOK_NOT_FOUND"),
        ("github", "X-GitHub-Delivery: d1\r\n", 401, "SIGNATURE_MISSING"),
        ("github", "X-GitHub-Delivery: d1\r\nX-Hub-Signature-256: sha256=00\r\n", 401, "SIGNATURE_INVALID"),
        ("board", "Webhook-Id: m1\r\nWebhook-Timestamp: 1\r\nWebhook-Signature: v1,AAAA\r\n", 401, "SIGNATURE_INVALID"),
    ] {
        let (refused, said) = deliver(port, &format!("/hooks/in/{source}"), headers, "{}");
        assert_eq!((refused, &said["code"]), (status, &json!(code)), "{said}");
    }
    let (status, said) = on_the_board(&stage.hub, "m1", 360, "old");
    assert_eq!((status, &said["code"]), (401, &json!("SIGNATURE_TOO_OLD")), "{said}");
    assert_eq!(stage.hub.get(&format!("/api/v1/questions/{question}")).1["state"], "open");
    assert_eq!(on_the_board(&stage.hub, "m1", 0, "old").0, 202);
    assert_eq!(answered(&stage.hub, &question)["resolution"]["value"], "old");
    let audit = fs::read_to_string(stage.data_dir.path().join("audit.jsonl")).unwrap();
    for word in ["HOOK_NOT_FOUND", "SIGNATURE_MISSING", "SIGNATURE_INVALID", "SIGNATURE_TOO_OLD"] {
        assert_eq!(audit.contains(word), word != "HOOK_NOT_FOUND", "{word}");
    }
    assert_eq!(stage.hub.terminate().code(), Some(0));
}

#[test]
fn what_was_taken_is_done_though_the_hub_is_killed_before_it_was() {
    let Stage { mut hub, data_dir, config } = stage();
    let agent = Agent::register(&hub, "fullstack-1", "full-stack-engineer");
    agent.calls(&hub, "link_task", &json!({"work_item": "acme/web#12"}));
    for round in 0..4 {
        let question = asks(&hub, &agent, &format!("Old or new, {round}?"));
        let id = format!("d{round}");
        // Killed right behind the 202, most often before anything was done about it.
        // The same answer in another body.
        let text = format!("{}old", "\n".repeat(round));
        assert_eq!(on_github(&hub, &id, "ada-l", &text).0, 202);
        hub.kill();
        hub = start(data_dir.path(), config.path());
        let known = answered(&hub, &question);
        let by = (&known["resolution"]["value"], &known["resolution"]["by"]["principal"]);
        assert_eq!(by, (&json!("old"), &json!("person:ada")), "{known}");
        assert_eq!(on_github(&hub, &id, "ada-l", &text).0, 200, "a repeat is known after the restart");
        assert_eq!(answered(&hub, &question)["lateAnswers"], json!([]));
    }
    assert_eq!(hub.terminate().code(), Some(0));
}
