//! A journal that something else has damaged: the hub goes on from whole appends, or refuses to start, leaves the file
//! as it is, and says what to do.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::json;
use tempfile::TempDir;

use crate::support::hub_process::{HubProcess, callboard};

const TASKS: usize = 40;

/// A data directory in which a hub was killed: the newest appends are in the log alone.
fn after_a_crash() -> TempDir {
    let data_dir = TempDir::new().unwrap();
    let hub = HubProcess::start(data_dir.path());
    for number in 0..TASKS {
        let (status, body) =
            hub.post("/api/v1/tasks", &json!({ "targetAgentId": "any", "prompt": number.to_string() }));
        assert!(status < 300, "{body}");
    }
    hub.kill();
    data_dir
}

/// The same where it ended gently: one file.
fn after_an_end() -> TempDir {
    let data_dir = after_a_crash();
    assert_eq!(HubProcess::start(data_dir.path()).terminate().code(), Some(0));
    data_dir
}

fn journal(data_dir: &TempDir) -> PathBuf {
    data_dir.path().join("callboard.db")
}

fn log(data_dir: &TempDir) -> PathBuf {
    data_dir.path().join("callboard.db-wal")
}

fn change(path: &Path, change: impl FnOnce(&mut Vec<u8>)) {
    let mut bytes = fs::read(path).unwrap();
    change(&mut bytes);
    fs::write(path, bytes).unwrap();
}

/// It starts, with so many tasks, whole ones, and goes on; `verify` finds nothing.
fn goes_on_with(data_dir: &TempDir, tasks: impl FnOnce(usize) -> bool) {
    let hub = HubProcess::start(data_dir.path());
    let (_, page) = hub.get("/api/v1/tasks?limit=100");
    let found = page["items"].as_array().unwrap().len();
    assert!(tasks(found), "{found} tasks are left");
    let (status, body) = hub.post("/api/v1/tasks", &json!({ "targetAgentId": "any", "prompt": "one more" }));
    assert!(status < 300, "{body}");
    assert_eq!(hub.terminate().code(), Some(0));
    let verified = callboard(data_dir.path()).args(["journal", "verify"]).output().unwrap();
    assert!(verified.status.success(), "{}", String::from_utf8_lossy(&verified.stdout));
}

/// It does not start, says this, and has not touched the file.
fn leaves_alone(data_dir: &TempDir, says: &[&str]) {
    let before = fs::read(journal(data_dir)).unwrap();
    refuses(data_dir, says);
    assert!(fs::read(journal(data_dir)).unwrap() == before, "the file was touched");
}

/// It does not start, and says this.
fn refuses(data_dir: &TempDir, says: &[&str]) {
    let end = HubProcess::never_serves(data_dir.path(), &["--listen", "127.0.0.1:0"]);
    let words = String::from_utf8_lossy(&end.stderr);
    assert_eq!(end.status.code(), Some(1), "{words}");
    for said in says {
        assert!(words.contains(said), "should say {said:?}, but said: {words}");
    }
}

#[test]
fn a_log_that_was_cut_short_is_noticed_and_what_is_left_can_be_gone_on_from() {
    let data_dir = after_a_crash();
    change(&log(&data_dir), |bytes| bytes.truncate(bytes.len() - bytes.len() / 3));
    refuses(&data_dir, &["were acknowledged", "write-ahead log", "to go on without those records, remove"]);
    fs::remove_file(data_dir.path().join("callboard.db-mark")).unwrap();
    goes_on_with(&data_dir, |found| (1..TASKS).contains(&found));
}

#[test]
fn a_torn_last_page_of_the_log_loses_its_append_alone() {
    let data_dir = after_a_crash();
    change(&log(&data_dir), |bytes| {
        let end = bytes.len();
        bytes[end - 2_000..].fill(0xa5);
    });
    // Whether the loss is noticed depends on how far the mark had followed; here it is accepted.
    fs::remove_file(data_dir.path().join("callboard.db-mark")).unwrap();
    goes_on_with(&data_dir, |found| (1..=TASKS).contains(&found));
}

#[test]
fn a_log_of_garbage_loses_what_was_in_it() {
    let data_dir = after_an_end();
    fs::write(log(&data_dir), vec![0x5a; 50_000]).unwrap();
    goes_on_with(&data_dir, |found| found == TASKS);
}

#[test]
fn a_file_that_was_cut_short_is_refused() {
    let data_dir = after_an_end();
    change(&journal(&data_dir), |bytes| bytes.truncate(bytes.len() - 4_096));
    leaves_alone(&data_dir, &["is damaged", "restore a backup"]);
}

#[test]
fn a_file_with_torn_pages_is_refused() {
    let data_dir = after_an_end();
    change(&journal(&data_dir), |bytes| {
        let end = bytes.len();
        bytes[end - 20_000..].fill(0xa5);
    });
    leaves_alone(&data_dir, &["is damaged", "restore a backup"]);
}

#[test]
fn a_file_of_something_else_is_refused() {
    let data_dir = TempDir::new().unwrap();
    fs::write(journal(&data_dir), "this is a letter, and long enough to be one: ".repeat(200)).unwrap();
    leaves_alone(&data_dir, &["is not a callboard journal", "move it away"]);
}

#[test]
fn a_directory_that_takes_no_files_is_named() {
    let end = HubProcess::never_serves(Path::new("/proc/self"), &["--listen", "127.0.0.1:0"]);
    let words = String::from_utf8_lossy(&end.stderr);
    assert_eq!(end.status.code(), Some(1), "{words}");
    assert!(words.contains("/proc/self"), "{words}");
}
