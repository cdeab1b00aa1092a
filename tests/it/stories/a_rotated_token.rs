//! A token that is rotated while somebody works by it: whoever runs for days reads the file again.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::agent::Agent;
use crate::support::hub_process::{HubProcess, callboard};
use crate::support::proxy_process::ProxyProcess;
use crate::support::{pause, write_private};

struct Scene {
    hub: HubProcess,
    agent: Agent,
    file: PathBuf,
    folder: TempDir,
}

impl Scene {
    fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let hub = HubProcess::start(folder.path());
        let agent = Agent::register(&hub, "worker-1", "full-stack-engineer");
        let file = folder.path().join("worker.token");
        write(&file, agent.token());
        Self { hub, agent, file, folder }
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = self.hub.command(words);
        command.env("CALLBOARD_TOKEN_FILE", &self.file);
        command
    }

    /// A new secret of the agent's token; the old one is worth nothing from now on.
    fn rotates(&self) -> String {
        let id = self.agent.token().split('_').nth(2).unwrap();
        let rotated = callboard(self.folder.path()).args(["token", "rotate", id, "--overlap", "0s"]).output().unwrap();
        assert!(rotated.status.success(), "{}", String::from_utf8_lossy(&rotated.stderr));
        String::from_utf8(rotated.stdout).unwrap().trim().to_owned()
    }
}

fn write(file: &Path, token: &str) {
    let draft = file.with_extension("draft");
    write_private(&draft, token);
    fs::rename(draft, file).unwrap();
}

#[test]
fn a_proxy_goes_on_with_the_token_that_its_file_holds_now() {
    let scene = Scene::new();
    let mut proxy = ProxyProcess::of(&mut scene.command(&["proxy", "--agent", "worker-1"]));
    proxy.shakes_hands();
    assert_eq!(proxy.uses("get_agent_status", &json!({}))["success"], Value::Bool(true));
    // Written down a moment later: between, the proxy is refused, and waits for it.
    let token = scene.rotates();
    write(&scene.file, &token);
    assert_eq!(proxy.uses("get_agent_status", &json!({}))["success"], Value::Bool(true));
}

#[test]
fn a_proxy_whose_token_is_refused_says_so_to_each_call_and_goes_on_when_its_file_holds_another() {
    let scene = Scene::new();
    let mut proxy = ProxyProcess::of(&mut scene.command(&["proxy", "--agent", "worker-1"]));
    proxy.shakes_hands();
    let token = scene.rotates();
    for _ in 0..2 {
        let said = proxy.uses("get_agent_status", &json!({}));
        assert_eq!(said["code"], "UNAUTHENTICATED", "{said}");
        let why = said["message"].as_str().unwrap();
        assert!(why.contains("CALLBOARD_TOKEN_FILE") && !why.contains("request "), "{why}");
    }
    write(&scene.file, &token);
    // It looks at the file a few seconds apart.
    let taken_up = (0..2000).any(|_| {
        pause(5);
        proxy.uses("get_agent_status", &json!({}))["success"] == Value::Bool(true)
    });
    assert!(taken_up, "the token that the file holds now is good");
}
