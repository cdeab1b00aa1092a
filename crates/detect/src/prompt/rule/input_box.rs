//! The input box of a coding agent, in which people write what it is to do: a sign between two strokes (`❯ Fix the
//! tests`), or nothing but a frame, and a placeholder (`│ ❯ Ask me anything...  │`).

use super::super::frame;
use super::super::kind::PromptKind;
use super::super::rule_id::Form;
use super::{Guess, Strength, View};
use crate::lists::List;

/// How a placeholder begins.
static PLACEHOLDERS: List = List::of("input-box placeholders");
/// Within how many rows at the end of a screen it stands.
const NEAR: usize = 10;
/// The most rows of what was typed into it.
const MOST_ROWS: usize = 12;

/// The cursor stands in it, or nowhere: then it is the last row of the screen that a frame is around.
pub(super) fn of_an_agent(view: View<'_>) -> Option<Guess> {
    let guess = |row: &str| {
        let question = Some(frame::between_sides(row).to_owned());
        Guess { question, ..Guess::new(PromptKind::Command, Form::InputBox, Strength::Likely) }
    };
    if let Some(written) = written(view) {
        return Some(guess(&written));
    }
    let guess = |row: &str| Guess { is_menu: true, ..guess(row) };
    let drawn = view.line.trimmed();
    let empty =
        drawn.chars().all(|c| frame::SIDES.contains(&c) || frame::ONE_SIDED.contains(&c) || is_sign(c) || c == ' ');
    let framed = drawn.starts_with(frame::SIDES) || drawn.starts_with(frame::ONE_SIDED);
    if empty && framed && is_placeholder(&view.line.after) {
        return Some(guess(&view.line.after));
    }
    if !view.line.is_blank() {
        return None;
    }
    let rows: Vec<&str> = view.rows().collect();
    let from = rows.len().saturating_sub(NEAR);
    let boxed = rows[from..].windows(3).rev().find_map(|near| {
        let written = frame::between_sides(near[1]).strip_prefix(is_sign)?;
        (frame::is_edge(near[0]) && frame::is_edge(near[2]) && is_placeholder(written)).then_some(written)
    });
    boxed.map(guess)
}

/// What was typed into the box that the cursor stands in, its sign included. The box lies between two strokes, or
/// between two blank rows with a footer below; what stands behind the cursor of an empty one is a placeholder.
fn written(view: View<'_>) -> Option<String> {
    let sight = view.sight;
    let at = sight.cursor_row;
    let ends = |row: &String| row.trim().is_empty() || frame::is_edge(row);
    let above =
        sight.rows.get(..=at)?.iter().rposition(ends).filter(|above| (1..=MOST_ROWS).contains(&(at - above)))?;
    let below = at + 1 + sight.rows.get(at + 1..)?.iter().position(ends)?;
    let mut text = sight.rows[above + 1..at].join(" ");
    text.push_str(&sight.before);
    let typed = frame::between_sides(&text).strip_prefix(is_sign)?;
    let begins = typed.is_empty() || typed.starts_with(char::is_whitespace);
    let stroked = frame::is_edge(&sight.rows[above]) && frame::is_edge(&sight.rows[below]);
    let apart = [above, below].into_iter().all(|row| sight.rows[row].trim().is_empty())
        && below + 1 < sight.rows.len()
        && !sight.cursor_hidden
        && (typed.trim().is_empty() || view.line.after.is_empty());
    (begins && (stroked || apart)).then_some(text)
}

/// Whether a line begins with the sign of such a box.
pub(in crate::prompt) fn has_sign(line: &str) -> bool {
    frame::between_sides(line).starts_with(is_sign)
}

const fn is_sign(c: char) -> bool {
    matches!(c, '>' | '❯' | '›')
}

fn is_placeholder(text: &str) -> bool {
    let lower = text.trim().to_lowercase();
    PLACEHOLDERS.iter().any(|words| lower.starts_with(words))
}
