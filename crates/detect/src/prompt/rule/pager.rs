//! Pagers, and "press any key".

use super::super::kind::PromptKind;
use super::super::rule_id::Form;
use super::answer::answers_yes;
use super::any_key::names_any_key;
use super::listed::listed;
use super::secret::names_secret;
use super::{Guess, Strength, View, forms, under, verbs};
use crate::lists::List;

/// "Press any key to continue" in its many forms.
static ANY_KEY: List = List::of("pager any-key");
/// The key stands for an answer, and another may be typed.
static INSTEAD: List = List::of("pager instead");
/// Hints at keys that a program takes while it goes on.
pub(in crate::prompt) static STATUS_HINTS: List = List::of("pager status-hints");

/// A pager's own line, or a request for any key.
pub(super) fn by_words(view: View<'_>) -> Option<Guess> {
    let lower = view.line.lower.as_str();
    if let Some(guess) = Some(lower).filter(|lower| *lower == ":").and_then(|_| under::a_question(view)) {
        return Some(guess);
    }
    rows! {
        lower == ":" && !view.sight.alternate && listed(view).len() >= 2 => Choice Under Likely listed(view);
        lower == ":" && (view.sight.cursor_row + 1 >= view.sight.rows.len() || view.sight.alternate)
            => Command Pager Sure;
        forms::fits("pager", lower) => Command Pager Sure;
        let asks = |text: &str| {
            (forms::fits("key-at-end", text)
                || ANY_KEY.iter().any(|words| text.contains(words))
                || names_any_key(text))
                && !(text.ends_with([':', '?']) && text.contains(", or ") && !forms::fits("leaves", text))
                && (forms::fits("goes-on", text) || !is_status(text))
                && !(text.ends_with(':') && names_secret(text))
                && (!INSTEAD.iter().any(|words| text.contains(words)) || text.contains("or type command"))
                && (!text.starts_with('?') || names_any_key(text) && text.trim_end_matches(':').ends_with("..."))
                && !gives(text)
                && !answers_yes(text)
        };
        asks(lower) => Unknown AnyKey Sure;
    }
    // `Press Enter to continue.`, and below it `Press Ctrl+D to end.`: a legend in which one key goes on.
    let goes_on = |row: &&str| row.to_lowercase().contains("to continue");
    let last = view.above().take(if is_legend(view) { LEGEND } else { 1 }).find(|row| !is_legend(view) || goes_on(row));
    let last = last.filter(|_| view.line.is_blank())?;
    let lower = last.to_lowercase();
    asks(&lower).then(|| Guess::new(PromptKind::Unknown, Form::AnyKeyAbove, Strength::Fair).asked_in(last))
}

/// `type the name, or press Enter to return`, `Keep it? [n/Y] (press Enter to proceed)`: something else is asked for.
fn gives(text: &str) -> bool {
    let value = text.ends_with(':') && verbs::gives(text.split('(').next().unwrap_or_default());
    value && !forms::fits("any-key-asked", text) || forms::fits("gives", text)
}

/// A pager that shows the name of its file, or how far it is, in the last row of a full screen.
pub(super) fn by_place(view: View<'_>) -> Option<Guess> {
    let lower = view.line.lower.as_str();
    let full = view.sight.alternate && view.sight.cursor_row >= 5 && view.sight.cursor_row + 1 >= view.sight.rows.len();
    let named = !lower.is_empty() && (!lower.contains(' ') && lower.contains(['.', '/']) || lower.contains(" lines "));
    (full && named && view.line.after.is_empty()).then(|| {
        Guess::new(PromptKind::Command, Form::PagerFile, Strength::Fair).on_screen(Some(view.line.trimmed().to_owned()))
    })
}

/// `› Press a to run all tests.`, row by row at the end of the screen: keys of a program that goes on by itself.
pub(in crate::prompt) fn is_legend(view: View<'_>) -> bool {
    view.line.is_blank() && view.above().take(LEGEND).filter(|row| forms::fits("press", row)).count() == LEGEND
}

/// The fewest rows of such a list.
const LEGEND: usize = 2;

/// Whether a text, in lower case, tells of keys that need not be pressed.
pub(in crate::prompt) fn is_status(lower: &str) -> bool {
    STATUS_HINTS.iter().any(|hint| lower.contains(hint))
}
