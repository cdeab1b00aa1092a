//! The codes of refusals: one table of what each means, how plain HTTP and a command answer, and what to do instead.
//!
//! The machines name their refusals by code. What stands under it for each audience is `codes.txt`, which also says how
//! it is written. A case of which more is known has advice of its own: for a model, see [`reminder`](super::reminder).

use std::sync::LazyLock;

const TABLE: &str = include_str!("codes.txt");

static CODES: LazyLock<Vec<Code>> = LazyLock::new(|| read(TABLE));

/// A row of the table.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Code {
    /// The stable text, as `TASK_NOT_FOUND`.
    pub code: &'static str,
    /// What plain HTTP answers with.
    pub status: u16,
    /// What a command ends with, where the status alone would say something else.
    pub exit: Option<u8>,
    /// What it means, for the API description.
    pub meaning: String,
    model: Option<String>,
    http: Option<String>,
    typed: Option<String>,
    discord: Option<String>,
}

/// Who reads what to do instead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Audience {
    /// A model that called a tool.
    Model,
    /// A person's program, or the page.
    Http,
    CommandLine,
    /// A person on Discord, who reads this alone; `{state}` in it is how the task stands.
    Discord,
}

impl Code {
    /// What to do instead, where nothing better is known of the case: the hub's words.
    pub fn advice(&self, audience: Audience) -> Option<&str> {
        match audience {
            Audience::Model => self.model.as_deref(),
            Audience::Http => self.http.as_deref(),
            Audience::CommandLine => self.typed.as_deref(),
            Audience::Discord => self.discord.as_deref(),
        }
    }
}

pub fn codes() -> &'static [Code] {
    &CODES
}

pub fn find(code: &str) -> Option<&'static Code> {
    let place = CODES.binary_search_by(|row| row.code.cmp(code)).ok()?;
    CODES.get(place)
}

/// The status that goes with a code; 500 for one that is not in the table.
pub fn status_of(code: &str) -> u16 {
    find(code).map_or(500, |row| row.status)
}

/// What this audience does instead under a code; none where the table says nothing to it.
pub fn advice(code: &str, audience: Audience) -> Option<&'static str> {
    find(code)?.advice(audience)
}

/// What to type after a refusal of this code, answered with this status. An answer without a code has its status.
pub fn next_step(status: u16, code: &str) -> Option<&'static str> {
    let code = if (status, code) == (403, "") { "INSUFFICIENT_SCOPE" } else { code };
    match (status, advice(code, Audience::CommandLine)) {
        (401, _) => Some(
            "set CALLBOARD_TOKEN_FILE to a token that is not revoked and not expired, or CALLBOARD_DATA_DIR to the \
             data directory of that hub",
        ),
        (429 | 503, None) => Some("the same command again in a moment"),
        (_, advice) => advice,
    }
}

/// The rows of a table. A line that is of no form is left out; a test finds it.
fn read(table: &'static str) -> Vec<Code> {
    let mut rows: Vec<Code> = Vec::new();
    let mut field = "";
    for line in table.lines().filter(|line| !line.starts_with('#')) {
        if let Some((code, rest)) = line.strip_prefix('[').and_then(|line| line.split_once("] ")) {
            let (status, exit) = rest.split_once(" exit ").map_or((rest, None), |(status, exit)| (status, Some(exit)));
            let status = status.parse().unwrap_or_default();
            rows.push(Code { code, status, exit: exit.and_then(|exit| exit.parse().ok()), ..Code::default() });
            continue;
        }
        let Some(row) = rows.last_mut() else { continue };
        let text = match (line.strip_prefix("    "), line.split_once(": ")) {
            (Some(more), _) => format!(" {more}"),
            (None, Some((name, text))) => {
                field = name;
                text.to_owned()
            }
            (None, None) => continue,
        };
        match field {
            "means" => row.meaning.push_str(&text),
            "model" => row.model.get_or_insert_default().push_str(&text),
            "http" => row.http.get_or_insert_default().push_str(&text),
            "typed" => row.typed.get_or_insert_default().push_str(&text),
            "discord" => row.discord.get_or_insert_default().push_str(&text),
            _ => {}
        }
    }
    rows
}

#[cfg(test)]
mod tests;
