//! `callboard doctor` as a user types it: what it finds, with what code it ends, and what it says to type next.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Command, Output};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::hub_process::{HubProcess, callboard};
use crate::support::proxy_process::ProxyProcess;
use crate::support::write_private;

struct Home {
    folder: TempDir,
    data_dir: TempDir,
}

impl Home {
    fn new() -> Self {
        let home = Self { folder: TempDir::new().unwrap(), data_dir: TempDir::new().unwrap() };
        // As a hub makes it, when it makes it itself.
        fs::set_permissions(home.data_dir.path(), fs::Permissions::from_mode(0o700)).unwrap();
        home
    }

    /// A command of a user whose home this is.
    fn runs(&self, arguments: &[&str]) -> Output {
        let mut command: Command = callboard(self.data_dir.path());
        command.env("HOME", self.folder.path()).current_dir(self.folder.path()).args(arguments).output().unwrap()
    }

    fn connects(&self, client: &str, more: &[&str]) {
        let mut arguments = vec!["connect", client, "--agent", "fullstack-1", "--role", "full-stack-engineer"];
        arguments.extend(more);
        let output = self.runs(&arguments);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }

    fn doctor(&self) -> (Option<i32>, Value) {
        self.doctor_with("CALLBOARD_TOKEN", "")
    }

    /// The same with a variable set.
    fn doctor_with(&self, name: &str, value: &str) -> (Option<i32>, Value) {
        let mut command = callboard(self.data_dir.path());
        command.env("HOME", self.folder.path()).current_dir(self.folder.path()).env(name, value);
        let output = command.args(["doctor", "-o", "json"]).output().unwrap();
        let said = serde_json::from_slice(&output.stdout);
        (output.status.code(), said.unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr))))
    }
}

#[test]
fn settings_that_are_wrong_are_said_once_and_of_nothing_else() {
    let home = Home::new();
    let config = home.folder.path().join("config");
    fs::create_dir_all(config.join("workflows")).unwrap();
    fs::write(config.join("workflows/mine.yaml"), "name: mine\nsteps: 7\n").unwrap();
    let (code, said) = home.doctor_with("CALLBOARD_CONFIG", config.to_str().unwrap());
    let wrong: Vec<_> = said["findings"].as_array().unwrap().iter().filter(|one| one["state"] == "wrong").collect();
    let checks: Vec<_> = wrong.iter().filter_map(|one| one["check"].as_str()).collect();
    assert_eq!((code, &checks[..]), (Some(5), &["hub", "settings"][..]), "{said}");
    assert!(wrong[1]["message"].as_str().unwrap().contains("mine.yaml"), "{said}");
}

/// An entry of Cursor's that starts the proxy of this agent, and sets this in its environment.
fn sets(home: &Home, environment: &Value) {
    let entry = json!({ "command": env!("CARGO_BIN_EXE_callboard"), "args": ["proxy"], "env": environment });
    let folder = home.folder.path().join(".cursor");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("mcp.json"), json!({ "mcpServers": { "callboard": entry } }).to_string()).unwrap();
}

/// The state and the message of each finding of that check.
fn found(said: &Value, check: &str) -> Vec<(String, String)> {
    let findings = said["findings"].as_array().unwrap().iter().filter(|finding| finding["check"] == check);
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    findings.map(|finding| (text(&finding["state"]), text(&finding["message"]))).collect()
}

#[test]
fn a_well_connected_machine_is_found_well_and_a_real_wait_is_measured() {
    let home = Home::new();
    let hub = HubProcess::start(home.data_dir.path());
    home.connects("codex", &[]);
    home.connects("cursor", &["--http"]);
    let (code, said) = home.doctor();
    assert_eq!((code, &said["ok"]), (Some(0), &Value::Bool(true)), "{said:#}");
    for check in ["data directory", "hub", "token", "clock", "pages"] {
        let findings = found(&said, check);
        assert!(findings.iter().all(|(state, _)| state == "good") && findings.len() == 1, "{check}: {findings:?}");
    }
    let codex = found(&said, "client codex");
    assert!(codex.iter().all(|(state, _)| state == "good"), "{codex:?}");
    assert!(codex[0].1.contains("by the stdio proxy") && codex[1].1.contains("280s"), "{codex:?}");
    assert!(codex[2].1.contains("a wait of 1 s came back after"), "{codex:?}");
    assert!(found(&said, "client cursor")[0].1.contains("over HTTP"), "{said:#}");
    let shown = || hub.post("/api/v1/tools/get_agent_status", &serde_json::json!({ "agentId": "fullstack-1" }));
    assert_eq!(shown().0, 404, "nobody was registered by that");
    // Whoever speaks for the agent is not disturbed by it, and what waits for it is left to it.
    let mut proxy = ProxyProcess::introduced(&hub, "fullstack-1");
    let task = json!({ "targetAgentId": "fullstack-1", "prompt": "work" });
    let (_, task) = hub.post("/api/v1/tasks", &task);
    let (code, said) = home.doctor();
    assert_eq!(code, Some(0), "{said:#}");
    assert!(found(&said, "client codex")[2].1.contains("a wait of 1 s came back after"), "{said:#}");
    let id = task["taskId"].as_str().unwrap();
    assert_eq!(hub.get(&format!("/api/v1/tasks/{id}")).1["state"], "QUEUED");
    proxy.calls("wait_for_prompt", &serde_json::json!({ "timeout": 60 }));
    while shown().1["availability"] == "offline" {
        crate::support::pause(10);
    }
}

