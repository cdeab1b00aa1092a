//! The program, in a PTY and a session of its own.
//!
//! It is the first of its session, and the system does not stop such a program at Ctrl-Z where it leaves that to the
//! system. So the host stops it in the system's place, and itself.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::process::ExitStatus;
use std::time::Duration;

use pty_process::{Command, Pty, open};
use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, getpgid, getpgrp, getppid, getsid, kill_current_process_group,
    kill_process_group, waitid,
};
use rustix::termios::{
    LocalModes, OptionalActions, OutputModes, SpecialCodeIndex, Winsize, tcgetattr, tcgetpgrp, tcsetattr, tcsetwinsize,
};
use tokio::process::Child;
use tokio::time::sleep;

#[cfg(target_os = "linux")]
use super::probe::is_left_to_the_system;
use super::probe::{Probe, holds_output};
use super::user_terminal::UserTerminal;
use crate::domain::ids::AgentId;
use crate::exit::Exit;
use crate::problem::Problem;

/// There is no such command, as a shell says it.
const NO_COMMAND: Exit = Exit::Hosted(127);
/// The command cannot be run, as a shell says it.
const NOT_RUNNABLE: Exit = Exit::Hosted(126);

/// A program that runs. Its group is ended when this is dropped before the program has ended.
pub(super) struct ChildProcess {
    /// The side of the PTY that is the terminal.
    pub(super) pty: Pty,
    pub(super) child: Child,
    pub(super) line: ChildControl,
}

/// What can be asked and told about the program while its PTY is being read and written.
pub(super) struct ChildControl {
    terminal: OwnedFd,
    /// Its process, and its first group: it leads both.
    leader: Pid,
    has_ended: bool,
}

impl ChildProcess {
    /// Starts the command, whose terminal has the settings and the size of the user's. Where nobody sees what it prints
    /// on a terminal, lines end in a file or a pipe as they would without one.
    pub(super) fn start(command: &[OsString], agent: &AgentId, seat: &UserTerminal) -> Result<Self, Problem> {
        let (name, arguments) = command.split_first().ok_or_else(|| Problem::configuration("there is no command"))?;
        let no_terminal = |why: String| Problem::failed("failed to make a terminal").because(why);
        let (pty, pts) = open().map_err(|error| no_terminal(error.to_string()))?;
        let mut settings = match seat.settings() {
            Some(settings) => settings.clone(),
            None => tcgetattr(&pts).map_err(|error| no_terminal(error.to_string()))?,
        };
        if !seat.is_seen() {
            settings.output_modes.remove(OutputModes::ONLCR);
        }
        tcsetattr(&pts, OptionalActions::Now, &settings).map_err(|error| no_terminal(error.to_string()))?;
        let terminal = pty.as_fd().try_clone_to_owned()?;
        tcsetwinsize(&terminal, seat.size()).map_err(|error| no_terminal(error.to_string()))?;
        let command = Command::new(name).args(arguments).env("CALLBOARD_AGENT_ID", agent.as_str());
        let child = command.spawn(pts).map_err(|error| never_ran(name, &error))?;
        let leader = child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
        let leader = leader.ok_or_else(|| no_terminal("the program has no process".to_owned()))?;
        Ok(Self { pty, child, line: ChildControl { terminal, leader, has_ended: false } })
    }
}

/// After which pauses it is looked again whether a program leaves it to the system to be stopped.
const SETTLES: [Duration; 3] = [Duration::from_millis(10), Duration::from_millis(30), Duration::from_millis(100)];

impl ChildControl {
    /// The program's terminal has another size now; the system tells the program.
    pub(super) fn resize(&self, size: Winsize) {
        // A terminal whose program ended has no size.
        let _gone = tcsetwinsize(&self.terminal, size);
    }

    /// What a person at the terminal would do by a key: for whoever is in the foreground.
    pub(super) fn signal_foreground(&self, signal: Signal) {
        let _gone = kill_process_group(self.foreground(), signal);
    }

    /// For the program and for whoever is in the foreground.
    pub(super) fn signal_all(&self, signal: Signal) {
        let foreground = self.foreground();
        if foreground != self.leader {
            let _gone = kill_process_group(foreground, signal);
        }
        let _gone = kill_process_group(self.leader, signal);
    }

    /// The group in the foreground; the program's own where nobody can say.
    fn foreground(&self) -> Pid {
        tcgetpgrp(&self.terminal).unwrap_or(self.leader)
    }

    /// Whether the terminal takes a line and hides it, as for passwords.
    pub(super) fn hides(&self) -> bool {
        let modes = tcgetattr(&self.terminal).map(|settings| settings.local_modes);
        modes.is_ok_and(|modes| modes.contains(LocalModes::ICANON) && !modes.contains(LocalModes::ECHO))
    }

    /// Whether the program printed something that was not read yet.
    pub(super) fn has_printed(&self) -> bool {
        holds_output(&self.terminal)
    }

