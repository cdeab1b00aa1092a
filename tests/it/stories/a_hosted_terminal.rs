//! A program below `callboard run` notices nothing of it: codes, signals, keys, sizes and bytes pass unchanged, and the
//! user's terminal is afterwards as it was.

use std::fs;
use std::io::{Read as _, Write as _};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

use crate::support::hub_process::callboard;
use crate::support::terminal::{Terminal, signal};

/// `callboard run … -- CMD`, where no hub is known.
fn hosted(home: &TempDir, command: &[&str]) -> Command {
    let mut run = callboard(home.path());
    run.args(["run", "--agent", "host-1", "--"]).args(command);
    run
}

fn at_a_terminal(home: &TempDir, command: &[&str]) -> Terminal {
    Terminal::start(hosted(home, command))
}

fn without_one(home: &TempDir, command: &[&str], input: &[u8]) -> Output {
    let mut run = hosted(home, command);
    let mut child = run.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(input).unwrap();
    child.wait_with_output().unwrap()
}

#[test]
fn it_ends_as_the_program_ends() {
    let home = TempDir::new().unwrap();
    let code = |command: &[&str]| at_a_terminal(&home, command).ends().0.code();
    assert_eq!(code(&["true"]), Some(0));
    assert_eq!(code(&["sh", "-c", "exit 7"]), Some(7));
    assert_eq!(code(&["sh", "-c", "kill -KILL $$"]), Some(137));
    assert_eq!(code(&["sh", "-c", "kill -TERM $$"]), Some(143));
    assert_eq!(code(&["there-is-no-such-command"]), Some(127));
    assert_eq!(code(&["/dev/null"]), Some(126));
}

#[test]
fn who_has_no_hub_is_told_so_and_hosts_all_the_same() {
    let home = TempDir::new().unwrap();
    let run = without_one(&home, &["sh", "-c", "echo done; exit 3"], b"");
    assert_eq!((run.status.code(), String::from_utf8_lossy(&run.stdout).as_ref()), (Some(3), "done\n"));
    let told = String::from_utf8_lossy(&run.stderr).into_owned();
    assert!(told.starts_with("callboard run: not watched yet: "), "{told}");
}

#[test]
fn lines_that_go_into_a_pipe_end_as_the_program_ended_them() {
    let home = TempDir::new().unwrap();
    let run = without_one(&home, &["printf", "one\ntwo\r\nthree"], b"");
    assert_eq!(String::from_utf8_lossy(&run.stdout), "one\ntwo\r\nthree");
}

#[test]
fn ctrl_c_reaches_the_program_and_not_the_host() {
    let home = TempDir::new().unwrap();
    let script = "trap 'echo caught; exit 3' INT; echo ready; while :; do read line; done";
    let mut terminal = at_a_terminal(&home, &["sh", "-c", script]);
    terminal.shows("ready");
    terminal.presses("\u{3}");
    terminal.shows("caught");
    assert_eq!(terminal.ends().0.code(), Some(3));
}

#[test]
fn jobs_are_stopped_and_fetched_inside() {
    let home = TempDir::new().unwrap();
    let mut terminal = at_a_terminal(&home, &["bash", "--norc", "--noprofile", "-i"]);
    terminal.presses("PS1='in''side> '\r");
    terminal.shows("inside> ");
    terminal.presses("echo run''ning; cat\r");
    terminal.shows("running");
    terminal.presses("are you there\r");
    terminal.shows("are you there\r\nare you there");
    terminal.presses("\u{1a}");
    terminal.shows("Stopped");
    terminal.shows("inside> ");
    terminal.presses("fg\r");
    terminal.shows("\rcat\r\n");
    terminal.presses("back again\r");
    terminal.shows("back again\r\nback again");
    terminal.presses("\u{4}");
    terminal.shows("inside> ");
    terminal.presses("exit 5\r");
    assert_eq!(terminal.ends().0.code(), Some(5));
}

/// A shell with jobs, in which a host is one of them.
fn at_a_shell(home: &TempDir) -> Terminal {
    let mut shell = Command::new("bash");
    shell.args(["--norc", "--noprofile", "-i"]).env("HOSTED", env!("CARGO_BIN_EXE_callboard"));
    shell.env("CALLBOARD_DATA_DIR", home.path());
    let mut terminal = Terminal::start(shell);
    terminal.presses("PS1='out''side> '\r");
    terminal.shows("outside> ");
    terminal
}

