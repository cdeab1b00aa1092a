//! The round that `callboard serve --demo` plays.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

use crate::support::hub_process::callboard;
use crate::support::pause;

#[test]
fn the_round_is_whole_and_leaves_nothing_behind() {
    let tmp = TempDir::new().unwrap();
    let played = demo(&tmp, &["--exit", "--listen", "127.0.0.1:0"]).output().unwrap();
    let out = String::from_utf8_lossy(&played.stdout);
    let err = String::from_utf8_lossy(&played.stderr);
    assert_eq!(played.status.code(), Some(0), "{out}{err}");
    let story = [
        "registered", "registered", "waiting", "called", "delivered", "acknowledged", "asked", "answered", "default",
        "progress", "delegated", "delivered", "completed", "heard", "completed", "result",
    ];
    let steps: Vec<_> = out
        .lines()
        .filter(|line| line.starts_with("  ") && line.contains(" ms "))
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    assert_eq!(steps, story, "{out}");
    assert!(out.contains("over MCP 2025-11-25") && out.contains("over MCP 2026-07-28"), "both eras: {out}");
    assert!(!out.contains("cb_a_") && !out.contains("cb_u_"), "no token is shown: {out}");
    assert_eq!(tmp.path().read_dir().unwrap().count(), 0, "the temporary directory is gone");
    assert_eq!(err, "");
}

#[test]
fn a_demo_whose_port_is_taken_says_so_and_takes_another() {
    let tmp = TempDir::new().unwrap();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let played = demo(&tmp, &["--exit", "--listen", &address]).output().unwrap();
    let out = String::from_utf8_lossy(&played.stdout);
    assert_eq!(played.status.code(), Some(0), "{out}{}", String::from_utf8_lossy(&played.stderr));
    assert!(out.starts_with(&format!("{address} is taken")), "{out}");
    drop(taken);
}

/// A hub that is gone when the test is over, however that ends.
struct Killed(Child);

