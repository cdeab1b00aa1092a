//! What lies on the disk: of secrets a keyed digest, and all of it for its owner alone.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use hmac::{Hmac, KeyInit as _, Mac as _};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::raw::Stage;
use crate::support::hub_process::HubProcess;
use crate::support::pause;
use crate::support::proxy_process::ProxyProcess;

/// What follows the public id.
fn secret(token: &str) -> &str {
    &token.rsplit_once('_').unwrap().1[..43]
}

/// A file or folder and everything below it.
fn everything(path: &Path) -> Vec<PathBuf> {
    let below = if path.is_dir() { fs::read_dir(path).unwrap().collect() } else { Vec::new() };
    let below = below.into_iter().flat_map(|entry| everything(&entry.unwrap().path()));
    [path.to_owned()].into_iter().chain(below).collect()
}

fn is_its_owners_alone(path: &Path) {
    let mode = fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let wanted = if path.is_dir() { 0o700 } else { 0o600 };
    assert_eq!(mode, wanted, "{} has mode {mode:o}", path.display());
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// SEC-37: below the data directory stands no secret but in the files that are for it, and all is their owner's alone.
#[test]
fn no_secret_is_kept_and_every_file_is_its_owners_alone() {
    let stage = Stage::with("log:\n  level: trace\n");
    let (token, _) = stage.token(&json!({ "scope": "operate", "name": "ann" }));
    let (old, id) = stage.token(&json!({ "agent": "a1" }));
    let (status, turned) = stage.hub.post(&format!("/api/v1/tokens/{id}/rotate"), &json!({ "overlap": "1h" }));
    assert_eq!(status, 200, "{turned}");
    let new = turned["token"].as_str().unwrap().to_owned();
    let mut proxy = ProxyProcess::introduced(&stage.hub, "a2");
    proxy.uses("list_agents", &json!({}));
    let own = fs::read_to_string(stage.data_dir.path().join("agents/a2.token")).unwrap();
    let operator = stage.hub.operator_token();
    for used in [&token, &old, &new] {
        let known = stage.uses(used, "list_agents", &json!({}));
        assert_ne!(known["code"], "UNAUTHENTICATED", "{known}");
    }
    let secrets = [&token, &old, &new, &own, &operator].map(|token| secret(token.trim()));
    let (mut seen, mut kept) = (Vec::new(), String::new());
    for path in everything(stage.data_dir.path()) {
        let name = path.strip_prefix(stage.data_dir.path()).unwrap().to_string_lossy().into_owned();
        // Folder and log are the test's own, and not the hub's; what stands in them is the hub's.
        if !["", "hub.log"].contains(&name.as_str()) {
            is_its_owners_alone(&path);
        }
        if path.is_file() {
            let bytes = fs::read(&path).unwrap();
            let text = String::from_utf8_lossy(&bytes);
            let held = secrets.iter().filter(|secret| text.contains(**secret)).count();
            // Where the command line finds the operator's, and where a proxy keeps its agent's.
            let meant = usize::from(name == "operator.token" || name == "agents/a2.token");
            assert_eq!(held, meant, "{name} holds secrets");
            if name == "tokens" {
                kept = text.into_owned();
            }
        }
        seen.push(name);
    }
    for name in ["tokens", "operator.token", "agents/a2.token", "audit.jsonl", "callboard.db"] {
        assert!(seen.iter().any(|seen| seen == name), "{name} is not among {seen:?}");
    }
    let pepper = serde_json::from_str::<Value>(&kept).unwrap()["pepper"].as_str().unwrap().to_owned();
    for secret in secrets {
        let mut keyed = Hmac::<Sha256>::new_from_slice(pepper.as_bytes()).unwrap();
        keyed.update(secret.as_bytes());
        assert!(kept.contains(&hexadecimal(&keyed.finalize().into_bytes())), "its digest is what is kept");
        assert!(!kept.contains(&hexadecimal(&Sha256::digest(secret))), "and it is keyed");
    }
}

#[test]
fn what_the_hub_makes_is_its_owners_alone_whatever_its_shell_would_let_others() {
    let outer = tempfile::TempDir::new().unwrap();
    let place = outer.path().join("deep/state");
    let hub = HubProcess::start_generous(outer.path(), &place);
    let operator = fs::read_to_string(place.join("operator.token")).unwrap();
    let works = json!({ "targetAgentId": "any", "prompt": "work" });
    assert_eq!(hub.post_as(operator.trim(), "/api/v1/tasks", &works).0, 201);
    let made = hub.post_as(operator.trim(), "/api/v1/tokens", &json!({ "agent": "a1" })).1;
    let token = made["token"].as_str().unwrap();
    let known = json!({ "agentId": "a1", "role": "designer", "capabilities": [] });
    let session = hub.post_as(token, "/api/v1/tools/register_agent", &known).1["sessionId"].clone();
    let printed = json!({ "session_id": session, "text": "printed\n" });
    assert_eq!(hub.post_as(token, "/api/v1/tools/append_output", &printed).0, 200);
    // What was printed is written down beside the answer.
    while !place.join("callboard-terminals.db").exists() {
        pause(10);
    }
    let found = everything(&place);
    for name in ["tokens", "audit.jsonl", "callboard.db", "callboard.db-wal", "callboard-terminals.db"] {
        assert!(found.contains(&place.join(name)), "{name} is not among {found:?}");
    }
    found.iter().for_each(|path| is_its_owners_alone(path));
    assert!(hub.terminate().success());
    everything(&place).iter().for_each(|path| is_its_owners_alone(path));
}
