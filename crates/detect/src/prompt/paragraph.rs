//! The question as people read it: from its first row, where what asks broke it into several.
//!
//! A row goes on in the next where the next one's first word had no room in it, or where it ends in mid-sentence and
//! the next one begins so. Rows that stand alone (logs, items, what was answered) belong to nothing below them.

use super::frame::{between_sides, inside, is_edge};
use super::kind::MOST_TEXT;
use super::line::is_answered;
use super::rule::View;
use super::veto::is_logged;

/// The most rows of one question.
const MOST_ROWS: usize = 12;
/// By how many letters the row is found that a question begins in.
const HEAD: usize = 4;
/// The fewest letters of a row that was broken though there was room.
const SHORTEST: usize = 40;
/// How many columns of its terminal a program may leave free at a row's end.
const MARGIN: usize = 2;

/// The question with the rows above that belong to it, as many of them as [`MOST_TEXT`] characters have room for.
pub(super) fn whole(view: View<'_>, question: &str) -> String {
    let rows = &view.sight.rows;
    let (top, mut text) = if question == view.line.trimmed() && !view.line.is_blank() {
        (Some(view.line.top), open_line(view))
    } else {
        (row_of(rows, question), question.to_owned())
    };
    let Some(top) = top else { return text };
    for at in (top.saturating_sub(MOST_ROWS)..top).rev() {
        let (above, below) = (rows[at].as_str(), rows[at + 1].as_str());
        let row = between_sides(above).trim();
        if !goes_on(above, below, view.sight.cols) || text.chars().count() + row.chars().count() >= MOST_TEXT {
            break;
        }
        text = format!("{row} {text}");
    }
    text
}

/// The open line, of which the rules look at the end alone.
fn open_line(view: View<'_>) -> String {
    let sight = view.sight;
    let wrapped = sight.rows.get(view.line.top..sight.cursor_row).unwrap_or_default();
    let all = wrapped.concat() + &sight.before;
    let line = view.line.trimmed();
    let (all, known) = (all.trim(), all.trim().ends_with(line) && all.chars().count() <= MOST_TEXT);
    if known { all.to_owned() } else { line.to_owned() }
}

/// In which row a question begins: the last one that it stands in behind nothing but a sign.
fn row_of(rows: &[String], question: &str) -> Option<usize> {
    let letters = |text: &str| -> String {
        let words = text.to_lowercase();
        words.chars().filter(|c| !c.is_whitespace() && !matches!(c, '│' | '┃' | '║' | '|')).collect()
    };
    let wanted = letters(question);
    let head: String = wanted.chars().take(HEAD).collect();
    let rows: Vec<String> = rows.iter().map(|row| letters(row)).collect();
    let begins = |top: &usize| {
        let first = &rows[*top];
        if head.is_empty() || !first.contains(&head) {
            return false;
        }
        let from = rows[*top..].iter().take(MOST_ROWS).map(String::as_str).collect::<String>();
        let at = from.find(&wanted).filter(|at| *at < first.len());
        at.is_some_and(|at| !from[..at].contains(char::is_alphanumeric))
    };
    (0..rows.len()).rev().find(begins)
}

/// Whether what stands in a row goes on in the one below.
fn goes_on(above: &str, below: &str, cols: usize) -> bool {
    let (row, next) = (between_sides(above.trim()).trim(), between_sides(below.trim()).trim());
    if next.is_empty() || row.split_whitespace().count() < 2 || is_edge(row) || is_edge(next) {
        return false;
    }
    if is_item(row) || is_item(next) || is_answered(row) || is_logged(&row.to_lowercase()) {
        return false;
    }
    let word = next.split_whitespace().next().map_or(0, width);
    let room = inside(above.trim()).map_or_else(|| cols.saturating_sub(width(&above[..indent(above)])), width);
    let full = room > 0 && width(row) + 1 + word + MARGIN > room && width(row) >= SHORTEST.min(room / 2);
    let ended = row.ends_with(['.', '!', '?', ':', ';', '…', ')', ']', '>']);
    let opens = |c: char| matches!(c, '(' | '\'' | '"' | '`' | '/' | '~');
    let inner = next.starts_with(|c: char| c.is_lowercase() || c.is_ascii_digit() || opens(c));
    full || !ended && inner && width(row) >= SHORTEST
}

/// `- one`, `1. one`, `❯ one`, `$ ls`: something that stands for itself.
fn is_item(row: &str) -> bool {
    let first = row.split_whitespace().next().unwrap_or_default();
    let number = first.trim_end_matches(['.', ')']);
    let numbered = number.len() < first.len() && !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
    numbered || !first.is_empty() && row != first && !first.contains(char::is_alphanumeric) && first.chars().count() < 3
}

fn indent(row: &str) -> usize {
    row.len() - row.trim_start().len()
}

/// How many columns a text fills, as far as that matters here: East Asian letters are wide.
fn width(text: &str) -> usize {
    let wide = |c: char| {
        let hangul = matches!(c, '\u{1100}'..='\u{115f}' | '\u{ac00}'..='\u{d7a3}');
        hangul || matches!(c, '\u{2e80}'..='\u{a4cf}' | '\u{f900}'..='\u{faff}' | '\u{ff00}'..='\u{ff60}')
    };
    text.chars().map(|c| 1 + usize::from(wide(c))).sum()
}

#[cfg(test)]
mod tests;
