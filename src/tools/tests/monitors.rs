//! Log files through the verbs: followed where that is allowed, read without being used up, searched, dropped.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::time::Duration;

use rstest::rstest;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::fixture::{ToolFixture, operator};
use super::terminals::session_of;

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// A desk whose hub may follow files below one folder; a log lies there.
async fn desk() -> (ToolFixture, TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("logs");
    fs::create_dir(&root).unwrap();
    let log = root.join("build.log");
    fs::write(&log, "first\n").unwrap();
    let desk = ToolFixture::with(|settings| settings.hub.monitor.roots = vec![root]).await;
    (desk, folder, log)
}

fn starts(id: &str, log: &std::path::Path) -> Value {
    json!({"session_id": id, "session_type": "file", "log_file": log, "metadata": {"host": "web-1"}})
}

fn append(log: &std::path::Path, text: &[u8]) {
    use std::io::Write as _;
    fs::File::options().append(true).open(log).unwrap().write_all(text).unwrap();
}

async fn read(desk: &ToolFixture, id: &str, since: Option<u64>) -> Value {
    desk.call(&operator(), "get_session_updates", json!({"session_id": id, "since": since})).await.done().0.clone()
}

#[tokio::test(start_paused = true)]
async fn a_file_is_followed_read_from_any_place_and_left_alone_at_the_end() {
    let (desk, _folder, log) = desk().await;
    let started = desk.call(&operator(), "start_session_monitor", starts("ssh-1", &log)).await.done().0.clone();
    assert_eq!((&started["status"], &started["file_position"]), (&json!("active"), &json!(0)), "{started}");
    assert_eq!((&started["log_file"], started["start_time"].is_string()), (&json!(log), true));
    assert_eq!(read(&desk, "ssh-1", None).await["new_content"], "first\n");
    append(&log, "größer\npassword for dev: ".as_bytes());
    let new = read(&desk, "ssh-1", Some(6)).await;
    assert_eq!((&new["new_content"], &new["has_more"]), (&json!("größer\npassword for dev: "), &json!(false)), "{new}");
    assert_eq!(read(&desk, "ssh-1", Some(6)).await["new_content"], new["new_content"], "reading takes nothing away");
    let detected = desk.call(&operator(), "detect_input_prompt", json!({"session_id": "ssh-1"})).await;
    assert_eq!(detected.0["prompt"]["prompt_type"], "password", "{detected:?}");
    assert_eq!(detected.0["prompt"]["file_position"], fs::metadata(&log).unwrap().len());
    let stopped = desk.call(&operator(), "stop_session_monitor", json!({"session_id": "ssh-1"})).await.done().0.clone();
    assert_eq!(stopped["total_bytes_processed"], fs::metadata(&log).unwrap().len(), "{stopped}");
    assert!(log.exists(), "the file is its owner's");
    for tool in ["get_session_updates", "detect_input_prompt", "stop_session_monitor"] {
        desk.call(&operator(), tool, json!({"session_id": "ssh-1"})).await.is("SESSION_NOT_FOUND");
    }
    desk.ends().await;
}

