//! What the exit code says.
//!
//! Scripts rely on it, so a code never changes its meaning, and the same mistake ends with the same code whether the
//! command finds it or the hub: [`Exit::of`] reads the one table of what the hub finds.

use std::process::ExitCode;

use crate::domain::refusal;

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exit {
    /// As it was asked.
    Done,
    /// Something broke, here or in the hub; the same command may succeed later.
    Failed,
    /// A setting, a flag or an argument is wrong.
    Configuration,
    /// The hub said no: the rights, the state of things, a limit.
    Refused,
    /// There is no such thing.
    NotFound,
    /// No hub answers, or what the hub or `doctor` calls does not.
    Unreachable,
    /// What a hosted program ended with, as a shell would say it.
    Hosted(u8),
}

impl Exit {
    pub const fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Failed => 1,
            Self::Configuration => 2,
            Self::Refused => 3,
            Self::NotFound => 4,
            Self::Unreachable => 5,
            Self::Hosted(code) => code,
        }
    }

    /// What a refusal of the hub means: its stable code, and the status that it came with.
    pub fn of(status: u16, code: &str) -> Self {
        match refusal::find(code).and_then(|row| row.exit) {
            Some(2) => Self::Configuration,
            Some(5) => Self::Unreachable,
            Some(_) | None => Self::of_status(status),
        }
    }

    /// The same for a refusal that has no status of its own, as one of several things that were asked for at once. A
    /// code that this version does not know is a no all the same.
    pub fn of_code(code: &str) -> Self {
        refusal::find(code).map_or(Self::Refused, |row| Self::of(row.status, code))
    }

    /// What an answer means by its status alone; only asked of answers that are no success.
    pub const fn of_status(status: u16) -> Self {
        match status {
            400 => Self::Configuration,
            404 => Self::NotFound,
            401..=499 => Self::Refused,
            _ => Self::Failed,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}

#[cfg(test)]
mod tests;