#[test]
fn an_agent_whose_token_is_revoked_is_found() {
    let home = Home::new();
    let hub = HubProcess::start(home.data_dir.path());
    home.connects("codex", &[]);
    assert_eq!(home.doctor().0, Some(0));
    let (_, tokens) = hub.get("/api/v1/tokens");
    let of_agent = tokens["items"].as_array().unwrap().iter().find(|token| token["principal"] == "agent:fullstack-1");
    let id = of_agent.unwrap_or_else(|| panic!("{tokens:#}"))["id"].as_str().unwrap();
    assert!(home.runs(&["token", "revoke", id]).status.success());
    let (code, said) = home.doctor();
    assert_ne!(code, Some(0), "{said:#}");
    assert_eq!(found(&said, "client codex")[2].0, "wrong", "{said:#}");
}

#[test]
fn what_keeps_agents_from_working_is_named_with_a_code_and_what_to_type() {
    let home = Home::new();
    let nobody = home.runs(&["doctor"]);
    assert_eq!(nobody.status.code(), Some(5), "{}", String::from_utf8_lossy(&nobody.stdout));
    assert!(String::from_utf8_lossy(&nobody.stdout).contains("next: callboard serve"));
    let hub = HubProcess::start(home.data_dir.path());
    home.connects("cursor", &[]);
    let file = home.folder.path().join(".cursor/mcp.json");
    let written = fs::read_to_string(&file).unwrap();
    fs::write(&file, written.replace("\"proxy\",", "\"proxy\", \"--url\", \"http://127.0.0.1:1\",")).unwrap();
    let (code, said) = home.doctor();
    assert_eq!(code, Some(2), "{said:#}");
    let cursor = found(&said, "client cursor");
    assert_eq!(cursor, [("wrong".to_owned(), format!("`{}`: it leads to `http://127.0.0.1:1`", file.display()))]);
    fs::write(&file, written).unwrap();
    fs::write(home.data_dir.path().join("operator.token"), "cb_u_nonsense\n").unwrap();
    let (code, said) = home.doctor();
    assert_eq!(code, Some(3), "{said:#}");
    assert_eq!(found(&said, "token")[0].0, "wrong", "{said:#}");
    drop(hub);
    let (code, _) = home.doctor();
    assert_eq!(code, Some(5), "no hub is what keeps most from working");
}

#[test]
fn what_an_entry_sets_for_its_proxy_is_set_and_what_a_failing_proxy_said_is_shown() {
    let home = Home::new();
    let _hub = HubProcess::start(home.data_dir.path());
    let here = home.data_dir.path().to_str().unwrap();
    let mut environment = json!({ "CALLBOARD_DATA_DIR": here, "CALLBOARD_AGENT_ID": "fullstack-1" });
    sets(&home, &environment);
    let (code, said) = home.doctor();
    assert_eq!(code, Some(0), "{said:#}");
    let (state, message) = &found(&said, "agent fullstack-1")[0];
    assert!(state == "doubtful" && message.contains("it is not registered"), "{said:#}");
    assert!(said.to_string().contains("AGENT_NOT_REGISTERED"), "{said:#}");
    environment["CALLBOARD_TOKEN_FILE"] = "/nowhere/a-token".into();
    sets(&home, &environment);
    let (code, said) = home.doctor();
    assert_eq!(code, Some(1), "{said:#}");
    let failed = said["findings"].as_array().unwrap().iter().find(|found| found["state"] == "wrong").unwrap();
    let lines = failed["said"].as_array().unwrap_or_else(|| panic!("{failed:#}"));
    assert!(lines[0].as_str().unwrap().contains("failed to read the token from `/nowhere/a-token`"), "{failed:#}");
    assert!(failed["message"].as_str().unwrap().ends_with("it ended without an answer"), "{failed:#}");
    let elsewhere = TempDir::new().unwrap();
    environment["CALLBOARD_DATA_DIR"] = elsewhere.path().to_str().unwrap().into();
    sets(&home, &environment);
    let (code, said) = home.doctor();
    assert_eq!(code, Some(2), "{said:#}");
    assert!(found(&said, "client cursor")[0].1.contains("it leads to the hub of"), "{said:#}");
}

