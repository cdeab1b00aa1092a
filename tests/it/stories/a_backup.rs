//! A backup that is put back: by the command, and by hand, which is refused where it would be undone in silence.

use std::fs;
use std::path::Path;
use std::process::Output;

use serde_json::json;
use tempfile::TempDir;

use crate::support::hub_process::{HubProcess, callboard};

fn adds(hub: &HubProcess, text: &str) {
    let (status, body) = hub.post("/api/v1/tasks", &json!({ "targetAgentId": "any", "prompt": text }));
    assert!(status < 300, "{body}");
}

fn texts(hub: &HubProcess) -> Vec<String> {
    let (_, page) = hub.get("/api/v1/tasks?limit=100");
    let mut texts: Vec<_> =
        page["items"].as_array().unwrap().iter().map(|task| task["prompt"].as_str().unwrap().to_owned()).collect();
    texts.sort();
    texts
}

fn journal(data_dir: &Path, words: &[&str]) -> Output {
    callboard(data_dir).arg("journal").args(words).output().unwrap()
}

fn done(output: &Output) -> String {
    let words = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{words}");
    words
}

#[test]
fn a_backup_put_back_is_what_the_hub_goes_on_from() {
    let (data_dir, elsewhere) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let copy = elsewhere.path().join("monday.db").display().to_string();
    let hub = HubProcess::start(data_dir.path());
    adds(&hub, "before");
    done(&journal(data_dir.path(), &["backup", &copy]));
    adds(&hub, "after");
    let running = journal(data_dir.path(), &["restore", &copy]);
    assert_eq!(running.status.code(), Some(2), "while the hub runs");
    assert!(String::from_utf8_lossy(&running.stderr).contains("another hub uses this data directory"));
    hub.kill();

    // As it was always done: over the file, with the log of the killed hub beside it.
    let file = data_dir.path().join("callboard.db");
    let was = fs::read(&file).unwrap();
    fs::copy(&copy, &file).unwrap();
    let refused = HubProcess::never_serves(data_dir.path(), &["--listen", "127.0.0.1:0"]);
    let words = String::from_utf8_lossy(&refused.stderr);
    assert!(
        words.contains("callboard.db-wal` does not belong to") && words.contains("journal restore COPY"),
        "{words}"
    );
    let verified = journal(data_dir.path(), &["verify"]);
    assert_eq!(verified.status.code(), Some(1), "{}", String::from_utf8_lossy(&verified.stdout));

    fs::write(&file, was).unwrap();
    let said = done(&journal(data_dir.path(), &["restore", &copy]));
    assert!(said.contains("What was there before is in"), "{said}");
    let hub = HubProcess::start(data_dir.path());
    assert_eq!(texts(&hub), ["before"]);
    adds(&hub, "and on");
    assert_eq!(texts(&hub), ["and on", "before"]);
    assert!(hub.terminate().success());
    done(&journal(data_dir.path(), &["verify"]));
    done(&callboard(data_dir.path()).args(["audit", "verify"]).output().unwrap());
    let audit = fs::read_to_string(data_dir.path().join("audit.jsonl")).unwrap();
    assert_eq!(audit.matches("task.created").count(), 3, "what was done after the backup was done all the same");

    let aside = fs::read_dir(data_dir.path()).unwrap().flatten().map(|file| file.path());
    let aside = aside.filter(|path| path.file_name().unwrap().to_string_lossy().starts_with("before-restore-"));
    let aside: Vec<_> = aside.collect();
    assert_eq!(aside.len(), 1);
    let said = done(&journal(&aside[0], &["verify", "-o", "json"]));
    assert!(said.contains("\"tasks\": 2") || said.contains("\"tasks\":2"), "{said}");
}

#[test]
fn an_emptied_journal_is_no_new_hub() {
    let data_dir = TempDir::new().unwrap();
    let hub = HubProcess::start(data_dir.path());
    adds(&hub, "x");
    assert!(hub.terminate().success());
    fs::write(data_dir.path().join("callboard.db"), "").unwrap();
    // Its log went with the gentle end, and whoever emptied it may have taken the mark as well.
    for mark in [true, false] {
        if !mark {
            fs::remove_file(data_dir.path().join("callboard.db-mark")).unwrap();
        }
        let refused = HubProcess::never_serves(data_dir.path(), &["--listen", "127.0.0.1:0"]);
        for end in [refused, journal(data_dir.path(), &["verify"])] {
            let words = String::from_utf8_lossy(&end.stderr);
            assert_eq!(end.status.code(), Some(1), "{words}");
            assert!(words.contains("callboard.db` is empty") && words.contains("journal restore COPY"), "{words}");
            assert!(!words.contains("away"), "{words}");
        }
    }
}

#[test]
#[expect(clippy::disallowed_methods, reason = "another process cannot be on stopped time")]
fn a_series_of_copies_keeps_the_newest_and_a_cold_hub_goes_on_from_it() {
    let (data_dir, folder, cold) = (TempDir::new().unwrap(), TempDir::new().unwrap(), TempDir::new().unwrap());
    let hub = HubProcess::start(data_dir.path());
    let taken = folder.path().join("taken");
    let script = format!("echo \"$1\" >> '{}'", taken.display());
    let copies = folder.path().join("copies");
    let copies_named = copies.display().to_string();
    let words = ["journal", "backup", &copies_named, "--every", "1s", "--keep", "2", "--", "sh", "-c", &script, "take"];
    let mut series = callboard(data_dir.path()).args(words).spawn().unwrap();
    let found = || {
        let all = fs::read_dir(&copies).into_iter().flatten().flatten();
        let mut names: Vec<_> = all.map(|entry| entry.file_name().into_string().unwrap()).collect();
        names.retain(|name| name.starts_with("callboard-20") && !name.ends_with("-terminals.db"));
        names.sort();
        names
    };
    let begun = std::time::Instant::now();
    let mut last = String::new();
    for text in ["one", "two", "three", "four"] {
        adds(&hub, text);
        loop {
            let newest = found().pop().unwrap_or_default();
            if newest > last {
                last = newest;
                break;
            }
            assert!(begun.elapsed().as_secs() < 60, "no copy after `{text}`");
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
    }
    fs::write(copies.join("callboard-monday.db"), "mine").unwrap();
    // The copy that was seen last may be older than `four`: one more is begun after it.
    loop {
        let said = fs::read_to_string(&taken).unwrap_or_default();
        if said.lines().filter(|line| !line.ends_with("-terminals.db")).count() >= 5 {
            break;
        }
        adds(&hub, "and on");
        assert!(begun.elapsed().as_secs() < 60, "{said}");
        std::thread::sleep(std::time::Duration::from_millis(200));
    }
    rustix::process::kill_process(
        rustix::process::Pid::from_raw(i32::try_from(series.id()).unwrap()).unwrap(),
        rustix::process::Signal::TERM,
    )
    .unwrap();
    assert!(series.wait().unwrap().success(), "told to end, it has done what it should");
    assert_eq!(found().len(), 2, "the oldest go");
    assert!(copies.join("callboard-monday.db").exists(), "and nothing else does");
    hub.kill();

    done(&journal(cold.path(), &["restore", &copies_named]));
    let hub = HubProcess::start(cold.path());
    assert!(["one", "two", "three", "four"].iter().all(|text| texts(&hub).contains(&(*text).to_owned())));
    assert!(hub.terminate().success());
    let empty = journal(cold.path(), &["restore", &folder.path().display().to_string()]);
    assert!(String::from_utf8_lossy(&empty.stderr).contains("no copy of a series lies in"), "{empty:?}");
}
