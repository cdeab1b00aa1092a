//! For a program of which the host says that it waits, and no rule what for: the last sign on its screen.

use super::super::frame;
use super::super::kind::PromptKind;
use super::super::rule_id::Form;
use super::layout::{Answers, kind_of};
use super::verbs::begins_to_pick;
use super::{Guess, Strength, View, asked, is_place, parts, under};

/// How many rows above the cursor are looked through for a question that is marked as one.
const NEAR: usize = 24;
/// How far above its first item a title may stand.
const APART: usize = 6;

/// `Select a method`, and a few rows below it an item that is marked: `› The first one`.
fn is_titled(view: View<'_>) -> bool {
    let rows: Vec<&str> = view.sight.rows.iter().map(|row| frame::between_sides(row.trim())).collect();
    let marked = |row: &&str| row.starts_with(['❯', '›', '▸', '▶', '●', '◉']) && row.contains(' ');
    let Some(at) = rows.iter().rposition(marked) else { return false };
    let picks = |row: &&str| begins_to_pick(&row.to_lowercase());
    view.sight.cursor_hidden && rows[at.saturating_sub(APART)..at].iter().any(picks)
}

/// A sign without room behind it, an answer that is offered, a marked question above.
pub(in crate::prompt) fn by_sign(view: View<'_>) -> Option<Guess> {
    let (line, hidden) = (view.line.trimmed(), view.sight.cursor_hidden);
    if view.sight.alternate {
        return None;
    }
    let guess = |kind, row: &str| Some(Guess::new(kind, Form::Marked, Strength::Weak).asked_in(row));
    let marked =
        |row: &str| row.starts_with("? ") || row.starts_with("◆ ") || row.starts_with("❯ ") && row.ends_with('?');
    // Some put the cursor before the question.
    let behind = Some(view.line.after.as_str()).filter(|after| view.line.is_blank() && marked(after));
    if let Some((question, answer)) = behind.and_then(|row| row.split_once(['‣', '›'])) {
        let place = is_place(answer.trim());
        return guess(if place { PromptKind::Path } else { kind_of(&Answers::Line(question)) }, question);
    }
    rows! { is_titled(view) => Choice Marked Weak; }
    let above: Vec<&str> = view.above().take(NEAR).collect();
    if let Some(at) = above.iter().position(|row| marked(row)) {
        // `? Replace it? [y`, and `/n] › yes` in the next row, above a hint at which the cursor stands.
        let rows = &view.sight.rows;
        let from = rows.iter().rposition(|row| row.trim_end() == above[at]).unwrap_or_default();
        let whole: String = rows[from..].iter().map(|row| row.trim_end()).take_while(|row| !row.is_empty()).collect();
        let asks = |text: &str| super::of_line(view, &asked(view, text)).map(|found| found.kind);
        let listed = at + usize::from(!line.is_empty());
        let kind = match () {
            () if asks(&whole) == Some(PromptKind::YesNo) => Some(PromptKind::YesNo),
            () if hidden && listed >= 2 => Some(PromptKind::Choice),
            () => (hidden || !line.is_empty()).then_some(PromptKind::Text),
        };
        if let Some(kind) = kind {
            return guess(kind, if kind == PromptKind::YesNo { &whole } else { above[at] });
        }
    }
    rows! { parts::is_in_a_list(view) => Choice Boxed Weak; }
    // `Go on? [yes] :`, and below it a sign without room behind it.
    if let Some(guess) = Some(line).filter(|line| *line == ">").and_then(|_| under::close_to_its_sign(view)) {
        return Some(guess);
    }
    rows! {
        let percent = line.strip_suffix('%').is_some_and(|rest| rest.ends_with(|c: char| c.is_ascii_digit()));
        (line.ends_with(['>', '❯', '›', '$', '%']) || matches!(line, "*" | "**")) && !percent => Command NoRoom Weak;
        // `red [0], blue [1]`
        let numbered = |row: &&str| row.matches(']').count() >= 2 && row.contains("[1]");
        line.is_empty() && above.iter().take(3).any(numbered) => Choice Marked Weak;
        let answer = line.strip_prefix("> ")?;
        above.iter().take(4).any(|row| row.contains('?')) => Text Offered Weak;
        // Nothing but what may be changed: `> draft.txt`.
        !answer.contains(' ') && above.is_empty() => Text Offered Weak;
    }
    None
}
