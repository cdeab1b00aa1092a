//! The input of the detector: what is visible and known of a terminal at one moment.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// The rows of a screen, and where its cursor stands. Made by a terminal model; kept between looks for its memory.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ScreenView {
    /// The rows from the top, each as wide as it has text.
    pub rows: Vec<String>,
    /// Whether a row goes on in the next one because it was too narrow.
    pub wrapped: Vec<bool>,
    /// How many columns the screen has; 0 where nobody knows.
    pub cols: usize,
    /// The row of the cursor, from 0.
    pub cursor_row: usize,
    /// What stands left of the cursor in its row.
    pub before: String,
    /// What stands right of the cursor, and below it.
    pub after: String,
    /// Whether the program hid the cursor, as menus do.
    pub cursor_hidden: bool,
    pub alternate: bool,
    /// What a shell said of itself last (OSC 133 or 633).
    pub mark: Option<ShellMark>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShellMark {
    /// `A`: its prompt begins.
    Prompt,
    /// `B`: its prompt ended; a command is being typed.
    Input,
    /// `C`: the command runs.
    Output,
    /// `D`: the command ended.
    Ended,
}

/// Who sleeps on the terminal, as the host's kernel tells.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reader {
    /// Nobody could be asked: a log file, a remote machine, a program with rights of its own.
    #[default]
    Unknown,
    Gone,
    /// The foreground does something else.
    Busy,
    /// The foreground waits for this terminal among other things, or with a time limit.
    Polls,
    /// The foreground is blocked in a read of this terminal.
    Reads,
}

/// What only the host can know. The default knows nothing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Host {
    pub reader: Reader,
    pub echo: Option<bool>,
    /// Whether the terminal hands over whole lines.
    pub canonical: Option<bool>,
    /// Whether what waits was started by a command that destroys, as
    /// [`command_destroys`](crate::danger::command_destroys) says. The command itself may hold secrets.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub destroys: bool,
}

impl Host {
    /// Whether the terminal takes a line and hides it, as for passwords.
    pub fn hides(self) -> bool {
        self.echo == Some(false) && self.canonical == Some(true)
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Moment {
    pub host: Host,
    /// How long nothing was printed; `None` where nobody measured.
    pub quiet: Option<Duration>,
    /// Whether something was typed since the last output: the prompt that still stands there may be answered.
    pub answered: bool,
}

impl ScreenView {
    /// A screen on which this text was printed, without escape sequences, for texts that came without a terminal.
    pub fn of_text(text: &str) -> Self {
        let mut rows: Vec<String> = text.split('\n').map(|row| after_return(row).to_owned()).collect();
        let far = rows.len().saturating_sub(ROWS_OF_TEXT);
        rows.drain(..far);
        let before = rows.last().cloned().unwrap_or_default();
        let cursor_row = rows.len().saturating_sub(1);
        Self { wrapped: vec![false; rows.len()], rows, cursor_row, before, ..Self::default() }
    }
}

/// How much of a text counts as its screen.
const ROWS_OF_TEXT: usize = 24;

/// What a row shows when a carriage return let it begin again.
fn after_return(row: &str) -> &str {
    let row = row.trim_end_matches('\r');
    row.rsplit('\r').next().unwrap_or(row)
}
