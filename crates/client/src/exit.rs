//! What the exit code says. Scripts rely on it, so a code never changes its meaning, and the same mistake ends with the
//! same code whether the command finds it or the hub: [`Exit::of`] is the one table of what the hub finds.

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
    /// No hub answers, or what the hub or `doctor` calls does not.
    Unreachable,
    /// What a hosted program ended with, as a shell would say it.
    Hosted(u8),
}

/// Codes whose status alone would say something else.
const BY_CODE: [(&str, Exit); 4] = [
    ("FORGE_LIMITED", Exit::Unreachable),
    ("FORGE_OFF", Exit::Configuration),
    ("FORGE_UNREACHABLE", Exit::Unreachable),
    // As `config check` ends when hub.yaml holds the same.
    ("WEBHOOK_UNUSABLE", Exit::Configuration),
];

impl Exit {
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

    /// What a refusal of the hub means: its stable code, and the status that it came with.
    #[must_use]
    pub fn of(status: u16, code: &str) -> Self {
        let by_code = BY_CODE.iter().find(|(known, _)| *known == code);
        by_code.map_or_else(|| Self::of_status(status), |(_, exit)| *exit)
    }

    /// What an answer means by its status alone; only asked of answers that are no success.
    #[must_use]
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
