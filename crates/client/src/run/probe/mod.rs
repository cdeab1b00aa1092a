//! What only a host can know of a terminal: who sleeps on it, and how it is set. Without a `/proc` of this kind, the
//! settings of the terminal are all that is known.
//!
//! Asked is what an ordinary user may ask of its own children. A program with rights of its own (sudo, passwd) refuses,
//! and a remote one is out of reach: then nobody knows, which is another thing than nobody reading.
//!
//! `processes` lists who runs below whom, `sleep` says what one thread sleeps on, `reader` what all of them come to,
//! `program` what sort of program reads, `stop` whether it stops when its user asks it to.

#[cfg(target_os = "linux")]
mod processes;
mod program;
#[cfg(target_os = "linux")]
mod reader;
#[cfg(target_os = "linux")]
mod sleep;
#[cfg(target_os = "linux")]
mod stop;
#[cfg(target_os = "linux")]
#[cfg(test)]
mod tests;

use std::io;
use std::os::fd::{AsFd, OwnedFd};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::termios::{LocalModes, tcgetattr};

use crate::domain::prompt::{Host, Reader};
pub(super) use program::takes_commands;
#[cfg(target_os = "linux")]
pub(super) use stop::is_left_to_the_system;

/// Whether a terminal holds what its program printed, and nobody took yet.
pub(super) fn holds_output(terminal: &OwnedFd) -> bool {
    let mut asked = [PollFd::new(terminal, PollFlags::IN)];
    poll(&mut asked, Some(&Timespec::default())).is_ok_and(|ready| ready > 0)
}

/// Asks what a terminal's programs do: some hundred microseconds, or else a look at every process of the machine.
#[derive(Debug)]
pub(super) struct Probe {
    terminal: OwnedFd,
    /// The command's own process.
    #[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "elsewhere nobody can be asked"))]
    command: i32,
    /// The device that programs have open, where the system tells.
    #[cfg(target_os = "linux")]
    device: Option<processes::Device>,
}

impl Probe {
    /// Of a PTY, by the side that is the terminal, and the process of the command that runs there.
    pub(super) fn of(pty: impl AsFd, command: i32) -> io::Result<Self> {
        let terminal = pty.as_fd().try_clone_to_owned()?;
        Ok(Self {
            #[cfg(target_os = "linux")]
            device: processes::Device::of(&terminal),
            terminal,
            command,
        })
    }

    /// What is known now. The settings are asked for last: a program about to read may have hidden the keys just now.
    pub(super) fn look(&self) -> Host {
        let (reader, who) = self.reader();
        let Ok(settings) = tcgetattr(&self.terminal) else { return Host { reader: Reader::Gone, ..Host::default() } };
        let modes = settings.local_modes;
        Host {
            reader,
            echo: Some(modes.contains(LocalModes::ECHO)),
            canonical: Some(modes.contains(LocalModes::ICANON)),
            destroys: who.is_some_and(program::destroys),
        }
    }

    /// Whether something was printed that nobody took from the terminal yet.
    pub(super) fn is_behind(&self) -> bool {
        holds_output(&self.terminal)
    }

    /// Whether the command itself, and nobody else, waits for this terminal and takes no commands; false where unsure.
    pub(super) fn command_listens(&self) -> bool {
        #[cfg(target_os = "linux")]
        {
            let group = rustix::termios::tcgetpgrp(&self.terminal).ok().map(|group| group.as_raw_nonzero().get());
            let alone = group.zip(self.device).and_then(|(group, device)| reader::alone(group, device));
            alone == Some(self.command)
                && program::of_process(self.command).is_some_and(|it| takes_commands(&it).is_none())
        }
        #[cfg(not(target_os = "linux"))]
        false
    }

    #[cfg(target_os = "linux")]
    fn reader(&self) -> (Reader, Option<i32>) {
        let unknown = (Reader::Unknown, None);
        let Ok(group) = rustix::termios::tcgetpgrp(&self.terminal) else { return unknown };
        let Some(device) = self.device else { return unknown };
        reader::of(group.as_raw_nonzero().get(), device)
    }

    #[cfg(not(target_os = "linux"))]
    #[expect(clippy::unused_self, reason = "elsewhere there is something to ask")]
    fn reader(&self) -> (Reader, Option<i32>) {
        (Reader::Unknown, None)
    }
}
