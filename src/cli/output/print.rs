//! Where it is printed, and in which of the three forms.

use std::io::{self, IsTerminal as _, Write as _};

use clap::{Args, ValueEnum};
use serde::Serialize;
use serde_json::{Value, json};

use super::table::{Column, table};
use crate::cli::problem::Problem;
use crate::domain::text::for_json;

/// A form of output.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum Format {
    /// Columns for people.
    #[default]
    Table,
    /// The hub's own words, for programs.
    Json,
    /// More columns.
    Wide,
}

/// `-o`, for every verb that shows something.
#[derive(Debug, Clone, Copy, Args)]
pub(in crate::cli) struct OutputArgs {
    /// How to print: columns, JSON, or more columns
    #[arg(short, long, value_enum, value_name = "FORM", default_value = "table")]
    pub(in crate::cli) output: Format,
}

impl OutputArgs {
    /// Whether a program reads it.
    pub(in crate::cli) fn is_json(self) -> bool {
        self.output == Format::Json
    }
}

/// Prints a line, or several.
pub(in crate::cli) fn say(text: &str) -> Result<(), Problem> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    if !text.ends_with('\n') {
        out.write_all(b"\n")?;
    }
    Ok(out.flush()?)
}

/// Prints a value as JSON: indented for a terminal, in one line for a program.
pub(in crate::cli) fn say_json(value: &impl Serialize) -> Result<(), Problem> {
    let text =
        if io::stdout().is_terminal() { serde_json::to_string_pretty(value) } else { serde_json::to_string(value) };
    say(&for_json(&text.map_err(|error| Problem::failed("failed to write JSON").because(error.to_string()))?))
}

/// What an empty list says: its own sentence, or, where somebody chose among what there is, that nothing was chosen.
pub(in crate::cli) const fn nothing(chosen: bool, usual: &str) -> &str {
    if chosen { "None fits what was asked for." } else { usual }
}

/// Prints a list, or, when it is empty and people read, the sentence that says so.
pub(in crate::cli) fn show_list(
    items: &[Value],
    columns: &[Column<Value>],
    how: OutputArgs,
    empty: &str,
) -> Result<(), Problem> {
    match how.output {
        Format::Json => say_json(&json!({ "items": items })),
        Format::Table | Format::Wide if items.is_empty() => say(empty),
        Format::Table => say(&table(columns, items, false, io::stdout().is_terminal())),
        Format::Wide => say(&table(columns, items, true, io::stdout().is_terminal())),
    }
}
