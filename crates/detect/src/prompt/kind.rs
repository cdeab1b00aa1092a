//! What is waited for, how sure that is, and on what evidence.

use callboard_base::names;
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

names!(PromptKind {
    Password = "password", YesNo = "yes_no", Choice = "choice", Path = "path", Text = "text", Command = "command",
    Unknown = "unknown",
});

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