#[test]
fn an_entry_over_http_is_called_with_its_own_headers() {
    let home = Home::new();
    let hub = HubProcess::start(home.data_dir.path());
    home.connects("cursor", &["--http"]);
    let (code, said) = home.doctor();
    let unset = found(&said, "client cursor");
    assert_eq!((code, unset[2].0.as_str()), (Some(0), "skipped"), "{said:#}");
    assert!(unset[2].1.contains("`CALLBOARD_TOKEN`"), "{unset:?}");
    let (_, made) = hub.post("/api/v1/tokens", &json!({ "agent": "fullstack-1" }));
    let (code, said) = home.doctor_with("CALLBOARD_TOKEN", made["token"].as_str().unwrap());
    assert_eq!(code, Some(0), "{said:#}");
    assert_eq!(found(&said, "client cursor")[2].0, "good", "{said:#}");
    assert!(found(&said, "agent fullstack-1")[0].1.contains("it is not registered"), "{said:#}");
    let (code, said) = home.doctor_with("CALLBOARD_TOKEN", &hub.operator_token());
    assert_eq!((code, found(&said, "client cursor")[2].0.as_str()), (Some(0), "doubtful"), "{said:#}");
    let (code, said) = home.doctor_with("CALLBOARD_TOKEN", "cb_a_nonsense");
    assert_eq!((code, found(&said, "client cursor")[2].0.as_str()), (Some(3), "wrong"), "{said:#}");
    assert!(found(&said, "client cursor")[2].1.contains("status 401"), "{said:#}");
}

#[test]
fn a_hub_that_is_not_there_and_one_that_is_silent_are_told_apart() {
    let home = Home::new();
    // Taken by the kernel, and never looked at.
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", silent.local_addr().unwrap());
    write_private(&home.data_dir.path().join("operator.token"), "cb_u_nonsense\n");
    fs::write(home.data_dir.path().join("hub.url"), format!("{url}\n")).unwrap();
    let hub = || {
        let (code, said) = home.doctor();
        let findings = said["findings"].as_array().unwrap();
        let hub = findings.iter().find(|finding| finding["check"] == "hub").unwrap().clone();
        (code, hub["code"].as_str().unwrap_or_default().to_owned(), hub["next"].as_str().unwrap().to_owned())
    };
    let (code, is, next) = hub();
    assert_eq!((code, is.as_str()), (Some(5), "HUB_SILENT"), "{next}");
    assert!(next.contains("ss -ltnp"), "{next}");
    drop(silent);
    let (code, is, next) = hub();
    assert_eq!((code, is.as_str()), (Some(5), "HUB_ABSENT"), "{next}");
    assert!(next.contains("callboard serve"), "{next}");
}

#[test]
fn a_hub_that_is_not_ready_is_wrong_and_its_reason_is_told() {
    let home = Home::new();
    let hub = HubProcess::start_to_be_capped(home.data_dir.path());
    assert_eq!(home.doctor().0, Some(0));
    hub.caps_files(Some(1));
    let (status, refused) = hub.post("/api/v1/tasks", &json!({ "targetAgentId": "any", "prompt": "work" }));
    assert_eq!(status, 503, "{refused}");
    let reason = hub.get("/readyz").1["reasons"][0].as_str().unwrap().to_owned();
    let (code, said) = home.doctor();
    assert_eq!(code, Some(1), "{said}");
    let found = said["findings"].as_array().unwrap().iter().find(|found| found["code"] == "HUB_NOT_READY");
    let found = found.unwrap_or_else(|| panic!("{said}"));
    assert!(found["state"] == "wrong" && found["message"].as_str().unwrap().contains(&reason), "{found}");
    hub.caps_files(None);
}
