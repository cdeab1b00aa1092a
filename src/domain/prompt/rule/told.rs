//! For a program of which the host says that it waits, and no rule what for: the last sign on its screen.

use super::super::kind::PromptKind;
use super::{Guess, Strength, View};

/// How many rows above the cursor are looked through for a question that is marked as one.
const NEAR: usize = 24;

/// Whether a guess is no more than that: enough to say what waits, and not enough to type into it.
pub(in crate::domain::prompt) fn is_by_sign(guess: &Guess) -> bool {
    guess.strength == Strength::Weak
        && matches!(&*guess.rule, "command.no_room" | "choice.marked" | "text.marked" | "text.offered")
}

/// A sign without room behind it, an answer that is offered, a marked question above.
pub(in crate::domain::prompt) fn by_sign(view: View<'_>) -> Option<Guess> {
    let line = view.line.trimmed();
    if view.sight.alternate || line.is_empty() {
        return None;
    }
    let guess = |kind, rule| Some(Guess::new(kind, rule, Strength::Weak));
    let asked = view.above().take(NEAR).find(|row| row.starts_with("? ") || row.starts_with("◆ "));
    if let Some(question) = asked {
        let kind = if view.sight.cursor_hidden { PromptKind::Choice } else { PromptKind::Text };
        let rule = if view.sight.cursor_hidden { "choice.marked" } else { "text.marked" };
        return guess(kind, rule).map(|guess| guess.on_screen(Some(question.trim().to_owned())));
    }
    let percent = line.strip_suffix('%').is_some_and(|rest| rest.ends_with(|c: char| c.is_ascii_digit()));
    if line.ends_with(['>', '❯', '›', '$', '%']) && !percent {
        return guess(PromptKind::Command, "command.no_room");
    }
    let offered = line.starts_with("> ") && view.above().take(4).any(|row| row.contains('?'));
    if offered { guess(PromptKind::Text, "text.offered") } else { None }
}
