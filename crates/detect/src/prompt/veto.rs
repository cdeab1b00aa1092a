//! What speaks against a prompt: progress, hints at keys that nobody needs to press, lines that quote a prompt.

use super::forms;
use super::kind::PromptKind;
use super::rule::{Guess, Strength, View, is_dialog, is_legend, is_status};
use super::rule_id::Form;
use crate::lists::List;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Veto {
    /// Something else explains what stands there.
    Outright,
    /// It may as well be something else.
    Doubt,
}

/// How the words begin of somebody who works and says at what.
static WORKING: List = List::of("veto working");
/// What only a program or a document says, never a prompt.
static QUOTES: List = List::of("veto quotes");
pub(super) const SPINNERS: [char; 22] =
    ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏', '◐', '◓', '◑', '◒', '⣾', '⣽', '⣻', '⢿', '⡿', '⣟', '⣯', '⣷'];

pub(super) fn of(view: View<'_>, guess: &Guess) -> Option<Veto> {
    let lower = view.line.lower.as_str();
    // Agents let a spinner turn below what they ask.
    if spins(view) && !is_dialog(guess) {
        return Some(Veto::Outright);
    }
    if guess.is_menu || guess.form == Form::ShellMark {
        return None;
    }
    if guess.strength == Strength::Weak && tells_of_keys(view) {
        return Some(Veto::Outright);
    }
    if view.line.is_blank() {
        return None;
    }
    if is_progress(lower) && guess.form != Form::Pager
        || is_quote(view.line.trimmed(), lower, guess.strength, view.line.makes_room())
    {
        return Some(Veto::Outright);
    }
    let first = lower.split_whitespace().next().unwrap_or_default();
    let works = WORKING.contains(&first.trim_end_matches(['.', ':', '…']));
    let logged = !guess.is(PromptKind::Command, Form::Sign)
        && is_logged(lower)
        && !(guess.kind == PromptKind::YesNo && lower.starts_with("warning"));
    (works && guess.strength < Strength::Sure || logged).then_some(Veto::Doubt)
}

/// A spinner at the beginning or the end of the line that the cursor is in, or of the last row.
fn spins(view: View<'_>) -> bool {
    let spins = |row: &str| {
        let row = row.trim().trim_start_matches(['│', ' ']);
        row.starts_with(SPINNERS) || row.ends_with(SPINNERS)
    };
    spins(&view.line.text) || spins(&view.line.after) || view.line.is_blank() && view.above().take(2).any(spins)
}

fn tells_of_keys(view: View<'_>) -> bool {
    let last = view.sight.rows.last().map(|row| row.trim_end()).unwrap_or_default();
    // A multiplexer listens for its own keys whatever the program inside does.
    let multiplexer = last.starts_with('[') && last.contains("] 0:") && last.contains('*');
    multiplexer
        || is_legend(view)
        || view.line.is_blank() && view.above().take(6).any(|row| is_status(&row.to_lowercase()))
}

/// `50%`, `12/90 [00:01<00:07, 9.9it/s]`, `[=====>   ]`.
fn is_progress(lower: &str) -> bool {
    forms::fits("percent", lower) && !lower.contains("[y/n]") || forms::fits("progress", lower)
}

/// The line of a listing, a diff or a help text that holds a prompt.
fn is_quote(line: &str, lower: &str, strength: Strength, room: bool) -> bool {
    let listed = line.starts_with(['-', '+']) && line[1..].starts_with(' ') && !room;
    let heading = line.starts_with("# ") && strength < Strength::Sure && !room;
    listed
        || heading
        || forms::fits("quote", lower)
        || QUOTES.iter().any(|words| lower.contains(words))
        || strength < Strength::Sure && forms::fits("remark", lower)
}

/// A log's line begins with a time or a level.
pub(super) fn is_logged(lower: &str) -> bool {
    forms::fits("level", lower) && !lower.contains("[y/n]") || forms::fits("time", lower)
}
