//! A command of the binary with a terminal of its own, as a person sits at it: what it shows is read, keys are pressed.

use std::io::{Read as _, Write as _};
use std::process::{Child, Command, ExitStatus};
use std::sync::mpsc::{self, Receiver};
use std::thread;

use pty_process::blocking::{Command as OnTerminal, Pty, open};
use rustix::termios::{LocalModes, tcgetattr};

use super::TIMEOUT;

/// The key ↓.
pub(crate) const DOWN: &str = "\u{1b}[B";
/// The key ↑.
pub(crate) const UP: &str = "\u{1b}[A";
/// The key Return.
pub(crate) const RETURN: &str = "\r";
/// The key Escape.
pub(crate) const ESCAPE: &str = "\u{1b}";

/// A command at its terminal.
pub(crate) struct Terminal {
    child: Child,
    keys: Pty,
    shows: Receiver<Vec<u8>>,
    /// Everything that it showed so far.
    pub(crate) screen: String,
    /// How much of it was waited for already.
    read: usize,
}

impl Terminal {
    /// Starts a command on a terminal of 100 columns.
    pub(crate) fn start(command: Command) -> Self {
        let (pty, pts) = open().expect("a terminal");
        pty.resize(pty_process::Size::new(40, 100)).expect("a size");
        let command = OnTerminal::from(command).env("TERM", "xterm-256color");
        let child = command.spawn(pts).expect("the binary was built");
        let (send, shows) = mpsc::channel();
        let mut reader = std::fs::File::from(std::os::fd::AsFd::as_fd(&pty).try_clone_to_owned().expect("a handle"));
        // A terminal whose program ended gives an error: then there is nothing more to read.
        thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(length @ 1..) = reader.read(&mut buffer) {
                if send.send(buffer[..length].to_vec()).is_err() {
                    break;
                }
            }
        });
        Self { child, keys: pty, shows, screen: String::new(), read: 0 }
    }

    /// Waits until it shows this, behind what was waited for before.
    #[track_caller]
    pub(crate) fn shows(&mut self, text: &str) {
        while !self.screen[self.read..].contains(text) {
            match self.shows.recv_timeout(TIMEOUT) {
                Ok(bytes) => self.screen.push_str(&String::from_utf8_lossy(&bytes)),
                Err(reason) => panic!("it does not show `{text}` ({reason}); it showed:\n{:?}", self.screen),
            }
        }
        let at = self.screen[self.read..].find(text).unwrap_or_default();
        self.read += at + text.len();
    }

    pub(crate) fn presses(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).expect("somebody reads");
        self.keys.flush().expect("somebody reads");
    }

    /// Makes it so large.
    pub(crate) fn is_resized(&self, rows: u16, cols: u16) {
        self.keys.resize(pty_process::Size::new(rows, cols)).expect("a size");
    }

    /// Whether it hands over each key as it is pressed, and shows none by itself.
    pub(crate) fn is_raw(&self) -> bool {
        let modes = tcgetattr(&self.keys).expect("its settings").local_modes;
        !modes.intersects(LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG)
    }

    /// Sends the command a signal, as `TERM`.
    pub(crate) fn signals(&self, name: &str) {
        signal(&self.child.id().to_string(), name);
    }

    /// Waits for its end, and leaves the terminal standing.
    pub(crate) fn has_ended(&mut self) -> ExitStatus {
        self.child.wait().expect("its end")
    }

    /// Waits for its end.
    pub(crate) fn ends(mut self) -> (ExitStatus, String) {
        loop {
            match self.shows.recv_timeout(TIMEOUT) {
                Ok(bytes) => self.screen.push_str(&String::from_utf8_lossy(&bytes)),
                Err(mpsc::RecvTimeoutError::Disconnected) => break,
                Err(mpsc::RecvTimeoutError::Timeout) => {
                    drop(self.child.kill());
                    panic!("it does not end; it showed:\n{:?}", self.screen);
                }
            }
        }
        (self.child.wait().expect("its end"), self.screen.clone())
    }
}

/// Sends a process, or with a minus a group, a signal; whether there is one.
pub(crate) fn signal(process: &str, name: &str) -> bool {
    let told = Command::new("kill").args(["-s", name, "--", process]).stderr(std::process::Stdio::null()).status();
    told.expect("kill is there").success()
}

impl Drop for Terminal {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
