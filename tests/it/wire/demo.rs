//! The round that `callboard serve --demo` plays.

use std::process::Command;

use tempfile::TempDir;

use crate::support::hub_process::callboard;

#[test]
fn the_round_is_whole_and_leaves_nothing_behind() {
    let tmp = TempDir::new().unwrap();
    let played = demo(&tmp).args(["--listen", "127.0.0.1:0"]).output().unwrap();
    let out = String::from_utf8_lossy(&played.stdout);
    let err = String::from_utf8_lossy(&played.stderr);
    assert_eq!(played.status.code(), Some(0), "{out}{err}");
    let story = [
        "registered",
        "registered",
        "waiting",
        "called",
        "delivered",
        "acknowledged",
        "asked",
        "answered",
        "default",
        "progress",
        "delegated",
        "delivered",
        "completed",
        "heard",
        "completed",
        "result",
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
    let played = demo(&tmp).args(["--listen", &address]).output().unwrap();
    let out = String::from_utf8_lossy(&played.stdout);
    assert_eq!(played.status.code(), Some(0), "{out}{}", String::from_utf8_lossy(&played.stderr));
    assert!(out.starts_with(&format!("{address} is taken")), "{out}");
    drop(taken);
}

fn demo(tmp: &TempDir) -> Command {
    let mut command = callboard(tmp.path());
    command.env_remove("CALLBOARD_DATA_DIR").env("TMPDIR", tmp.path());
    command.args(["serve", "--demo", "--exit"]);
    command
}
