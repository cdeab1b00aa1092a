//! Real programs on real terminals, asked until they are where they go to sleep.

use std::io::Read as _;
use std::process::Child;

use pty_process::blocking::{Command, Pty, open};

use super::*;

/// A program on a terminal of its own; ended with its group when this goes.
struct Stage {
    child: Child,
    probe: Probe,
    pty: Pty,
}

impl Stage {
    fn with(script: &str) -> Self {
        let (pty, pts) = open().unwrap();
        let child = Command::new("bash").args(["--norc", "--noprofile", "-c", script]).spawn(pts).unwrap();
        let leader = i32::try_from(child.id()).unwrap();
        Self { child, probe: Probe::of(&pty, leader).unwrap(), pty }
    }

    /// Waits until it says `ready`.
    fn is_ready(&mut self) {
        let (mut said, mut piece) = (String::new(), [0; 256]);
        while !said.contains("ready") {
            let length = self.pty.read(&mut piece).unwrap();
            said.push_str(&String::from_utf8_lossy(&piece[..length]));
        }
    }

    /// Asks until the answer is this, or for so long that it never will be.
    #[track_caller]
    fn comes_to(&self, reader: Reader) -> Host {
        for _ in 0..20_000 {
            let host = self.probe.look();
            if host.reader == reader {
                return host;
            }
            std::thread::yield_now();
        }
        panic!("{:?}, and not {reader:?}", self.probe.look())
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        let leader = rustix::process::Pid::from_child(&self.child);
        let _gone = rustix::process::kill_process_group(leader, rustix::process::Signal::KILL);
        drop(self.child.wait());
    }
}

#[test]
fn a_program_that_reads_a_line_reads() {
    let host = Stage::with("read line").comes_to(Reader::Reads);
    assert_eq!((host.echo, host.canonical), (Some(true), Some(true)));
    let host = Stage::with("read -s line").comes_to(Reader::Reads);
    assert_eq!((host.echo, host.canonical), (Some(false), Some(true)));
    Stage::with("cat | cat").comes_to(Reader::Reads);
    Stage::with("cat < /dev/tty").comes_to(Reader::Reads);
}

#[test]
fn a_program_that_waits_for_keys_among_other_things_polls() {
    let script = "exec python3 -c 'import select, sys; select.select([sys.stdin], [], [])'";
    Stage::with(script).comes_to(Reader::Polls);
    let script = "exec python3 -c 'import select, sys; p = select.poll(); p.register(0, select.POLLIN); p.poll()'";
    Stage::with(script).comes_to(Reader::Polls);
    let script = "exec python3 -c 'import select; e = select.epoll(); e.register(0, select.EPOLLIN); e.poll()'";
    Stage::with(script).comes_to(Reader::Polls);
    let script = "exec python3 -c 'import select; e = select.epoll(); e.register(0, select.EPOLLIN); \
                  select.select([e], [], [])'";
    Stage::with(script).comes_to(Reader::Polls);
}

/// As programs of `termbox` do: they sleep on nothing that has to do with the terminal.
#[test]
fn a_program_that_is_told_of_keys_by_a_signal_polls() {
    let waits = |flag: &str| {
        format!(
            "exec python3 -c 'import fcntl, os, signal; signal.signal(signal.SIGIO, lambda *_: None); \
             flags = fcntl.fcntl(0, fcntl.F_GETFL); fcntl.fcntl(0, fcntl.F_SETFL, flags | {flag}); \
             print(\"ready\", flush=True); signal.pause()'"
        )
    };
    Stage::with(&waits("os.O_ASYNC")).comes_to(Reader::Polls);
    let mut deaf = Stage::with(&waits("0"));
    deaf.is_ready();
    deaf.comes_to(Reader::Busy);
}

#[test]
fn a_program_that_does_something_else_is_busy() {
    let mut sleeps = Stage::with("echo ready; sleep 1000");
    sleeps.is_ready();
    sleeps.comes_to(Reader::Busy);
    let mut turns = Stage::with("echo ready; while :; do :; done");
    turns.is_ready();
    turns.comes_to(Reader::Busy);
    let script =
        "exec python3 -c 'import os, select; print(\"ready\", flush=True); select.select([os.pipe()[0]], [], [])'";
    let mut elsewhere = Stage::with(script);
    elsewhere.is_ready();
    elsewhere.comes_to(Reader::Busy);
}

#[test]
fn behind_a_relay_the_inner_terminal_says_who_reads() {
    Stage::with("script -qc 'read line' /dev/null").comes_to(Reader::Reads);
    let mut busy = Stage::with("script -qc 'echo ready; sleep 1000' /dev/null");
    busy.is_ready();
    busy.comes_to(Reader::Busy);
}

/// As multiplexers and coding agents do: what they run has terminals of its own, and they wait for their user.
#[test]
fn who_shows_other_terminals_may_wait_however_busy_these_are() {
    let shows = |commands: &str| {
        let script = format!(
            "import os, pty, select, sys\n\
             def show(command):\n    \
                 pid, fd = pty.fork()\n    \
                 if pid == 0: os.execvp('bash', ['bash', '-c', command])\n    \
                 return fd\n\
             shown = [show(command) for command in {commands}]\n\
             for fd in shown: os.read(fd, 9)\n\
             print('ready', flush=True)\n\
             select.select([sys.stdin], [], [])"
        );
        let mut stage = Stage::with(&format!("exec python3 -c \"{script}\""));
        stage.is_ready();
        stage
    };
    shows("['echo; sleep 1000', 'echo; sleep 1000']").comes_to(Reader::Polls);
    shows("['echo; sleep 1000']").comes_to(Reader::Unknown);
    shows("['echo; read line']").comes_to(Reader::Reads);
}

#[test]
fn what_was_started_to_destroy_is_known_by_its_words() {
    assert!(Stage::with("exec -a rm cat").comes_to(Reader::Reads).destroys);
    assert!(Stage::with("exec -a dropdb cat").comes_to(Reader::Reads).destroys, "run by another program");
    assert!(!Stage::with("exec cat -").comes_to(Reader::Reads).destroys);
    let told = "exec -a agent cat - 'please rm -rf the old folder'";
    assert!(!Stage::with(told).comes_to(Reader::Reads).destroys, "it is what the program is told");
}

#[test]
fn a_program_that_has_ended_is_known_to_be() {
    let mut stage = Stage::with("true");
    stage.child.wait().unwrap();
    let host = stage.probe.look();
    assert!(matches!(host.reader, Reader::Unknown | Reader::Gone), "{host:?}");
}