    /// What only a host can know of it.
    pub(super) fn probe(&self) -> io::Result<Probe> {
        Probe::of(&self.terminal, self.leader.as_raw_nonzero().get())
    }

    /// What ends the input of a program that reads lines: `Ctrl-D`, unless set otherwise; twice after a line has begun.
    pub(super) fn end_of_input(&self, in_a_line: bool) -> Vec<u8> {
        let Ok(settings) = tcgetattr(&self.terminal) else { return Vec::new() };
        if !settings.local_modes.contains(LocalModes::ICANON) {
            return Vec::new();
        }
        vec![settings.special_codes[SpecialCodeIndex::VEOF]; if in_a_line { 2 } else { 1 }]
    }

    /// Whether these keys ask the program itself to stop. It is the first of its session, and the system stops none
    /// that no shell could fetch again; the host can.
    pub(super) fn is_asked_to_stop(&self, keys: &[u8]) -> bool {
        let Ok(settings) = tcgetattr(&self.terminal) else { return false };
        let code = |index| Some(settings.special_codes[index]).filter(|code| *code != NO_KEY);
        let quotes = code(SpecialCodeIndex::VLNEXT).filter(|_| settings.local_modes.contains(LocalModes::IEXTEN));
        settings.local_modes.contains(LocalModes::ISIG)
            && code(SpecialCodeIndex::VSUSP).is_some_and(|stops| holds_the_key(keys, stops, quotes))
            && self.foreground() == self.leader
    }

    /// Stops it, if that is left to the system. One that is about to run another program minds for a moment.
    pub(super) async fn stops_by_itself(&self) {
        for pause in SETTLES {
            if self.is_stopped_by_nobody() {
                return self.signal_foreground(Signal::STOP);
            }
            sleep(pause).await;
        }
    }

    /// Asks the foreground to stop, as its user would by a key.
    pub(super) fn ask_to_stop(&self) {
        let stop = if self.is_stopped_by_nobody() { Signal::STOP } else { Signal::TSTP };
        self.signal_foreground(stop);
    }

    #[cfg(target_os = "linux")]
    fn is_stopped_by_nobody(&self) -> bool {
        self.foreground() == self.leader && is_left_to_the_system(self.leader.as_raw_nonzero().get())
    }

    #[cfg(not(target_os = "linux"))]
    #[expect(clippy::unused_self, reason = "elsewhere there is something to ask")]
    fn is_stopped_by_nobody(&self) -> bool {
        false
    }

    /// Whether the program was stopped since this was asked last.
    pub(super) fn was_stopped(&self) -> bool {
        let stops = WaitIdOptions::STOPPED | WaitIdOptions::NOHANG;
        matches!(waitid(WaitId::Pid(self.leader), stops), Ok(Some(status)) if status.stopped())
    }

    /// The program has ended: its number may be another's now.
    pub(super) fn ended(&mut self, status: io::Result<ExitStatus>) -> io::Result<ExitStatus> {
        self.has_ended = true;
        status
    }
}

/// What stands where a terminal has no such key (`_POSIX_VDISABLE`).
const NO_KEY: u8 = 0;

/// Whether a key was pressed, and not behind the one that takes the next to the letter.
fn holds_the_key(keys: &[u8], key: u8, quotes: Option<u8>) -> bool {
    let mut quoted = false;
    keys.iter().any(|byte| {
        let pressed = *byte == key && !quoted;
        quoted = !quoted && Some(*byte) == quotes;
        pressed
    })
}

impl Drop for ChildControl {
    fn drop(&mut self) {
        if !self.has_ended {
            // Without waiting for it.
            self.signal_all(Signal::HUP);
            self.signal_all(Signal::CONT);
            self.signal_all(Signal::KILL);
        }
    }
}

/// Stops the host and all that belongs to its command until the user's shell fetches it; nothing where none could.
pub(super) fn stop_host() -> bool {
    let Some(parent) = getppid() else { return false };
    let same_session = matches!((getsid(Some(parent)), getsid(None)), (Ok(theirs), Ok(ours)) if theirs == ours);
    let other_group = getpgid(Some(parent)).is_ok_and(|group| group != getpgrp());
    same_session && other_group && kill_current_process_group(Signal::STOP).is_ok()
}

/// Why there is no program, with the code of a shell.
fn never_ran(name: &OsStr, error: &pty_process::Error) -> Problem {
    let kind = match error {
        pty_process::Error::Io(error) => error.kind(),
        pty_process::Error::Rustix(_) | pty_process::Error::TokioAsyncFd(_) | pty_process::Error::Unsplit(..) => {
            io::ErrorKind::Other
        }
    };
    let what = format!("failed to run `{}`", name.to_string_lossy());
    let exit = if kind == io::ErrorKind::NotFound { NO_COMMAND } else { NOT_RUNNABLE };
    Problem::new(exit, what).because(error.to_string())
}

#[cfg(test)]
mod tests;
