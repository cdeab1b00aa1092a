//! The user's own terminal: in raw mode while the program runs, and as it was whatever happens.

use std::io;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::panic;
use std::thread;

use rustix::termios::{OptionalActions, Termios, Winsize, isatty, tcgetattr, tcgetwinsize, tcsetattr};

/// The size of a terminal that nobody sits at.
const NOBODY: Winsize = Winsize { ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0 };

/// The user's terminal, if there is one. Restores it when dropped.
#[derive(Debug)]
pub(super) struct UserTerminal {
    keys: Option<Keys>,
    /// What tells the size: the first of standard output, input and error that is a terminal.
    window: Option<OwnedFd>,
    is_raw: bool,
    is_seen: bool,
}

/// The terminal that keys come from, and how it was.
#[derive(Debug)]
struct Keys {
    terminal: OwnedFd,
    before: Termios,
    /// Whether what the program prints goes to a terminal; else the terminal's output stays as it is, for others.
    shows: bool,
}

impl UserTerminal {
    /// Looks at standard input, output and error.
    pub(super) fn find() -> Self {
        let (input, output, error) = (io::stdin(), io::stdout(), io::stderr());
        Self::of(input.as_fd(), output.as_fd(), error.as_fd())
    }

    fn of(input: BorrowedFd<'_>, output: BorrowedFd<'_>, error: BorrowedFd<'_>) -> Self {
        let shows = isatty(output);
        let keys = tcgetattr(input).ok().and_then(|before| {
            let terminal = input.try_clone_to_owned().ok()?;
            Some(Keys { terminal, before, shows })
        });
        let window = [output, input, error].into_iter().find(|fd| isatty(fd));
        Self { keys, window: window.and_then(|fd| fd.try_clone_to_owned().ok()), is_raw: false, is_seen: shows }
    }

    /// Whether what the program prints goes to a terminal.
    pub(super) const fn is_seen(&self) -> bool {
        self.is_seen
    }

    /// How the user's terminal was set before; a program's own terminal begins like it.
    pub(super) fn settings(&self) -> Option<&Termios> {
        self.keys.as_ref().map(|keys| &keys.before)
    }

    pub(super) fn size(&self) -> Winsize {
        let told = self.window.as_ref().and_then(|window| tcgetwinsize(window).ok());
        told.filter(|size| size.ws_row > 0 && size.ws_col > 0).unwrap_or(NOBODY)
    }

    /// From here on each key goes to the program as it is. A host in the background stands still here until it is
    /// fetched, as any program would that sets its terminal.
    pub(super) fn go_raw(&mut self) -> io::Result<()> {
        let Some(keys) = &self.keys else { return Ok(()) };
        let mut raw = keys.before.clone();
        raw.make_raw();
        if !keys.shows {
            raw.output_modes = keys.before.output_modes;
        }
        self.is_raw = true;
        Ok(tcsetattr(&keys.terminal, OptionalActions::Now, &raw)?)
    }

    /// As it was. A terminal that is gone needs nothing.
    pub(super) fn restore(&mut self) {
        if let (true, Some(keys)) = (self.is_raw, &self.keys) {
            self.is_raw = false;
            let _gone = tcsetattr(&keys.terminal, OptionalActions::Now, &keys.before);
        }
    }

    /// A panic of this thread is read on a terminal that is as it was; others may end while the program goes on.
    pub(super) fn is_restored_before_a_panic_speaks(&self) {
        let Some(keys) = &self.keys else { return };
        let Ok(terminal) = keys.terminal.try_clone() else { return };
        let (before, mine, speak) = (keys.before.clone(), thread::current().id(), panic::take_hook());
        panic::set_hook(Box::new(move |reason| {
            if thread::current().id() == mine {
                let _gone = tcsetattr(&terminal, OptionalActions::Now, &before);
            }
            speak(reason);
        }));
    }
}

impl Drop for UserTerminal {
    fn drop(&mut self) {
        self.restore();
    }
}

#[cfg(test)]
mod tests;