#[test]
fn a_program_that_stops_gives_the_terminal_back_until_it_is_fetched() {
    let home = TempDir::new().unwrap();
    let mut terminal = at_a_shell(&home);
    terminal.presses("$HOSTED run --agent host-1 -- sh -c 'kill -STOP $$; echo went on; stty size; exit 4'\r");
    terminal.shows("Stopped");
    terminal.shows("outside> ");
    terminal.presses("stty -a | grep -ow -e '-*icanon' -e '-*opost'\r");
    terminal.shows("\ropost\r\nicanon");
    terminal.is_resized(33, 77);
    terminal.presses("fg\r");
    terminal.shows("went on");
    terminal.shows("33 77");
    terminal.shows("outside> ");
    terminal.presses("exit $?\r");
    assert_eq!(terminal.ends().0.code(), Some(4));
}

/// The program is alone in its session: there the system passes over a Ctrl-Z that the program leaves to it.
#[test]
fn ctrl_z_stops_a_program_that_has_no_jobs_until_it_is_fetched() {
    let home = TempDir::new().unwrap();
    let mut terminal = at_a_shell(&home);
    terminal.presses("$HOSTED run --agent host-1 -- sh -c 'echo rea''dy; cat; exit 4'\r");
    terminal.shows("\nready");
    terminal.presses("\u{1a}");
    terminal.shows("Stopped");
    terminal.shows("outside> ");
    terminal.presses("fg\r");
    terminal.shows("cat; exit 4'\r\n");
    terminal.presses("again\r");
    terminal.shows("again\r\nagain");
    terminal.presses("\u{4}");
    terminal.shows("outside> ");
    terminal.presses("exit $?\r");
    assert_eq!(terminal.ends().0.code(), Some(4));
}

#[test]
fn the_program_sees_the_size_and_each_change_of_it() {
    let home = TempDir::new().unwrap();
    let script = "stty size; trap 'stty size; exit' WINCH; sleep 1000 & echo ready; wait";
    let mut terminal = at_a_terminal(&home, &["bash", "-c", script]);
    terminal.shows("40 100");
    terminal.shows("ready");
    terminal.is_resized(31, 93);
    terminal.shows("31 93");
    assert!(terminal.ends().0.success());
}

#[test]
fn the_terminal_is_as_it_was_after_a_signal_ended_the_host() {
    for (name, code) in [("TERM", 143), ("HUP", 129)] {
        let home = TempDir::new().unwrap();
        let mut terminal = at_a_terminal(&home, &["sh", "-c", "echo ready; read line"]);
        terminal.shows("ready");
        assert!(terminal.is_raw());
        terminal.signals(name);
        assert_eq!(terminal.has_ended().code(), Some(code), "the program heard the same signal");
        assert!(!terminal.is_raw());
    }
}

/// A closed window is the commonest end of all: whoever hears of it may clean up for as long as they need.
#[test]
fn a_program_whose_users_terminal_was_closed_has_the_time_it_needs() {
    let home = TempDir::new().unwrap();
    let notes = home.path().join("notes");
    let script = "trap 'for i in 1 2 3 4 5; do echo cleaning up; sleep 1; done; echo done > \"$NOTES\"; exit 0' HUP; \
                  echo ready; while :; do read line || sleep 0.1; done";
    let mut run = hosted(&home, &["bash", "-c", script]);
    run.env("NOTES", &notes);
    let (mut window, terminal) = pty_process::blocking::open().unwrap();
    let mut host = pty_process::blocking::Command::from(run).spawn(terminal).unwrap();
    let (mut screen, mut piece) = (String::new(), [0; 256]);
    while !screen.contains("ready") {
        let length = window.read(&mut piece).unwrap();
        screen.push_str(&String::from_utf8_lossy(&piece[..length]));
    }
    drop(window);
    assert_eq!(host.wait().unwrap().code(), Some(0));
    assert_eq!(fs::read_to_string(&notes).unwrap(), "done\n");
}