impl Drop for Killed {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

fn demo(tmp: &TempDir, arguments: &[&str]) -> Command {
    let mut command = callboard(tmp.path());
    command.env_remove("CALLBOARD_DATA_DIR").env("TMPDIR", tmp.path());
    command.args(["serve", "--demo"]).args(arguments);
    command
}

#[test]
fn a_demo_that_stays_prints_a_link_to_its_page_and_leaves_enough_to_look_at() {
    let tmp = TempDir::new().unwrap();
    let mut command = demo(&tmp, &["--listen", "127.0.0.1:0"]);
    let mut hub = Killed(command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap());
    let mut lines = BufReader::new(hub.0.stdout.take().unwrap()).lines().map(Result::unwrap);
    let said: Vec<String> = lines.by_ref().take_while(|line| line != "Ctrl-C ends it.").collect();
    let line = |words: &str| said.iter().find(|line| line.contains(words)).unwrap_or_else(|| panic!("{said:#?}"));
    let url = line("listening on").split_whitespace().last().unwrap().to_owned();
    assert!(line("#code=").trim().starts_with(&format!("{url}/#code=")), "{said:#?}");
    assert!(line("open --print").contains("--data-dir"), "how to make another: {said:#?}");
    let data_dir = tmp.path().read_dir().unwrap().next().unwrap().unwrap().path();
    let asks = |arguments: &[&str]| {
        let output = callboard(&data_dir).args(arguments).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice::<Value>(&output.stdout).unwrap()
    };
    // The question of the workflow comes a moment after the link.
    let mut needs = BTreeSet::new();
    for _ in 0..100 {
        let inbox = asks(&["inbox", "list", "-o", "json"]);
        needs = inbox["items"].as_array().unwrap().iter().map(|it| it["kind"].as_str().unwrap().to_owned()).collect();
        if inbox["items"].as_array().unwrap().len() == 5 {
            break;
        }
        pause(100);
    }
    assert_eq!(needs.iter().map(String::as_str).collect::<Vec<_>>(), ["blocked", "input_prompt", "question", "review"]);
    let tasks = asks(&["task", "list", "-o", "json"]);
    let states: BTreeSet<_> =
        tasks["items"].as_array().unwrap().iter().map(|it| it["state"].as_str().unwrap()).collect();
    let wanted = ["BLOCKED", "CANCELLED", "COMPLETED", "FAILED", "IN_PROGRESS", "IN_REVIEW", "QUEUED"];
    assert_eq!(states.into_iter().collect::<Vec<_>>(), wanted);
    let agents = asks(&["agent", "list", "-o", "json"]);
    let is: BTreeSet<_> =
        agents["items"].as_array().unwrap().iter().map(|it| it["availability"].as_str().unwrap()).collect();
    assert_eq!(is.into_iter().collect::<Vec<_>>(), ["waiting", "working"]);
    let id = rustix::process::Pid::from_child(&hub.0);
    rustix::process::kill_process(id, rustix::process::Signal::TERM).unwrap();
    assert_eq!(hub.0.wait().unwrap().code(), Some(0));
    assert_eq!(tmp.path().read_dir().unwrap().count(), 0, "the temporary directory is gone");
}

#[test]
fn a_big_demo_fills_an_empty_hub_and_no_other() {
    let tmp = TempDir::new().unwrap();
    let used = tmp.path().join("used");
    std::fs::create_dir(&used).unwrap();
    std::fs::write(used.join("journal.db"), "").unwrap();
    let refused = demo(&tmp, &["--big", "--data-dir"]).arg(&used).output().unwrap();
    let err = String::from_utf8_lossy(&refused.stderr);
    assert!(refused.status.code() == Some(2) && err.contains("`--big` would fill"), "{err}");
    let alone = callboard(tmp.path()).args(["serve", "--big"]).output().unwrap();
    assert_eq!(alone.status.code(), Some(2), "{}", String::from_utf8_lossy(&alone.stderr));

    let mut command = demo(&tmp, &["--big", "--listen", "127.0.0.1:0", "--data-dir"]);
    let data_dir = tmp.path().join("big");
    let mut hub = Killed(command.arg(&data_dir).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap());
    // Read to the last line, and held open: a hub that nobody reads any more ends.
    let mut lines = BufReader::new(hub.0.stdout.take().unwrap()).lines().map(Result::unwrap);
    let said: Vec<_> = lines.by_ref().take_while(|line| line != "Ctrl-C ends it.").collect();
    assert!(said.iter().any(|line| line.contains("#code=")), "{said:?}");
    let list = |words: &[&str]| {
        let output = callboard(&data_dir).args(words).args(["--limit", "0", "-o", "json"]).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice::<Value>(&output.stdout).unwrap()["items"].as_array().unwrap().clone()
    };
    let mut states = BTreeMap::<String, usize>::new();
    for task in list(&["task", "list"]) {
        *states.entry(task["state"].as_str().unwrap().to_owned()).or_default() += 1;
    }
    assert!(states.values().sum::<usize>() >= 300, "{states:?}");
    for (state, least) in [
        ("ASSIGNED", 1),
        ("BLOCKED", 2),
        ("CANCELLED", 2),
        ("COMPLETED", 3),
        ("DEAD_LETTER", 1),
        ("FAILED", 3),
        ("IN_PROGRESS", 10),
        ("IN_REVIEW", 2),
        ("QUEUED", 250),
        ("TIMEOUT", 1),
    ] {
        assert!(states.get(state).is_some_and(|count| *count >= least), "{state}: {states:?}");
    }
    let agents = list(&["agent", "list"]);
    assert_eq!(agents.iter().filter(|agent| agent["agentId"].as_str().unwrap().len() == 64).count(), 30);
    let dead = list(&["outbox", "list"]).iter().filter(|one| one["state"] == "dead_letter").count();
    assert_eq!(dead, 3);
    let kinds: BTreeSet<_> =
        list(&["inbox", "list"]).iter().map(|it| it["kind"].as_str().unwrap().to_owned()).collect();
    for kind in ["blocked", "dead_delivery", "dead_letter", "question", "review", "timeout"] {
        assert!(kinds.contains(kind), "{kind}: {kinds:?}");
    }
    let rounds = list(&["review", "list"]).iter().map(|one| one["round"].as_u64().unwrap()).max();
    assert_eq!(rounds, Some(2));
    let id = rustix::process::Pid::from_child(&hub.0);
    rustix::process::kill_process(id, rustix::process::Signal::TERM).unwrap();
    assert_eq!(hub.0.wait().unwrap().code(), Some(0));
}
