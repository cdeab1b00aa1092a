//! What is left: an open line that ends as questions end.

use super::super::kind::PromptKind;
use super::super::line::last_clause;
use super::super::rule_id::Form;
use super::path::names_path;
use super::{Guess, Strength, View, action, forms, parts};

/// A question mark, a colon, or one of the signs with which libraries of prompts end their questions.
pub(super) fn by_ending(view: View<'_>) -> Option<Guess> {
    let line = view.line.trimmed();
    let lower = view.line.lower.as_str();
    rows! {
        line.is_empty() => None;
        line.starts_with('[') && line.ends_with(']') && view.line.makes_room() && asked_above(view)
            => Text Default Likely;
        let decorated = forms::fits("decorated", line);
        decorated && lists_below(view) => Choice Below Likely;
        decorated && forms::fits("switch", &format!("{line}{}", view.line.after)) => Choice Switch Likely;
    }
    let clause = last_clause(lower);
    if lower.ends_with(['?', '？', '¿']) || decorated && clause.contains('?') {
        return Some(asked(view, clause, decorated));
    }
    if decorated {
        return Some(Guess::new(PromptKind::Text, Form::Decorated, Strength::Likely));
    }
    let colon = lower.ends_with([':', '：']);
    if colon {
        let asks = forms::fits("asks-value", lower);
        let default = lower.trim_end_matches([' ', ':']).ends_with([']', ')']) && lower.contains(['[', '(']);
        // `src/main.rs:12:5:`: somebody tells where he is.
        let place =
            lower.ends_with(':') && !lower.contains([' ', ')']) && lower.trim_end_matches(':').contains([':', '/']);
        let strength = match (asks || default, view.line.makes_room() && !place) {
            (true, true) => Strength::Likely,
            (true, false) | (false, true) => Strength::Fair,
            (false, false) => Strength::Weak,
        };
        return Some(Guess::new(PromptKind::Text, Form::Colon, strength));
    }
    let short = lower.chars().count() <= 100;
    rows! {
        view.line.makes_room() && forms::fits("default", lower) => Text Default Fair;
        view.line.makes_room() && lower.ends_with("->") && (lower.starts_with("rename ") || names_path(lower))
            => Path Arrow Fair;
        let default = lower.contains("? (") && lower.ends_with(')') || lower.contains("? [") && lower.ends_with(']');
        // `Delete it? (enter to confirm, esc to cancel)`
        default && short && ["to confirm", "to cancel", "to abort"].iter().any(|it| lower.contains(it))
            => YesNo Question Likely;
        default && short => Text Default Likely;
    }
    let trails = lower.ends_with("?...") && short;
    trails.then(|| Guess::new(PromptKind::YesNo, Form::Question, Strength::Fair))
}

/// A question: whether it can be answered by a yes.
fn asked(view: View<'_>, clause: &str, decorated: bool) -> Guess {
    // `Some buffers have changed; leave anyway?`
    let anyway = clause.trim_end_matches(['?', ' ']).ends_with("anyway") && !action::is_open(clause);
    if anyway || action::asks(clause) {
        let strength = if decorated { Strength::Likely } else { Strength::Fair };
        return Guess::new(PromptKind::YesNo, Form::Question, strength);
    }
    // `replace a.txt in x.zip`, and in the next row `   with a.txt from y.zip?`
    if let Some(whole) = begun_above(view).filter(|whole| action::asks(whole)) {
        return Guess::new(PromptKind::YesNo, Form::Question, Strength::Fair).on_screen(Some(whole));
    }
    let strength = if decorated || action::is_open(clause) { Strength::Likely } else { Strength::Fair };
    Guess::new(PromptKind::Text, Form::Question, strength)
}

/// A question that began in the row above: what is set in below it goes on with a small letter.
fn begun_above(view: View<'_>) -> Option<String> {
    let set_in = view.line.text.starts_with("  ") && view.line.trimmed().starts_with(char::is_lowercase);
    let rows = view.sight.rows.get(..view.line.top)?;
    let begun = rows.last().map(|row| row.trim()).filter(|row| set_in && row.contains(' '))?;
    (!begun.ends_with(['.', ':', '?', '!'])).then(|| format!("{begun} {}", view.line.trimmed()).to_lowercase())
}

/// The cursor stayed at the question, and below it are at least two rows of one or a few words each, and no more.
fn lists_below(view: View<'_>) -> bool {
    let Some(below) = parts::below(view) else { return false };
    let item = |row: &String| forms::fits("below", row) && !row.contains(": ") && !row.trim_end().ends_with([':', '.']);
    view.sight.cursor_hidden && below.iter().all(item) || below.iter().all(|row| forms::fits("numbered", row))
}

/// The question stood in its own row; this one has the default alone.
fn asked_above(view: View<'_>) -> bool {
    view.above().next().is_some_and(|row| row.trim_end().ends_with(['?', ')', ':']))
}
