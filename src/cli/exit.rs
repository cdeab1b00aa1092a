//! What the exit code says. Scripts rely on it, so a code never changes its meaning.

use std::process::ExitCode;

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
    /// No hub answers.
    Unreachable,
    /// What a hosted program ended with, as a shell would say it.
    Hosted(u8),
}

impl Exit {
    /// The number.
    #[must_use]
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

    /// What an answer of the hub means; only asked of answers that are no success.
    #[must_use]
    pub const fn of_status(status: u16) -> Self {
        match status {
            404 => Self::NotFound,
            400..=499 => Self::Refused,
            _ => Self::Failed,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}
