//! A webhook that a person adds while the hub runs: told its secret once, heard over crashes, stopped and enabled with
//! what it missed, and stopped with why when its secret is gone.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::hub_process::HubProcess;
use crate::support::receiver::Webhooks;

fn says(hub: &HubProcess, args: &[&str]) -> (String, i32) {
    let output = hub.command(args).output().unwrap();
    let words = [output.stdout, output.stderr].concat();
    (String::from_utf8(words).unwrap(), output.status.code().unwrap())
}

fn asked(hub: &HubProcess) -> String {
    let (status, said) = hub.post("/api/v1/tasks", &json!({"targetAgentId": "role:designer", "prompt": "Draw it."}));
    assert!(status < 300, "{said}");
    said["taskId"].as_str().unwrap().to_owned()
}

fn shown(hub: &HubProcess) -> Value {
    hub.get("/api/v1/webhooks").1["items"][0].clone()
}

#[test]
fn an_added_webhook_is_heard_over_a_crash_says_what_it_missed_and_is_stopped_without_its_secret() {
    let data_dir = TempDir::new().unwrap();
    let receiver = Webhooks::start();
    let hub = HubProcess::start_with(data_dir.path(), &[]);
    asked(&hub);
    let (url, out) = (format!("http://127.0.0.1:{}/", receiver.port), data_dir.path().join("told.secret"));
    let add = ["webhook", "add", "builds", &url, "--events", "task", "--allow-private", "--out", out.to_str().unwrap()];
    let (said, code) = says(&hub, &add);
    assert!(code == 0 && said.contains("hears task from now on"), "{said}");
    let secret = fs::read_to_string(&out).unwrap();
    assert!(!said.contains(secret.trim()), "it is in the file alone: {said}");
    let (said, code) = says(&hub, &add[..7]);
    assert!(code == 3 && said.contains("there is a webhook `builds` already"), "{code}: {said}");
    let task = asked(&hub);
    assert_eq!(receiver.next().verified(&secret)["subject"]["task"], json!(task), "from its own record on");

    hub.kill();
    let hub = HubProcess::start_with(data_dir.path(), &[]);
    let task = asked(&hub);
    let mut heard = receiver.next().verified(&secret);
    // The one before is heard again, where the hub died before it wrote that it was.
    while heard["subject"]["task"] != json!(task) {
        heard = receiver.next().verified(&secret);
    }

    // It is gone: stopped, with since when, why, and how much it missed.
    receiver.answers(410);
    asked(&hub);
    receiver.next();
    while shown(&hub)["stopped"] != true {
        crate::support::pause(10);
    }
    for _ in 0..2 {
        asked(&hub);
    }
    let gap = shown(&hub)["gap"].clone();
    assert_eq!((&gap["why"], &gap["missed"]), (&json!("answered 410"), &json!(2)), "{gap}");
    let (listed, _) = says(&hub, &["webhook", "list"]);
    assert!(listed.contains("stopped") && listed.contains("answered 410"), "{listed}");
    receiver.answers(204);
    let (said, code) = says(&hub, &["webhook", "enable", "builds", "--drop"]);
    assert!(code == 0 && said.contains("It missed 2: `callboard event list --after"), "{said}");
    let read = gap["read"].as_str().unwrap();
    assert_eq!(read, format!("GET /api/v1/events?after={}", gap["after"]));
    let task = asked(&hub);
    assert_eq!(receiver.next().verified(&secret)["subject"]["task"], json!(task), "it hears again");
    assert_eq!((&shown(&hub)["stopped"], shown(&hub).get("gap")), (&json!(false), None));

    // Without its secret it is stopped, and says why; the hub serves on, and a new secret mends it.
    assert_eq!(hub.terminate().code(), Some(0));
    let folder = data_dir.path().join("webhooks");
    assert_eq!(fs::metadata(&folder).unwrap().permissions().mode() & 0o777, 0o700);
    for file in fs::read_dir(&folder).unwrap() {
        fs::remove_file(file.unwrap().path()).unwrap();
    }
    let hub = HubProcess::start_with(data_dir.path(), &[]);
    let lost = shown(&hub);
    assert!(lost["stopped"] == true && lost["fault"].as_str().unwrap().contains("failed to read"), "{lost}");
    let (said, code) = says(&hub, &["webhook", "enable", "builds"]);
    assert!(code == 2 && said.contains("cannot hear"), "{code}: {said}");
    let (said, code) = says(&hub, &["webhook", "change", "builds", "--new-secret", "-o", "json"]);
    let changed: Value = serde_json::from_str(&said).unwrap_or_else(|_| panic!("{code}: {said}"));
    let newer = changed["secret"].as_str().unwrap();
    asked(&hub);
    assert_eq!(receiver.next().verified(newer)["type"], "task.created");
    let (said, code) = says(&hub, &["webhook", "remove", "builds"]);
    assert!(code == 0 && said.contains("is removed"), "{said}");
    assert_eq!(hub.get("/api/v1/webhooks").1["items"], json!([]));
    assert_eq!(hub.terminate().code(), Some(0));
    let log = fs::read_to_string(data_dir.path().join("hub.log")).unwrap();
    let audit = fs::read_to_string(data_dir.path().join("audit.jsonl")).unwrap();
    for text in [&log, &audit] {
        assert!(!text.contains(newer) && !text.contains(secret.trim()), "no secret is told twice");
    }
    for action in ["hub.webhook_added", "hub.webhook_changed", "hub.webhook_removed"] {
        assert!(audit.contains(action) && audit.contains("webhook:builds"), "{action} is in no line: {audit}");
    }
}
