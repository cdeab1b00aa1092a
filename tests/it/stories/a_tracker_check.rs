//! `callboard doctor tracker`: the real binary against a stand-in for the forge, with its token and without.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use callboard_standin::forge::{ForgeStandIn, Kind};
use callboard_standin::time::Clock;
use serde_json::json;
use tempfile::TempDir;

use crate::support::hub_process::callboard;

fn checks(folder: &Path, url: &str, token: &str, repositories: &[&str]) -> (String, i32) {
    let file = folder.join("token");
    fs::write(&file, token).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    let hub = json!({"tracker": {
        "kind": "github", "baseUrl": url, "tokenFile": file, "repositories": repositories,
        "allowPrivate": true,
    }});
    fs::write(folder.join("hub.yaml"), hub.to_string()).unwrap();
    let mut check = callboard(folder);
    let output = check.args(["doctor", "tracker", "--config", folder.to_str().unwrap()]).output().unwrap();
    let words = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    (words, output.status.code().unwrap())
}

#[test]
fn a_tracker_that_is_tied_in_is_told_from_one_that_refuses_or_is_not_there() {
    let folder = TempDir::new().unwrap();
    let github = ForgeStandIn::new(Kind::GitHub, "ghp_right", Clock::system());
    github.repository("acme/web", "main");
    let url = github.listens();
    let (said, code) = checks(folder.path(), &url, "ghp_right", &["acme/web"]);
    assert!(code == 0 && said.contains("acme/web"), "{code}: {said}");
    let (said, code) = checks(folder.path(), &url, "ghp_right", &["acme/web", "acme/other"]);
    assert!(code != 0 && said.contains("acme/other"), "{code}: {said}");
    let (said, code) = checks(folder.path(), &url, "ghp_wrong", &["acme/web"]);
    assert!(code == 3 && !said.contains("ghp_wrong"), "{code}: {said}");
    github.lets_only_read(true);
    let (said, code) = checks(folder.path(), &url, "ghp_right", &["acme/web"]);
    assert!(code == 3 && said.contains("may read and not comment"), "{code}: {said}");
    github.lets_only_read(false);
    github.renames("acme/web", "acme/site");
    let (said, code) = checks(folder.path(), &url, "ghp_right", &["acme/web"]);
    assert!(code != 0 && said.contains("`acme/web` is called `acme/site` now"), "{code}: {said}");
    assert!(github.comments().is_empty(), "nothing is written");
}
