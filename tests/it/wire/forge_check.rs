//! `callboard doctor forge` as a user types it: against a stand-in for Forgejo, and on folders.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;

use callboard_standin::forge::{Fault, ForgeStandIn, Kind};
use callboard_standin::time::Clock;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::hub_process::callboard;

/// What the command found under these settings, and with what it ended.
fn checks(forge: &Value) -> (Option<i32>, Vec<(String, String, String)>) {
    let (data_dir, config) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let token = config.path().join("token");
    fs::write(&token, "a-token\n").unwrap();
    fs::set_permissions(&token, fs::Permissions::from_mode(0o600)).unwrap();
    let mut forge = forge.clone();
    if forge["kind"] != "git" {
        forge["tokenFile"] = json!(token);
    }
    fs::write(config.path().join("hub.yaml"), json!({ "forge": forge }).to_string()).unwrap();
    let output = callboard(data_dir.path())
        .args(["doctor", "forge", "-o", "json", "--config"])
        .arg(config.path())
        .output()
        .unwrap();
    let said: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)));
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let findings = said["findings"].as_array().unwrap().iter();
    let findings = findings.map(|one| (text(&one["check"]), text(&one["state"]), text(&one["message"])));
    (output.status.code(), findings.collect())
}

#[test]
fn a_forge_is_asked_who_the_hub_is_and_what_it_may() {
    let forgejo = ForgeStandIn::new(Kind::Forgejo, "a-token", Clock::system());
    forgejo.repository("acme/shop", "trunk");
    let url = forgejo.listens();
    let set = |list: &[&str]| json!({"kind": "forgejo", "baseUrl": url, "repositories": list});
    let (code, found) = checks(&set(&["acme/shop", "acme/*"]));
    let states: Vec<&str> = found.iter().map(|(_, state, _)| state.as_str()).collect();
    assert_eq!((code, states), (Some(0), vec!["good", "good", "skipped"]), "{found:?}");
    assert!(found[0].2.contains("`callboard-bot`") && found[1].2.contains("`trunk`"), "{found:?}");
    assert_eq!(forgejo.asked(), ["GET /api/v1/user", "GET /api/v1/repos/acme/shop"], "it only reads");

    forgejo.lets_push("acme/shop", false);
    let (code, found) = checks(&set(&["acme/shop", "acme/gone"]));
    assert_eq!((code, found.len()), (Some(3), 3), "{found:?}");
    assert!(found[1].2.contains("may not write") && found[2].2.contains("(404)"), "{found:?}");
    forgejo.fault(Fault::Revoked);
    assert_eq!(checks(&set(&["acme/shop"])).0, Some(3));
    forgejo.fault(Fault::Down);
    assert_eq!(checks(&set(&["acme/shop"])).0, Some(5));
    assert_eq!(checks(&json!({"kind": "forgejo", "repositories": ["acme/shop"]})).0, Some(2));
    let (code, found) = checks(&json!({"kind": "forgejo", "baseUrl": url}));
    assert_eq!((code, found[0].1.as_str()), (Some(0), "skipped"));
}

#[test]
fn a_folder_is_looked_at_with_git() {
    let root = TempDir::new().unwrap();
    let path = root.path().canonicalize().unwrap();
    let types = |words: &[&str]| {
        let who = ["-c", "user.name=Ann", "-c", "user.email=ann@example.org"];
        assert!(Command::new("git").arg("-C").arg(&path).args(who).args(words).status().unwrap().success());
    };
    types(&["init", "--quiet", "--initial-branch=main", "shop"]);
    types(&["-C", "shop", "commit", "--quiet", "--allow-empty", "-m", "begin"]);
    let (shop, gone) = (path.join("shop"), path.join("gone"));
    let (code, found) = checks(&json!({"kind": "git", "repositories": [shop]}));
    assert_eq!((code, found[1].1.as_str()), (Some(0), "doubtful"), "{found:?}");
    assert!(found[0].2.starts_with("git: git 2.") && found[1].2.contains("is checked out in"), "{found:?}");
    let (code, found) = checks(&json!({"kind": "git", "repositories": [path.join("shop"), gone]}));
    assert_eq!(code, Some(3), "{found:?}");
    assert!(found[2].2.contains("there is no folder"), "{found:?}");
    // One entry for many is looked at folder by folder, where there are any.
    std::fs::create_dir(path.join("notes")).unwrap();
    let (_, found) = checks(&json!({"kind": "git", "repositories": [path.join("*"), path.join("notes/*")]}));
    let looked_at: Vec<&str> = found[1..].iter().map(|(check, ..)| check.as_str()).collect();
    assert_eq!(looked_at, [format!("forge {}", shop.display()), format!("forge {}", path.join("notes/*").display())]);
    assert_eq!(found[2].2, "no repository is there");
}
