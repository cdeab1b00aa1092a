//! What stands above a question and belongs to it.

use super::super::line::last_bytes;
use super::super::rule::{Guess, View};

/// How many rows above a question belong to it.
const CONTEXT: usize = 14;

/// Rules that read a drawing.
const DRAWN: [&str; 6] = [".dialog", ".menu", ".framed", ".toggle", ".filter", ".buttons"];

/// The rows above the question, to the last one that looks answered.
pub(super) fn since_answered(view: View<'_>, guess: &Guess) -> String {
    let mut rows: Vec<&str> = Vec::new();
    // What is drawn has its question with it.
    if guess.is_menu && DRAWN.iter().any(|kind| guess.rule.ends_with(kind)) {
        return String::new();
    }
    for row in view.above().take(CONTEXT) {
        if is_answered(row) {
            break;
        }
        rows.push(last_bytes(row, 512).trim());
    }
    rows.reverse();
    joined(&rows)
}

/// The rows as lines, where a sentence that was too long for its row is one.
fn joined(rows: &[&str]) -> String {
    let mut text = String::new();
    let mut last = "";
    for row in rows {
        let ended = last.ends_with(['.', ':', ';', '!', '?']);
        let goes_on = last.chars().count() >= LONG && !ended && row.starts_with(char::is_lowercase);
        if !text.is_empty() {
            text.push(if goes_on { ' ' } else { '\n' });
        }
        text.push_str(row);
        last = row;
    }
    text
}

/// The fewest letters of a row that a sentence goes on from.
const LONG: usize = 40;

/// A prompt with an answer behind it, or a shell's prompt with a command.
fn is_answered(row: &str) -> bool {
    let row = row.trim();
    let lower = row.to_lowercase();
    let answer = lower.rsplit([' ', ':', '?']).next().unwrap_or_default();
    let short = matches!(answer, "y" | "n" | "yes" | "no");
    let asked = row.contains(['?', ':']) && (lower.contains('[') || lower.contains('(') || lower.contains('?'));
    let shell = ["$ ", "(gdb) ", "(parted) ", ">>> ", "% ", "# "].iter().any(|sign| row.starts_with(sign));
    short && asked || shell
}
