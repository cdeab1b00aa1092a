//! A frame with its question in its upper edge, around an answer or a list: ` ┌ Your name? ───┐`.

use super::super::frame;
use super::super::rule_id::Form;
use super::layout::Answers;
use super::{Guess, Strength, View};

/// The most rows of such a frame.
const MOST_ROWS: usize = 16;
/// What marks the answer that is chosen.
const MARKS: [char; 4] = ['●', '○', '›', ' '];

/// A frame with its name in its upper edge, the cursor in it or hidden: ` ┌ Your name? ───┐`.
pub(super) fn by_edge(view: View<'_>) -> Option<Guess> {
    let bottom = view.sight.rows.iter().rposition(|row| frame::joins(row, '└', '┘'))?;
    let below = view.sight.rows.get(bottom + 1..)?;
    if view.sight.alternate || below.iter().filter(|row| !row.trim().is_empty()).count() > 1 {
        return None;
    }
    let inside = |row: &&String| row.trim_start().starts_with('│');
    let inner = view.sight.rows[..bottom].iter().rev().take(MOST_ROWS).take_while(inside).count();
    let top = bottom.checked_sub(inner + 1).filter(|_| inner > 0)?;
    let edge = view.sight.rows.get(top).filter(|row| frame::joins(row, '┌', '┐'))?;
    let title = edge.trim().trim_start_matches(['┌', '─', ' ']).trim_end_matches(['┐', '─', ' ']);
    let within = (top..=bottom).contains(&view.sight.cursor_row);
    // What is said of the entry that is marked in the list above.
    let described = || {
        let marks = |row: &String| row.starts_with(['>', '❯', '▶']);
        view.sight.rows[..top].iter().rev().take(MOST_ROWS).any(marks)
    };
    if title.is_empty() || !(within || view.sight.cursor_hidden) || !within && described() {
        return None;
    }
    let items: Vec<&str> =
        view.sight.rows[top + 1..bottom].iter().map(|row| row.trim().trim_matches('│').trim()).collect();
    let marked = |item: &&&str| item.contains(['●', '○', '◉', '◼', '◻', '›', '☑', '☐']);
    let answers = match items.iter().find(marked) {
        Some(item) if item.contains('/') => {
            Answers::Named(item.split('/').map(|side| side.trim_matches(MARKS).to_owned()).collect())
        }
        Some(_) => Answers::Listed,
        None => Answers::Line(title),
    };
    Some(
        Guess { choices: Vec::new(), ..Guess::of(answers, Form::Titled, Strength::Likely) }
            .on_screen(Some(title.to_owned())),
    )
}
