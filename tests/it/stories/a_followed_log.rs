//! A log file that the hub follows, as what writes logs treats it: it grows, is cut, is exchanged, ends in half a
//! character, is of gigabytes. And what is no log, or none of those that may be read, is not followed.

use std::fs::{self, File};
use std::io::Write as _;
use std::os::unix::fs::{FileExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::support::pause;
use crate::support::watched::{FOLLOWED, Scene};

/// How often is looked, 20 ms apart, before what does not come is given up.
const LOOKS: u32 = 4_500;

/// A scene and its log, which is followed as `log-1`.
struct Log {
    scene: Scene,
    path: PathBuf,
    /// How far its reader has read.
    place: u64,
}

impl Log {
    fn new() -> Self {
        let scene = Scene::new();
        let path = scene.data_dir.path().join(FOLLOWED).join("build.log");
        File::create(&path).unwrap();
        assert_eq!(follows(&scene, "log-1", &path).0, 200);
        Self { scene, path, place: 0 }
    }

    fn grows(&self, bytes: &[u8]) {
        File::options().append(true).create(true).open(&self.path).unwrap().write_all(bytes).unwrap();
    }

    /// What comes from where it was read last, until it ends so.
    #[track_caller]
    fn comes(&mut self, end: &str) -> String {
        let mut came = String::new();
        for _ in 0..LOOKS {
            let asked = json!({"session_id": "log-1", "since": self.place});
            let (status, read) = tool(&self.scene, "get_session_updates", &asked);
            assert_eq!(status, 200, "{read}");
            self.place = read["file_position"].as_u64().unwrap();
            came.push_str(read["new_content"].as_str().unwrap());
            if came.ends_with(end) {
                return came;
            }
            pause(20);
        }
        panic!("`{end}` does not come, but `{came}`");
    }
}

fn tool(scene: &Scene, name: &str, arguments: &Value) -> (u16, Value) {
    scene.hub.post(&format!("/api/v1/tools/{name}"), arguments)
}

fn follows(scene: &Scene, id: &str, path: &Path) -> (u16, Value) {
    tool(scene, "start_session_monitor", &json!({"session_id": id, "session_type": "file", "log_file": path}))
}

#[test]
fn whatever_happens_to_it_nothing_of_it_is_missed_or_told_twice() {
    let mut log = Log::new();
    log.grows(b"one\n");
    assert_eq!(log.comes("one\n"), "one\n");
    log.grows("two ß".as_bytes());
    assert_eq!(log.comes("two ß"), "two ß");
    // Half a character, and the other half later.
    log.grows(&[0xe6, 0x97]);
    log.grows(&[0xa5, b'\n']);
    assert_eq!(log.comes("日\n"), "日\n");
    File::options().write(true).open(&log.path).unwrap().set_len(0).unwrap();
    log.grows(b"cut\n");
    assert_eq!(log.comes("cut\n"), "cut\n");
    log.grows(b"the last of the old one\n");
    fs::rename(&log.path, log.path.with_extension("log.1")).unwrap();
    assert_eq!(log.comes("old one\n"), "the last of the old one\n");
    log.grows(b"the first of the new one\n");
    assert_eq!(log.comes("new one\n"), "the first of the new one\n");
    // What was never text.
    log.grows(&(0..=255).collect::<Vec<u8>>());
    log.grows(b"\nPassword: ");
    assert!(log.comes("Password: ").contains("abcdefghijklmnop"));
    let seen = tool(&log.scene, "detect_input_prompt", &json!({"session_id": "log-1"})).1;
    assert_eq!(seen["prompt"]["prompt_type"], "password", "{seen}");
    assert!(log.scene.hub.terminate().success());
}

#[test]
fn of_gigabytes_of_nothing_the_end_is_read_at_once() {
    let log = Log::new();
    let file = File::options().write(true).open(&log.path).unwrap();
    file.set_len(10 * 1024 * 1024 * 1024).unwrap();
    file.write_all_at(b"\nContinue? (yes/no): ", 10 * 1024 * 1024 * 1024).unwrap();
    let mut seen = Value::Null;
    for _ in 0..LOOKS {
        seen = tool(&log.scene, "detect_input_prompt", &json!({"session_id": "log-1"})).1;
        if seen["prompt"]["prompt_type"] == "yes_no" {
            break;
        }
        pause(20);
    }
    assert_eq!(seen["prompt"]["prompt_type"], "yes_no", "{seen}");
    let stopped = tool(&log.scene, "stop_session_monitor", &json!({"session_id": "log-1"}));
    assert_eq!(stopped.0, 200, "{}", stopped.1);
    assert!(log.path.exists(), "it is its owner's");
}

#[test]
fn what_is_no_log_of_those_that_may_be_read_is_refused_and_not_even_opened() {
    let log = Log::new();
    let root = log.path.parent().unwrap().to_owned();
    let outside = log.scene.data_dir.path().join("operator.token");
    symlink(&outside, root.join("leads-out")).unwrap();
    symlink(log.scene.data_dir.path(), root.join("folder-out")).unwrap();
    let fifo = root.join("fifo");
    assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    for path in [
        outside,
        PathBuf::from("/etc/passwd"),
        root.join("..").join("operator.token"),
        root.join("leads-out"),
        root.join("folder-out").join("operator.token"),
        root.clone(),
        // Whoever opens it waits for a writer.
        fifo,
        PathBuf::from("/dev/tty"),
        PathBuf::from("build.log"),
    ] {
        let (status, refused) = follows(&log.scene, "m", &path);
        assert_eq!((status, &refused["code"]), (403, &json!("FILE_NOT_READABLE")), "{}: {refused}", path.display());
    }
    let (status, refused) = follows(&log.scene, "m", &root.join("nothing.log"));
    assert_eq!((status, &refused["code"]), (404, &json!("FILE_NOT_FOUND")), "{refused}");
    for (id, status, code) in [("log-1", 409, "SESSION_ALREADY_EXISTS"), ("../m", 400, "INVALID_SESSION_ID")] {
        let (said, refused) = follows(&log.scene, id, &log.path);
        assert_eq!((said, &refused["code"]), (status, &json!(code)), "{refused}");
    }
    // A link that takes the place of the log leads nowhere.
    fs::remove_file(&log.path).unwrap();
    symlink(log.scene.data_dir.path().join("operator.token"), &log.path).unwrap();
    pause(500);
    let read = tool(&log.scene, "get_session_updates", &json!({"session_id": "log-1"})).1;
    assert_eq!(read["new_content"], "", "{read}");
}
