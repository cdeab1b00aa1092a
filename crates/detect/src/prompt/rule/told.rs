//! For a program of which the host says that it waits, and no rule what for: the last sign on its screen.

use super::super::frame;
use super::super::kind::PromptKind;
use super::super::rule_id::Form;
use super::layout::{Answers, kind_of};
use super::verbs::begins_to_pick;
use super::{Guess, Strength, View, asked, brackets, is_place};

/// How many rows above the cursor are looked through for a question that is marked as one.
const NEAR: usize = 24;

/// The most rows of a question that is marked as one.
const MOST_ROWS: usize = 8;

/// `? Replace it? [y`, and `/n] › yes` in the next row, above a hint at which the cursor stands.
fn broken(view: View<'_>) -> Option<Guess> {
    let rows = &view.sight.rows;
    let at = rows.iter().rposition(|row| row.starts_with("? "))?;
    let whole: Vec<&str> =
        rows[at..].iter().map(|row| row.trim_end()).take_while(|row| !row.is_empty()).take(MOST_ROWS).collect();
    let question = whole.concat();
    let line = asked(view, &question);
    let found = brackets::groups(View { line: &line, ..view }).filter(|found| found.kind == PromptKind::YesNo)?;
    Some(found.seen_as(Form::Marked, Strength::Weak).on_screen(Some(question)))
}

/// `Select a method`, and a few rows below it an item that is marked: `› The first one`.
fn is_titled(view: View<'_>) -> bool {
    let rows: Vec<&str> = view.sight.rows.iter().map(|row| frame::between_sides(row.trim())).collect();
    let marked = |row: &&str| row.starts_with(['❯', '›', '▸', '▶', '●', '◉']) && row.contains(' ');
    let Some(at) = rows.iter().rposition(marked) else { return false };
    let picks = |row: &&str| begins_to_pick(&row.to_lowercase());
    view.sight.cursor_hidden && rows[at.saturating_sub(APART)..at].iter().any(picks)
}

/// How far above its first item a title may stand.
const APART: usize = 6;

/// The cursor stands in a row of a box that has a few words in each: none of them is a field.
fn is_in_a_box(view: View<'_>) -> bool {
    let rows = &view.sight.rows;
    let own = |row: &&String| row.trim().starts_with(['|', '│', '┃', '║']) && frame::inside(row).is_some_and(is_item);
    let above = rows[..view.sight.cursor_row.min(rows.len())].iter().rev().take_while(own).count();
    let below = rows.iter().skip(view.sight.cursor_row).take_while(own).count();
    below > 0 && above + below >= FEWEST
}

/// The fewest rows of such a box.
const FEWEST: usize = 3;

fn is_item(inner: &str) -> bool {
    (1..=6).contains(&inner.split_whitespace().count()) && !inner.contains([':', '=', '?', '_', '|', '│'])
}

/// A sign without room behind it, an answer that is offered, a marked question above.
pub(in crate::prompt) fn by_sign(view: View<'_>) -> Option<Guess> {
    let line = view.line.trimmed();
    if view.sight.alternate {
        return None;
    }
    let guess = |kind, form| Some(Guess::new(kind, form, Strength::Weak));
    let marked =
        |row: &&str| row.starts_with("? ") || row.starts_with("◆ ") || row.starts_with("❯ ") && row.ends_with('?');
    // Some put the cursor before the question.
    let behind = Some(view.line.after.as_str()).filter(|after| view.line.is_blank() && marked(after));
    if let Some((question, answer)) = behind.and_then(|row| row.split_once(['‣', '›'])) {
        let place = is_place(answer.trim());
        let kind = if place { PromptKind::Path } else { kind_of(&Answers::Line(question)) };
        return guess(kind, Form::Marked).map(|guess| guess.asked_in(question));
    }
    rows! { is_titled(view) => Choice Marked Weak; }
    let asked = view.above().take(NEAR).find(marked);
    if let Some(guess) = broken(view) {
        return Some(guess);
    }
    if let Some(question) = asked.filter(|_| !line.is_empty() || view.sight.cursor_hidden) {
        let listed = view.above().take_while(|row| *row != question).count() + usize::from(!line.is_empty());
        let picks = view.sight.cursor_hidden && listed >= 2;
        let kind = if picks { PromptKind::Choice } else { PromptKind::Text };
        return guess(kind, Form::Marked).map(|guess| guess.asked_in(question));
    }
    rows! { is_in_a_box(view) => Choice Boxed Weak; }
    // `Go on? [yes] :`, and below it a sign without room behind it.
    if let Some(guess) = Some(line).filter(|line| *line == ">").and_then(|_| super::under::close_to_its_sign(view)) {
        return Some(guess);
    }
    rows! {
        let percent = line.strip_suffix('%').is_some_and(|rest| rest.ends_with(|c: char| c.is_ascii_digit()));
        (line.ends_with(['>', '❯', '›', '$', '%']) || matches!(line, "*" | "**")) && !percent => Command NoRoom Weak;
        // `red [0], blue [1]`
        let numbered = |row: &str| row.matches(']').count() >= 2 && row.contains("[1]");
        view.line.is_blank() && view.above().take(3).any(numbered) => Choice Marked Weak;
        let answer = line.strip_prefix("> ")?;
        view.above().take(4).any(|row| row.contains('?')) => Text Offered Weak;
        // Nothing but what may be changed: `> draft.txt`.
        !answer.contains(' ') && view.above().next().is_none() => Text Offered Weak;
    }
    None
}
