//! What is waited for, how sure that is, and on what evidence.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a program waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PromptKind {
    /// A secret, as a password.
    Password,
    /// Yes or no.
    YesNo,
    /// One or more of several.
    Choice,
    /// A file or folder.
    Path,
    /// Free text; also a line that is read and was not asked for.
    Text,
    /// A command of a shell, a debugger, an editor, a pager; or the keys of a program that asks nothing.
    Command,
    /// It waits, and does not say for what: any key, for example.
    Unknown,
}

impl PromptKind {
    pub const ALL: [Self; 7] =
        [Self::Password, Self::YesNo, Self::Choice, Self::Path, Self::Text, Self::Command, Self::Unknown];

    /// Its name, as `yes_no`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Password => "password",
            Self::YesNo => "yes_no",
            Self::Choice => "choice",
            Self::Path => "path",
            Self::Text => "text",
            Self::Command => "command",
            Self::Unknown => "unknown",
        }
    }

    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// A piece of evidence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Signal {
    /// The program is blocked in a read of the terminal.
    TtyRead,
    /// The program waits for the terminal among other things.
    TtyPoll,
    /// The terminal hides what is typed.
    EchoOff,
    /// The shell said that it waits.
    ShellMark,
    /// The last line was not ended.
    NoNewline,
    /// A rule knows the words.
    Pattern,
    /// A menu stands on the screen.
    Menu,
    /// The program took the whole screen.
    FullScreen,
    /// Nothing was printed for a while.
    Quiet,
    /// The program was started by a command that destroys.
    Command,
}

/// The most characters of a prompt that are kept.
pub const MOST_TEXT: usize = 1_024;
