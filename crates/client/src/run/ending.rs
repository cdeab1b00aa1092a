//! How a program ends: the code that says so, and what a host does that must end before it.

use std::process::ExitStatus;
use std::time::Duration;

use rustix::process::Signal;
use tokio::time::Instant;

use super::child_process::ChildControl;

/// How long a program may take to end by itself after the first signal, and again after a hangup, which shells heed.
const GRACE: Duration = Duration::from_secs(2);

/// The code of a program as a shell says it: its own, or 128 and the number of the signal.
pub(super) fn code(status: ExitStatus) -> u8 {
    use std::os::unix::process::ExitStatusExt as _;
    let code = status.code().or_else(|| status.signal().map(|signal| 128 + signal)).unwrap_or(1);
    u8::try_from(code).unwrap_or(1)
}

/// A program that is to end: as it was asked, then by a hangup, then at once. A hangup of its terminal asks for no end.
#[derive(Debug, Default)]
pub(super) enum Ending {
    #[default]
    NotAsked,
    /// Its user's terminal is gone, and it was told so. It goes on for as long as it likes, as it would without a host.
    Left,
    /// It was asked, and gets a hangup at that moment.
    Asked(Instant),
    /// It was hung up on, and is killed at that moment.
    HungUp(Instant),
    Killed,
}

impl Ending {
    /// The host was told to end by this signal; the program hears the same. Whoever asks again is not made to wait. A
    /// hangup is often told twice, by the kernel and by a shell, and asks for nothing more the second time.
    pub(super) fn ask(&mut self, line: &ChildControl, signal: Signal, now: Instant) {
        match self {
            Self::NotAsked | Self::Left => {
                line.signal_all(signal);
                // A program that is stopped hears nothing else.
                line.signal_all(Signal::CONT);
                *self = if signal == Signal::HUP { Self::Left } else { Self::Asked(now + GRACE) };
            }
            Self::Asked(_) | Self::HungUp(_) | Self::Killed if signal == Signal::HUP => {}
            Self::Asked(_) | Self::HungUp(_) | Self::Killed => self.insist(line, now),
        }
    }

    /// The user's terminal is gone: the program hears a hangup, once.
    pub(super) fn leave(&mut self, line: &ChildControl, now: Instant) {
        if matches!(self, Self::NotAsked) {
            self.ask(line, Signal::HUP, now);
        }
    }

    pub(super) const fn is_asked(&self) -> bool {
        !matches!(self, Self::NotAsked)
    }

    pub(super) const fn due(&self) -> Option<Instant> {
        match self {
            Self::NotAsked | Self::Left | Self::Killed => None,
            Self::Asked(at) | Self::HungUp(at) => Some(*at),
        }
    }

    /// Takes the next step.
    pub(super) fn insist(&mut self, line: &ChildControl, now: Instant) {
        *self = match self {
            Self::NotAsked => Self::NotAsked,
            Self::Left => Self::Left,
            Self::Asked(_) => {
                line.signal_all(Signal::HUP);
                line.signal_all(Signal::CONT);
                Self::HungUp(now + GRACE)
            }
            Self::HungUp(_) | Self::Killed => {
                line.signal_all(Signal::KILL);
                Self::Killed
            }
        };
    }
}

#[cfg(test)]
mod tests;
