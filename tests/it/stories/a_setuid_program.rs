//! A program with rights of its own (sudo, su, passwd) tells its host nothing of what it sleeps on: that it waits is
//! seen by what is left, the settings of its terminal, its words, and quiet.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;

use serde_json::json;
use tempfile::TempDir;

use crate::support::terminal::Terminal;
use crate::support::watched::Scene;

/// A user without any right, who is on every system.
const NOBODY: &str = "65534";

/// A host that may not look into what its program does: where this test may do anything, its host is somebody else.
struct Humble {
    folder: TempDir,
    is_root: bool,
}

impl Humble {
    fn new() -> Self {
        // What it needs must be reachable for somebody else: a folder of its own, and the binary in it.
        let folder = TempDir::new().unwrap();
        fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
        fs::copy(env!("CARGO_BIN_EXE_callboard"), folder.path().join("callboard")).unwrap();
        Self { folder, is_root: rustix::process::geteuid().is_root() }
    }

    /// `callboard run … -- sh -c SCRIPT`.
    fn hosts(&self, scene: &Scene, script: &str) -> Terminal {
        let binary = self.folder.path().join("callboard");
        let token = self.folder.path().join("token");
        fs::write(&token, scene.hub.operator_token()).unwrap();
        let mut run = Command::new(if self.is_root { "setpriv".as_ref() } else { binary.as_os_str() });
        if self.is_root {
            let to = |kind: &str| format!("--{kind}={NOBODY}");
            run.args([to("reuid"), to("regid"), "--clear-groups".to_owned(), "--".to_owned()]).arg(&binary);
            assert!(Command::new("chown").arg(NOBODY).arg(&token).status().unwrap().success());
        }
        fs::set_permissions(&token, Permissions::from_mode(0o600)).unwrap();
        run.args(["run", "--agent", "host-1", "--", "sh", "-c", script]);
        run.env("CALLBOARD_URL", format!("http://127.0.0.1:{}", scene.hub.port()));
        run.env("CALLBOARD_TOKEN_FILE", &token).env("HOME", self.folder.path());
        Terminal::start(run)
    }

    /// What reads a line, and gains rights when somebody without any starts it; where there are none to gain, without.
    fn gaining(&self) -> String {
        let head = self.folder.path().join("gaining");
        fs::copy("/usr/bin/head", &head).unwrap();
        fs::set_permissions(&head, Permissions::from_mode(if self.is_root { 0o4755 } else { 0o755 })).unwrap();
        format!("{} -n 1", head.display())
    }
}

#[test]
fn its_password_is_asked_for_and_kept_by_nobody() {
    let scene = Scene::new();
    let events = scene.events();
    // It is refused, whoever answers: what is looked at comes before that.
    let humble = Humble::new();
    let mut terminal = humble.hosts(&scene, "su root -c true; echo it said $?; read -p 'Name: ' name");
    let seen = &events.next("session.input_prompt_detected")["prompt"];
    assert_eq!((&seen["prompt_text"], &seen["prompt_type"]), (&json!("Password:"), &json!("password")), "{seen}");
    let seen = scene.sees("Password:", |prompt| {
        prompt["signals"].as_array().is_some_and(|signals| signals.contains(&json!("echo_off")))
    });
    assert!(seen["signals"].as_array().unwrap().iter().all(|signal| signal != "tty_read"), "nobody may ask: {seen}");
    assert_eq!((&seen["safe_to_type"], &seen["is_dangerous"]), (&json!(false), &json!(false)), "{seen}");
    terminal.presses("not-the-passw0rd\r");
    events.next("session.input_prompt_gone");
    terminal.shows("it said 1");
    terminal.shows("Name: ");
    scene.sees("Name:", |_| true);
    assert!(!scene.transcript().to_string().contains("passw0rd"));
    terminal.presses("bob\r");
    assert!(terminal.ends().0.success());
}

#[test]
fn what_it_asks_in_words_is_seen_by_words_and_quiet_and_what_it_prints_on_is_not() {
    let scene = Scene::new();
    let events = scene.events();
    let humble = Humble::new();
    let gaining = humble.gaining();
    let script = format!(
        "printf 'secret word, please'; stty -echo; {gaining} | head -n 1; stty echo; \
                          printf '\\nGo on? [y/N] '; {gaining} | head -n 1; echo Compiling a crate; {gaining}"
    );
    let mut terminal = humble.hosts(&scene, &script);
    let hidden = &events.next("session.input_prompt_detected")["prompt"];
    assert_eq!((&hidden["prompt_text"], &hidden["prompt_type"]), (&json!("secret word, please"), &json!("password")));
    terminal.presses("something\r");
    while events.next("session.input_prompt_detected")["prompt"]["prompt_text"] != "Go on? [y/N]" {}
    terminal.presses("y\r");
    events.next("session.input_prompt_gone");
    terminal.shows("Compiling a crate");
    let now = scene.agent.calls(&scene.hub, "detect_input_prompt", &json!({"session_id": scene.session()}));
    assert_eq!(now["detected"], false, "it reads its input, and has asked nobody anything: {now}");
    terminal.presses("\r");
    assert!(terminal.ends().0.success());
}
