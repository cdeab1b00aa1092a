//! For a program of which the host says that it waits, and no rule what for: the last sign on its screen.

use super::super::kind::PromptKind;
use super::{Guess, Strength, View, asked, brackets};

/// How many rows above the cursor are looked through for a question that is marked as one.
const NEAR: usize = 24;

/// Whether a guess is no more than that: enough to say what waits, and not enough to type into it.
pub(in crate::domain::prompt) fn is_by_sign(guess: &Guess) -> bool {
    guess.strength == Strength::Weak
        && matches!(
            &*guess.rule,
            "command.no_room" | "yes_no.marked" | "choice.marked" | "text.marked" | "text.offered"
        )
}

/// `? Replace it? [y`, and `/n] › yes` in the next row, above a hint at which the cursor stands.
fn broken(view: View<'_>) -> Option<Guess> {
    let rows = &view.sight.rows;
    let at = rows.iter().rposition(|row| row.starts_with("? "))?;
    let whole: Vec<&str> =
        rows[at..].iter().map(|row| row.trim_end()).take_while(|row| !row.is_empty()).take(4).collect();
    let question = whole.concat();
    let line = asked(view, &question);
    let found = brackets::groups(View { line: &line, ..view }).filter(|found| found.kind == PromptKind::YesNo)?;
    Some(Guess { rule: "yes_no.marked".into(), strength: Strength::Weak, ..found }.on_screen(Some(question)))
}

/// A sign without room behind it, an answer that is offered, a marked question above.
pub(in crate::domain::prompt) fn by_sign(view: View<'_>) -> Option<Guess> {
    let line = view.line.trimmed();
    if view.sight.alternate {
        return None;
    }
    let guess = |kind, rule| Some(Guess::new(kind, rule, Strength::Weak));
    let asked = view.above().take(NEAR).find(|row| row.starts_with("? ") || row.starts_with("◆ "));
    if let Some(guess) = broken(view) {
        return Some(guess);
    }
    if let Some(question) = asked.filter(|_| !line.is_empty() || view.sight.cursor_hidden) {
        let kind = if view.sight.cursor_hidden { PromptKind::Choice } else { PromptKind::Text };
        let rule = if view.sight.cursor_hidden { "choice.marked" } else { "text.marked" };
        return guess(kind, rule).map(|guess| guess.on_screen(Some(question.trim().to_owned())));
    }
    let percent = line.strip_suffix('%').is_some_and(|rest| rest.ends_with(|c: char| c.is_ascii_digit()));
    if line.ends_with(['>', '❯', '›', '$', '%']) && !percent {
        return guess(PromptKind::Command, "command.no_room");
    }
    // `red [0], blue [1]`
    let numbered = |row: &str| row.matches(']').count() >= 2 && row.contains("[1]");
    if view.line.is_blank() && view.above().take(3).any(numbered) {
        return guess(PromptKind::Choice, "choice.marked");
    }
    let offered = line.starts_with("> ") && view.above().take(4).any(|row| row.contains('?'));
    if offered { guess(PromptKind::Text, "text.offered") } else { None }
}
