//! Where it is printed, and in which of the three forms.

use std::io::{self, IsTerminal as _, Write as _};

use clap::{Args, ValueEnum};
use serde::Serialize;
use serde_json::{Value, json};

use super::table::{Column, Plan, columns, fitted, screen};
use crate::domain::text::for_json;
use crate::domain::time::Timestamp;
use crate::problem::Problem;

/// A form of output.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Columns for people.
    #[default]
    Table,
    /// The hub's own words, for programs.
    Json,
    /// Columns for people, all of them.
    Wide,
}

/// `-o`, for every command that prints what it found or did.
#[derive(Debug, Clone, Copy, Args)]
pub struct OutputArgs {
    /// How to print: columns, JSON, or more columns
    #[arg(short, long, value_enum, value_name = "FORM", default_value = "table")]
    pub output: Format,
}

/// `--limit` and `-o`, for lists that may be long.
#[derive(Debug, Clone, Copy, Args)]
pub struct PageArgs {
    /// At most so many; 0 for all
    #[arg(long, value_name = "N", default_value_t = 50)]
    pub limit: usize,
    #[command(flatten)]
    pub output: OutputArgs,
}

/// A list, or the first part of one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Listed {
    pub items: Vec<Value>,
    /// How many there are in all; none where this is a part and the hub does not count.
    pub total: Option<u64>,
    /// What the hub takes as `cursor` for the part after this one.
    pub next_cursor: Option<String>,
}

impl From<Vec<Value>> for Listed {
    /// A whole list.
    fn from(items: Vec<Value>) -> Self {
        let total = u64::try_from(items.len()).ok();
        Self { items, total, next_cursor: None }
    }
}

impl Listed {
    /// The first `limit` of all that there are, in the order of their ids; all of them where that is 0.
    pub fn first(mut items: Vec<Value>, limit: usize, id: &str) -> Self {
        let total = u64::try_from(items.len()).ok();
        let more = limit > 0 && items.len() > limit;
        if more {
            items.truncate(limit);
        }
        let last = items.last().filter(|_| more);
        let next_cursor = last.and_then(|last| last.get(id)?.as_str().map(str::to_owned));
        Self { items, total, next_cursor }
    }

    /// What to say of a list that shows a part.
    pub fn note(&self) -> Option<String> {
        self.next_cursor.as_ref()?;
        let shown = self.items.len();
        Some(match self.total {
            Some(total) => format!("{shown} of {total}; --limit 0 for all"),
            None => format!("{shown}, and there are more; --limit 0 for all"),
        })
    }
}

impl OutputArgs {
    /// Whether a program reads it.
    pub fn is_json(self) -> bool {
        self.output == Format::Json
    }

    /// Whether all of it is wanted.
    pub fn is_wide(self) -> bool {
        self.output == Format::Wide
    }

    /// Prints what the hub said: as it is, or in words.
    pub fn show(self, value: &impl Serialize, words: impl FnOnce() -> String) -> Result<(), Problem> {
        if self.is_json() { say_json(value) } else { say(&words()) }
    }

    /// Prints a list; when it is empty and people read, the sentence that says so. That it is a part is said on
    /// standard error, so that a program which counts lines counts rows.
    pub fn list(self, listed: &Listed, columns: &[Column<Value>], empty: &str) -> Result<(), Problem> {
        let Listed { items, total, next_cursor } = listed;
        if self.is_json() {
            return say_json(&json!({ "items": items, "total": total, "nextCursor": next_cursor }));
        }
        if items.is_empty() {
            return say(empty);
        }
        let (text, left_out) = fitted(columns, items, self.is_wide(), screen());
        say(&text)?;
        if !left_out.is_empty() {
            writeln!(io::stderr(), "No room for {}; a wider terminal and a pipe show all.", left_out.join(", "))?;
        }
        if let Some(note) = listed.note() {
            writeln!(io::stderr(), "{note}")?;
        }
        Ok(())
    }

    /// The same for a table that is data.
    pub fn table(self, listed: &Listed, (plan, now): (&'static [Plan], Timestamp), empty: &str) -> Result<(), Problem> {
        self.list(listed, &columns(plan, now), empty)
    }
}

/// Prints a line, or several.
pub fn say(text: &str) -> Result<(), Problem> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    if !text.ends_with('\n') {
        out.write_all(b"\n")?;
    }
    Ok(out.flush()?)
}

/// Prints a value as JSON: indented for a terminal, in one line for a program.
pub fn say_json(value: &impl Serialize) -> Result<(), Problem> {
    let text =
        if io::stdout().is_terminal() { serde_json::to_string_pretty(value) } else { serde_json::to_string(value) };
    say(&for_json(&text.map_err(|error| Problem::failed("failed to write JSON").because(error.to_string()))?))
}

/// What an empty list says: its own sentence, or, where somebody chose among what there is, that nothing was chosen.
pub const fn nothing(chosen: bool, usual: &str) -> &str {
    if chosen { "None fits what was asked for." } else { usual }
}

#[cfg(test)]
mod tests;
