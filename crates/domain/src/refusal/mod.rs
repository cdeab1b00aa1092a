//! The codes of refusals: one table of what each means, how plain HTTP and a command answer, and what to do instead.
//!
//! The machines name their refusals by code. What stands under it for each audience is `codes.txt`, which also says how
//! it is written. A case of which more is known than its code carries advice of its own: for a model, see
//! [`reminder`](super::reminder).

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
}

/// Who reads what to do instead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Audience {
    /// A model that called a tool.
    Model,
    /// A person's program, or the page.
    Http,
    /// Who typed a command.
    CommandLine,
}

impl Code {
    /// What to do instead, where nothing better is known of the case: the hub's words.
    #[must_use]
    pub fn advice(&self, audience: Audience) -> Option<&str> {
        match audience {
            Audience::Model => self.model.as_deref(),
            Audience::Http => self.http.as_deref(),
            Audience::CommandLine => self.typed.as_deref(),
        }
    }
}

/// Every code, by its text.
#[must_use]
pub fn codes() -> &'static [Code] {
    &CODES
}

/// The row of a code.
#[must_use]
pub fn find(code: &str) -> Option<&'static Code> {
    let place = CODES.binary_search_by(|row| row.code.cmp(code)).ok()?;
    CODES.get(place)
}

/// The status that goes with a code; 500 for one that is not in the table.
#[must_use]
pub fn status_of(code: &str) -> u16 {
    find(code).map_or(500, |row| row.status)
}

/// What this audience does instead under a code; none where the table says nothing to it.
#[must_use]
pub fn advice(code: &str, audience: Audience) -> Option<&'static str> {
    find(code)?.advice(audience)
}

/// What to type after a refusal of this code, answered with this status. An answer without a code has its status.
#[must_use]
pub fn next_step(status: u16, code: &str) -> Option<&'static str> {
    let code = if (status, code) == (403, "") { "INSUFFICIENT_SCOPE" } else { code };
    match (status, advice(code, Audience::CommandLine)) {
        (401, _) => Some("set CALLBOARD_TOKEN_FILE, or CALLBOARD_DATA_DIR to the data directory of that hub"),
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
            _ => {}
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_table_is_read() {
        let rows = codes().len();
        let lines = TABLE.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
        let (heads, others): (Vec<_>, Vec<_>) = lines.partition(|line| line.starts_with('['));
        assert_eq!(heads.len(), rows);
        for line in others {
            let known = ["    ", "means: ", "model: ", "http: ", "typed: "].iter().any(|start| line.starts_with(start));
            assert!(known && line.len() <= 120, "{line}");
        }
        let texts = |row: &Code| [Some(row.meaning.clone()), row.model.clone(), row.http.clone(), row.typed.clone()];
        let read: usize = codes().iter().flat_map(texts).flatten().map(|text| text.len()).sum();
        assert!(read > TABLE.len() * 3 / 4, "{read} of {}", TABLE.len());
    }

    #[test]
    fn codes_are_sorted_and_unique_so_that_they_are_found() {
        assert!(codes().windows(2).all(|pair| pair[0].code < pair[1].code));
        assert!(codes().iter().all(|row| row.code.bytes().all(|b| b.is_ascii_uppercase() || b == b'_')));
    }

    #[test]
    fn every_row_says_what_it_means_how_it_is_answered_and_what_to_do() {
        for row in codes() {
            assert!(!row.meaning.is_empty() && (400..=599).contains(&row.status), "{row:?}");
            assert!(row.exit.is_none_or(|exit| (1..=5).contains(&exit)), "{row:?}");
            assert!(row.model.is_some() || row.http.is_some(), "{}: nobody reads what to do", row.code);
            for advice in [&row.model, &row.http].into_iter().flatten() {
                assert!(advice.ends_with('.') && advice.starts_with(char::is_uppercase), "{}", row.code);
            }
        }
    }

    #[test]
    fn a_code_that_is_not_listed_is_our_fault_and_not_the_callers() {
        assert_eq!(status_of("TASK_NOT_FOUND"), 404);
        assert_eq!(status_of("NO_SUCH_CODE"), 500);
        assert_eq!(advice("NO_SUCH_CODE", Audience::Model), None);
    }

    #[test]
    fn what_to_type_follows_from_the_code_and_else_from_the_status() {
        assert_eq!(next_step(404, "TASK_NOT_FOUND"), Some("callboard task list"));
        assert_eq!(next_step(403, "DELEGATION_DENIED"), None, "no token helps");
        assert_eq!(next_step(503, "UNAVAILABLE"), Some("the same command again in a moment"));
        assert_eq!(next_step(403, ""), next_step(403, "INSUFFICIENT_SCOPE"));
        assert!(next_step(401, "SIGNATURE_INVALID").is_some_and(|next| next.starts_with("set CALLBOARD_TOKEN_FILE")));
    }
}
