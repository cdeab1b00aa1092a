//! A full screen asks, and its cursor stands elsewhere or is hidden: in its last row, or in a box over what it shows.

use super::super::kind::PromptKind;
use super::super::line::last_clause;
use super::super::rule_id::Form;
use super::{Guess, Strength, View, action, asked, brackets, yes_no};

/// The most boxes of a screen that are looked into, and the most rows that one with a question has.
const MOST_BOXES: usize = 12;
const MOST_ROWS: usize = 10;

pub(super) fn question(view: View<'_>) -> Option<Guess> {
    if !view.sight.alternate {
        return None;
    }
    in_the_last_row(view).or_else(|| in_a_box(view))
}

/// `Delete 'b.txt'? (y/N)`
fn in_the_last_row(view: View<'_>) -> Option<Guess> {
    let row = view.rows().next_back()?.trim();
    let line = asked(view, row);
    let view = View { line: &line, ..view };
    let found = brackets::groups(view).or_else(|| yes_no::bare(view))?;
    let asks = found.kind == PromptKind::YesNo && row.contains(char::is_whitespace);
    // `watch` shows what any program prints.
    let guess = found.seen_as(Form::LastRow, Strength::Weak);
    asks.then(|| guess.on_screen(Some(row.to_owned())))
}

/// A frame that does not begin at the edge of the screen, and has little more in it than a question.
fn in_a_box(view: View<'_>) -> Option<Guess> {
    if !view.rows().any(|row| row.contains('?')) {
        return None;
    }
    let cells: Vec<Vec<char>> = view.sight.rows.iter().map(|row| row.chars().collect()).collect();
    let corners = cells.iter().enumerate().rev().flat_map(|(row, letters)| {
        let columns = letters.iter().enumerate().filter(|(_, c)| is_corner(**c)).map(|(column, _)| column);
        columns.filter(|column| *column > 0).map(move |column| (row, column))
    });
    let question = corners.take(MOST_BOXES).find_map(|(row, column)| asked_within(&cells, row, column))?;
    Some(Guess::new(PromptKind::YesNo, Form::Box, Strength::Fair).on_screen(Some(question)))
}

const fn is_corner(c: char) -> bool {
    matches!(c, '┌' | '╭' | '╔' | '┏')
}

const fn is_line(c: char) -> bool {
    matches!(c, '\u{2500}'..='\u{257f}')
}

/// What the box asks whose frame begins there.
fn asked_within(cells: &[Vec<char>], top: usize, left: usize) -> Option<String> {
    let width = cells[top][left..].iter().position(|c| matches!(c, '┐' | '╮' | '╗' | '┓'))?;
    // Its name stands in the frame.
    let name = cells[top][left..].iter().take(width).map(|c| if is_line(*c) { ' ' } else { *c }).collect::<String>();
    let mut words: Vec<String> = name.split_whitespace().map(str::to_owned).collect();
    if let Some(last) = words.last_mut().filter(|last| last.ends_with(char::is_alphanumeric)) {
        last.push('.');
    }
    for row in cells.get(top + 1..)?.iter().take(MOST_ROWS + 1) {
        match row.get(left)? {
            '│' | '║' | '┃' => {
                let text: String = row[left + 1..].iter().take(width - 1).collect();
                words.extend(text.split_whitespace().map(str::to_owned));
            }
            '└' | '╰' | '╚' | '┗' => return asks(&words.join(" ")),
            _ => return None,
        }
    }
    None
}

/// As far as its question, if it is one for yes or no.
fn asks(text: &str) -> Option<String> {
    let (said, _) = text.rsplit_once('?')?;
    let said = format!("{said}?");
    action::asks(last_clause(&said.to_lowercase())).then_some(said)
}