#[tokio::test(start_paused = true)]
async fn what_grows_is_seen_by_itself_within_a_quarter_of_a_second() {
    let (desk, _folder, log) = desk().await;
    desk.call(&operator(), "start_session_monitor", starts("ssh-1", &log)).await.done();
    let filter = crate::journal::EventFilter {
        types: vec!["session.input_prompt_detected".to_owned()],
        ..crate::journal::EventFilter::default()
    };
    let mut told = desk.hub.noticeboard.subscribe(filter, None).await.unwrap();
    // Long quiet: it is looked into seldom.
    tokio::time::sleep(Duration::from_secs(60)).await;
    append(&log, b"Are you sure? [y/N] ");
    let began = tokio::time::Instant::now();
    let event = tokio::time::timeout(Duration::from_secs(5), told.next()).await.unwrap();
    assert!(event.is_some() && began.elapsed() <= Duration::from_millis(250), "{:?}", began.elapsed());
    desk.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_file_that_was_quiet_for_hours_is_followed_on_with_all_that_was_in_it() {
    let (desk, _folder, log) = desk().await;
    desk.call(&operator(), "start_session_monitor", starts("ssh-1", &log)).await.done();
    append(&log, "before ß\n".repeat(300).as_bytes());
    let before = read(&desk, "ssh-1", Some(0)).await;
    let id = crate::domain::ids::TerminalId::parse("ssh-1").unwrap();
    let terminal = desk.hub.supervisor.terminal(&id).await.unwrap().unwrap();
    let rests = async || terminal.actor_view().await.unwrap().detail["rests"] == true;
    tokio::time::sleep(Duration::from_secs(3 * 60 * 60)).await;
    assert!(rests().await);
    append(&log, b"Are you sure? [y/N] ");
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert!(!rests().await);
    assert_eq!(terminal.view().await.unwrap().input_prompt.unwrap().prompt_text, "Are you sure? [y/N]");
    let after = read(&desk, "ssh-1", Some(0)).await["new_content"].as_str().unwrap().to_owned();
    assert_eq!(after, format!("{}Are you sure? [y/N] ", before["new_content"].as_str().unwrap()));
    assert_eq!(terminal.transcript().await.unwrap().text.matches("before ß\n").count(), 300);
    desk.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_file_that_is_cut_or_exchanged_is_followed_on() {
    let (desk, _folder, log) = desk().await;
    desk.call(&operator(), "start_session_monitor", starts("ssh-1", &log)).await.done();
    let mut place = read(&desk, "ssh-1", None).await["file_position"].as_u64().unwrap();
    let mut new = async |desk: &ToolFixture| {
        let read = read(desk, "ssh-1", Some(place)).await;
        place = read["file_position"].as_u64().unwrap();
        read["new_content"].as_str().unwrap().to_owned()
    };
    fs::write(&log, "cut\n").unwrap();
    assert_eq!(new(&desk).await, "cut\n");
    append(&log, b"last words\n");
    fs::rename(&log, log.with_extension("1")).unwrap();
    assert_eq!(new(&desk).await, "last words\n", "the old one is read to its end");
    assert_eq!(new(&desk).await, "", "and the new one waited for");
    fs::write(&log, "anew\n").unwrap();
    assert_eq!(new(&desk).await, "anew\n");
    append(&log, &"é".as_bytes()[..1]);
    assert_eq!(new(&desk).await, "");
    append(&log, &"é".as_bytes()[1..]);
    assert_eq!(new(&desk).await, "é", "a character in two pieces is one");
    desk.ends().await;
}

#[tokio::test(start_paused = true)]
async fn only_plain_files_below_the_roots_are_followed_whatever_leads_out_of_them() {
    let (desk, folder, log) = desk().await;
    let root = log.parent().unwrap();
    let outside = folder.path().join("secret.txt");
    fs::write(&outside, "secret").unwrap();
    symlink(&outside, root.join("leads-out")).unwrap();
    symlink(folder.path(), root.join("folder-out")).unwrap();
    symlink(&log, root.join("stays-in")).unwrap();
    let fifo = root.join("fifo");
    rustix::fs::mknodat(rustix::fs::CWD, &fifo, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
    let no = "FILE_NOT_READABLE";
    for (path, code) in [
        (outside.clone(), no),
        (folder.path().join("nowhere"), no),
        (root.join("../secret.txt"), no),
        (root.join("leads-out"), no),
        (root.join("folder-out/secret.txt"), no),
        (root.to_owned(), no),
        (fifo, no),
        (PathBuf::from("/dev/zero"), no),
        (PathBuf::from("build.log"), no),
        (root.join("nothing.log"), "FILE_NOT_FOUND"),
    ] {
        let said = desk.call(&operator(), "start_session_monitor", starts("m", &path)).await;
        assert_eq!(said.0["code"], code, "{}: {said:?}", path.display());
        assert!(!said.0["message"].as_str().unwrap().contains("secret\""), "{said:?}");
    }
    desk.call(&operator(), "start_session_monitor", starts("m", &root.join("stays-in"))).await.done();
    let elsewhere = ToolFixture::new().await;
    elsewhere.call(&operator(), "start_session_monitor", starts("m", &log)).await.is(no);
    elsewhere.ends().await;
    desk.ends().await;
}

#[rstest]
#[case("", "INVALID_SESSION_ID")]
#[case("../../etc", "INVALID_SESSION_ID")]
#[case("a b", "INVALID_SESSION_ID")]
#[case("s_00000000", "SESSION_NOT_FOUND")]
#[case("taken", "SESSION_ALREADY_EXISTS")]
#[tokio::test(start_paused = true)]
async fn a_name_is_of_its_shape_and_free(#[case] id: &str, #[case] code: &str) {
    let (desk, _folder, log) = desk().await;
    desk.call(&operator(), "start_session_monitor", starts("taken", &log)).await.done();
    let dev = desk.agent("dev-1", "designer").await;
    desk.call(&dev, "start_session_monitor", starts(id, &log)).await.is(code);
    desk.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_monitor_is_its_owners_and_an_agent_may_follow_a_file_as_its_own_session() {
    let (desk, _folder, log) = desk().await;
    let (dev, other) = (desk.agent("dev-1", "designer").await, desk.agent("dev-2", "designer").await);
    let session = session_of(&desk, &dev).await;
    desk.call(&dev, "start_session_monitor", starts(&session, &log)).await.done();
    desk.call(&dev, "start_session_monitor", starts("second", &log)).await.done();
    for id in [session.as_str(), "second"] {
        desk.call(&dev, "get_session_updates", json!({"session_id": id})).await.done();
        desk.call(&other, "get_session_updates", json!({"session_id": id})).await.is("SESSION_NOT_FOUND");
        desk.call(&other, "stop_session_monitor", json!({"session_id": id})).await.is("SESSION_NOT_FOUND");
    }
    desk.ends().await;
}

#[tokio::test(start_paused = true)]
async fn ten_gigabytes_of_nothing_are_passed_over_and_a_line_of_a_megabyte_is_drawn() {
    let (desk, _folder, log) = desk().await;
    desk.call(&operator(), "start_session_monitor", starts("big", &log)).await.done();
    let sparse = fs::File::options().append(true).open(&log).unwrap();
    sparse.set_len(10 * 1024 * 1024 * 1024).unwrap();
    append(&log, &[b'x'; 1024 * 1024]);
    append(&log, b"\nContinue? (yes/no): ");
    // Half a megabyte at each look: a look or two, and not ten thousand.
    let mut detected = Value::Null;
    for _ in 0..3 {
        detected =
            desk.call(&operator(), "detect_input_prompt", json!({"session_id": "big"})).await.0["prompt"].clone();
    }
    assert_eq!(detected["prompt_type"], "yes_no", "{detected}");
    desk.ends().await;
}

#[tokio::test(start_paused = true)]
async fn lines_are_found_with_what_stands_around_them_also_in_sessions_that_ended() {
    let (desk, _folder, log) = desk().await;
    let text: String = (1..=50).map(|line| format!("line {line}\n")).collect();
    fs::write(&log, text).unwrap();
    desk.call(&operator(), "start_session_monitor", starts("old", &log)).await.done();
    desk.call(&operator(), "stop_session_monitor", json!({"session_id": "old"})).await.done();
    let dev = desk.agent("dev-1", "designer").await;
    desk.call(&dev, "append_output", json!({"text": "line 7 of mine\n"})).await.done();
    let query = json!({"query": "^line 7", "context_lines": 1});
    let found = desk.call(&operator(), "search_session_history", query.clone()).await.done().0.clone();
    assert_eq!((&found["total_matches"], &found["searched_sessions"]), (&json!(2), &json!(2)), "{found}");
    let old = found["matches"].as_array().unwrap().iter().find(|found| found["session_id"] == "old").unwrap();
    assert_eq!((&old["line_number"], &old["matched_text"]), (&json!(7), &json!("line 7")));
    assert_eq!((&old["context_before"], &old["context_after"]), (&json!(["line 6"]), &json!(["line 8"])));
    let own = desk.call(&dev, "search_session_history", query).await.done().0.clone();
    assert_eq!((&own["total_matches"], &own["searched_sessions"]), (&json!(1), &json!(1)), "{own}");
    let few = json!({"query": "line", "session_id": "old", "max_results": 3});
    let few = desk.call(&operator(), "search_session_history", few).await.done().0.clone();
    assert_eq!((few["matches"].as_array().unwrap().len(), &few["total_matches"]), (3, &json!(50)), "true totals");
    for (wrong, code) in [
        (json!({"query": "(unclosed"}), "INVALID_REGEX"),
        (json!({"query": "(?=x)"}), "INVALID_REGEX"),
        (json!({"query": ""}), "INVALID_REGEX"),
        (json!({"query": "a{1000}{1000}"}), "INVALID_REGEX"),
        (json!({"query": "x", "session_id": "nowhere"}), "SESSION_NOT_FOUND"),
        (json!({"query": "x", "context_lines": 11}), "INVALID_ARGUMENTS"),
        (json!({"query": "x", "max_results": 0}), "INVALID_ARGUMENTS"),
    ] {
        desk.call(&operator(), "search_session_history", wrong).await.is(code);
    }
    desk.ends().await;
}

#[tokio::test(start_paused = true)]
async fn old_transcripts_go_when_somebody_says_so_and_no_file_of_anybodys() {
    let (desk, _folder, log) = desk().await;
    desk.call(&operator(), "start_session_monitor", starts("old", &log)).await.done();
    desk.call(&operator(), "stop_session_monitor", json!({"session_id": "old"})).await.done();
    tokio::time::sleep(2 * DAY).await;
    let dev = desk.agent("dev-1", "designer").await;
    desk.call(&dev, "append_output", json!({"text": "new\n"})).await.done();
    let clean = async |days: u64, dry: bool| {
        let asked = json!({"retention_days": days, "dry_run": dry});
        desk.call(&operator(), "cleanup_old_sessions", asked).await.done().0.clone()
    };
    assert_eq!(clean(7, false).await["total_deleted"], 0);
    let would = clean(1, true).await;
    assert_eq!((&would["total_deleted"], &would["dry_run"]), (&json!(1), &json!(true)), "{would}");
    assert!(would["bytes_freed"].as_u64().unwrap() > 0 && would["deleted_sessions"][0] == "old", "{would}");
    assert_eq!(clean(1, false).await["deleted_sessions"], would["deleted_sessions"]);
    assert_eq!(clean(1, false).await["total_deleted"], 0);
    assert!(log.exists());
    for days in [0, 366] {
        let wrong = json!({"retention_days": days});
        desk.call(&operator(), "cleanup_old_sessions", wrong).await.is("INVALID_ARGUMENTS");
    }
    desk.ends().await;
}