#[test]
fn the_terminal_is_as_it_was_after_somebody_killed_the_program() {
    let home = TempDir::new().unwrap();
    let script = "stty -echo raw; echo group $$.; read line";
    let mut terminal = at_a_terminal(&home, &["bash", "-c", script]);
    terminal.shows("group ");
    terminal.shows(".");
    assert!(terminal.is_raw());
    let group = terminal.screen.split("group ").nth(1).unwrap().split('.').next().unwrap().to_owned();
    assert!(signal(&group, "KILL"));
    assert_eq!(terminal.has_ended().code(), Some(137));
    assert!(!terminal.is_raw());
}

#[test]
fn what_a_program_left_switched_on_is_put_back_when_the_host_had_to_end_it() {
    let home = TempDir::new().unwrap();
    let drawn = "printf '\\033[?1049h\\033[?1000;1006h\\033[?25lready'";
    let script = format!("trap '' TERM HUP; {drawn}; while :; do read line; done");
    let mut terminal = at_a_terminal(&home, &["bash", "-c", &script]);
    terminal.shows("ready");
    for _ in 0..3 {
        terminal.signals("TERM");
    }
    terminal.shows("\u{1b}[?1000l\u{1b}[?1006l\u{1b}[?25h\u{1b}[?1049l");
    assert_eq!(terminal.ends().0.code(), Some(137));
    let ends = at_a_terminal(&home, &["bash", "-c", &format!("{drawn}; exit 3")]).ends();
    assert_eq!(ends.0.code(), Some(3));
    assert!(ends.1.ends_with("ready"), "one that ended by itself is passed unchanged: {:?}", ends.1);
}

#[test]
fn a_program_that_will_not_end_is_killed_with_its_group() {
    let home = TempDir::new().unwrap();
    let script = "trap 'echo no' TERM; trap 'echo never' HUP; sh -c 'trap \"\" HUP TERM; sleep 1000' & \
                  echo group $$.; while :; do read line; done";
    let mut terminal = at_a_terminal(&home, &["bash", "-c", script]);
    terminal.shows("group ");
    terminal.shows(".");
    let group = terminal.screen.split("group ").nth(1).unwrap().split('.').next().unwrap().to_owned();
    assert!(signal(&format!("-{group}"), "0"));
    terminal.signals("TERM");
    terminal.shows("no");
    terminal.signals("TERM");
    terminal.shows("never");
    terminal.signals("TERM");
    assert_eq!(terminal.has_ended().code(), Some(137));
    assert!(!signal(&group, "0"), "nothing is left of it, not even a zombie");
    assert!(!terminal.is_raw());
}

#[test]
fn a_megabyte_passes_unchanged() {
    let home = TempDir::new().unwrap();
    let bytes: Vec<u8> = (0..1_000_000_u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13).to_le_bytes()[0]).collect();
    let file = home.path().join("burst");
    fs::write(&file, &bytes).unwrap();
    let shown = without_one(&home, &["sh", "-c", "stty raw -echo; cat \"$0\"", file.to_str().unwrap()], b"");
    assert!(shown.status.success(), "{shown:?}");
    assert!(shown.stdout == bytes, "{} of {} bytes came", shown.stdout.len(), bytes.len());
}

#[test]
fn every_key_passes_unchanged() {
    let home = TempDir::new().unwrap();
    let script = "stty raw -echo; echo ready; head -c 127 | od -An -v -tu1 | tr -s ' \\n' ' '; stty sane; echo done";
    let mut terminal = at_a_terminal(&home, &["sh", "-c", script]);
    terminal.shows("ready");
    terminal.presses(&(1..=127_u8).map(char::from).collect::<String>());
    let expected = (1..=127).map(|key| key.to_string()).collect::<Vec<_>>().join(" ");
    terminal.shows(&expected);
    terminal.shows("done");
    assert!(terminal.ends().0.success());
}

#[test]
fn input_that_is_no_terminal_is_typed_and_ended() {
    let home = TempDir::new().unwrap();
    let count = without_one(&home, &["sh", "-c", "stty -echo; echo; wc -l"], b"one\ntwo\nthree\n");
    assert_eq!(String::from_utf8_lossy(&count.stdout).split_whitespace().last(), Some("3"), "{count:?}");
    let text = without_one(&home, &["sh", "-c", "stty -echo; cat; echo .; exit 2"], b"no end of line");
    assert!(String::from_utf8_lossy(&text.stdout).ends_with("no end of line.\n"), "{text:?}");
    assert_eq!(text.status.code(), Some(2));
}
