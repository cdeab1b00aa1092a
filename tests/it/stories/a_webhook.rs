//! Events reach a subscriber signed, in order and under one id at every attempt, though it fails and the hub dies.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use serde_json::{Value, json};
use sha2::Sha256;
use tempfile::TempDir;

use crate::support::hub_process::HubProcess;
use crate::support::receiver::{ReceivedPost, Webhooks};

/// 24 bytes, which the specification's example has.
const KEY: &str = "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

/// A folder of settings with one webhook to `port`.
fn settings(folder: &Path, port: u16) {
    let secret = folder.join("secret");
    fs::write(&secret, format!("whsec_{KEY}\n")).unwrap();
    fs::set_permissions(&secret, fs::Permissions::from_mode(0o600)).unwrap();
    let yaml = json!({"webhooks": {"out": {"builds": {
        "url": format!("http://127.0.0.1:{port}/hook?key=k"),
        "secretFile": secret,
        "events": ["task"],
        "allowPrivate": true,
    }}}});
    fs::write(folder.join("hub.yaml"), yaml.to_string()).unwrap();
}

fn start(data_dir: &Path, folder: &Path) -> HubProcess {
    HubProcess::start_with(data_dir, &["--config", folder.to_str().unwrap()])
}

/// The event that was posted; its signature is that of the receiver's own secret.
fn verified(heard: &ReceivedPost) -> Value {
    let header = |name: &str| heard.headers.get(name).unwrap_or_else(|| panic!("no {name}: {:?}", heard.headers));
    let mut mac = Hmac::<Sha256>::new_from_slice(&STANDARD.decode(KEY).unwrap()).unwrap();
    mac.update(format!("{}.{}.{}", header("webhook-id"), header("webhook-timestamp"), heard.text).as_bytes());
    assert_eq!(header("webhook-signature"), &format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes())));
    assert_eq!(header("content-type"), "application/json");
    assert!(!heard.headers.contains_key("authorization"), "{:?}", heard.headers);
    heard.body()
}

fn asked(hub: &HubProcess, prompt: &str) -> String {
    let (status, said) = hub.post("/api/v1/tasks", &json!({"targetAgentId": "role:designer", "prompt": prompt}));
    assert!(status < 300, "{said}");
    said["taskId"].as_str().expect("a task").to_owned()
}

#[test]
fn what_happens_to_a_task_is_heard_once_though_the_subscriber_fails_and_the_hub_dies() {
    let (data_dir, folder) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let receiver = Webhooks::start();
    settings(folder.path(), receiver.port);
    let hub = start(data_dir.path(), folder.path());
    let task = asked(&hub, "Draw it, and tell nobody of swordfish.");
    let made = receiver.next();
    let event = verified(&made);
    assert_eq!((&event["type"], &event["subject"]["task"]), (&json!("task.created"), &json!(task)));
    assert!(!made.text.contains("swordfish"), "texts of prompts stay in the hub: {}", made.text);

    receiver.answers(500);
    let (status, said) = hub.post(&format!("/api/v1/tasks/{task}/cancel"), &json!({"reason": "no more"}));
    assert_eq!(status, 200, "{said}");
    let first = receiver.next();
    assert_eq!(verified(&first)["type"], "task.cancelled");
    hub.kill();
    receiver.answers(204);
    let hub = start(data_dir.path(), folder.path());
    while arrived(&hub) < 2 {
        crate::support::pause(10);
    }

    let (status, said) = hub.get("/api/v1/webhooks");
    let webhook = &said["items"][0];
    assert_eq!((status, &webhook["name"], &webhook["stopped"]), (200, &json!("builds"), &json!(false)), "{said}");
    assert!(!said.to_string().contains("key=k") && !said.to_string().contains("MfKQ"), "no secret is shown: {said}");
    let (status, said) = hub.post("/api/v1/webhooks/builds/test", &json!({}));
    assert_eq!((status, &said["delivered"]), (200, &json!(true)), "{said}");
    // Once before the hub died, perhaps, and once after that.
    let mut attempts = 0;
    loop {
        let heard = receiver.next();
        if verified(&heard)["type"] == "webhook.test" {
            break;
        }
        attempts += 1;
        assert_eq!(heard.headers["webhook-id"], first.headers["webhook-id"], "each attempt has the same id");
        assert_eq!(verified(&heard), verified(&first));
    }
    assert!(attempts > 0, "it was not tried again");
    assert_eq!(hub.post("/api/v1/webhooks/nobody/test", &json!({})).1["code"], "WEBHOOK_NOT_FOUND");
}

/// How many deliveries arrived.
fn arrived(hub: &HubProcess) -> u64 {
    hub.get("/api/v1/webhooks").1["items"][0]["delivered"].as_u64().unwrap_or_default()
}

/// At 410 the subscriber wants no more: the webhook is stopped, a person sees why, and has it go on.
#[test]
fn a_subscriber_that_is_gone_stops_its_webhook_until_a_person_decides() {
    let (data_dir, folder) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let receiver = Webhooks::start();
    receiver.answers(410);
    settings(folder.path(), receiver.port);
    let hub = start(data_dir.path(), folder.path());
    let task = asked(&hub, "Draw it.");
    let refused = receiver.next();
    let dead = loop {
        let (_, said) = hub.get("/api/v1/outbox?state=dead-letter");
        if let Some(id) = said["items"][0]["id"].as_str() {
            assert_eq!(said["items"][0]["reason"], "answered 410", "{said}");
            break id.to_owned();
        }
        crate::support::pause(10);
    };
    let listed = hub.command(&["webhook", "list"]).output().unwrap();
    let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
    assert!(listed.contains("builds") && listed.contains("stopped"), "{listed}");
    let tried = hub.command(&["webhook", "test", "builds"]).output().unwrap();
    let words = String::from_utf8_lossy(&tried.stderr).into_owned();
    assert!(!tried.status.success() && words.contains("answered 410"), "{words}");
    assert_eq!(verified(&receiver.next())["type"], "webhook.test");

    receiver.answers(200);
    let retried = hub.command(&["outbox", "retry", &dead]).output().unwrap();
    assert!(retried.status.success(), "{}", String::from_utf8_lossy(&retried.stderr));
    let again = receiver.next();
    assert_eq!(again.headers["webhook-id"], refused.headers["webhook-id"]);
    while hub.get("/api/v1/webhooks").1["items"][0]["stopped"] != false || arrived(&hub) < 1 {
        crate::support::pause(10);
    }
    let (status, _) = hub.post(&format!("/api/v1/tasks/{task}/cancel"), &json!({"reason": "no more"}));
    assert_eq!(status, 200);
    assert_eq!(verified(&receiver.next())["type"], "task.cancelled", "it goes on");
}

/// What is added while the hub runs begins with its next start, and nobody is told before that it is on.
#[test]
fn a_new_webhook_is_not_said_to_be_on_before_it_is() {
    let (data_dir, folder) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let receiver = Webhooks::start();
    fs::write(folder.path().join("hub.yaml"), "leases: {ttl: 50m}\n").unwrap();
    let hub = start(data_dir.path(), folder.path());
    settings(folder.path(), receiver.port);
    hub.reads_its_settings();
    let ttl = |hub: &HubProcess| {
        let (_, said) = hub.get("/admin/settings");
        let all = said["items"].as_array().cloned().unwrap_or_default();
        all.into_iter().find(|one| one["key"] == "leases.ttl").map(|one| one["value"].clone())
    };
    assert!(ttl(&hub).is_some());
    while ttl(&hub) == Some(json!("50m")) {
        crate::support::pause(10);
    }
    assert_eq!(hub.get("/api/v1/webhooks").1["items"], json!([]));
    let (status, said) = hub.post("/api/v1/webhooks/builds/test", &json!({}));
    assert_eq!((status, &said["code"]), (404, &json!("WEBHOOK_NOT_FOUND")), "{said}");
    assert_eq!(hub.terminate().code(), Some(0));
    let hub = start(data_dir.path(), folder.path());
    assert_eq!(hub.get("/api/v1/webhooks").1["items"][0]["name"], "builds");
}
