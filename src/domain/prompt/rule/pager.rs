//! Pagers, and "press any key".

use super::super::kind::PromptKind;
use super::{Guess, Strength, View};

/// "Press any key to continue" in its many forms.
const ANY_KEY: [&str; 34] = [
    "press a key",
    "hit a key",
    "press key to",
    "push any",
    "enter to continue",
    "return to continue",
    "<enter> to",
    "[enter] to",
    "<return> to",
    "[return] to",
    "press the return key",
    "press the space bar",
    "press spacebar",
    "space to continue",
    "any key",
    "press enter",
    "press return",
    "press <enter>",
    "press [enter]",
    "hit return",
    "hit enter",
    "press <return>",
    "press the enter key",
    "press space",
    "<ret>",
    "press ctrl-d",
    "press enter or type command",
    "hit any",
    "(press return)",
    "press [return]",
    "strike any key",
    "beliebige taste",
    "appuyez sur",
    "presione",
];
/// The key stands for an answer, and another may be typed.
const INSTEAD: [&str; 14] = [
    "to skip",
    "to keep",
    "to accept",
    "to leave",
    "for default",
    "for the default",
    "for none",
    "or type",
    "or enter ",
    "to select",
    "to choose",
    "if none",
    "if you",
    "to use ",
];
/// How pagers say that there is more.
const PAGES: [&str; 9] = [
    "for next page",
    "for the next page",
    "q to quit, ",
    "[more]",
    "-more-",
    "<more>",
    "space for more",
    "return for more",
    "enter for more",
];
/// Hints at keys that a program takes while it goes on.
pub(in crate::domain::prompt) const STATUS_HINTS: [&str; 16] = [
    "to show help",
    "for help or",
    "press q to quit",
    "press [q]",
    "ctrl+c to",
    "ctrl-c to",
    "^c to",
    "control-c",
    "quit the server",
    "to restart at any time",
    "waiting for file changes",
    "watching for",
    "to stop",
    "to interrupt",
    "enter to show help",
    "press h to",
];

/// A pager's own line, or a request for any key.
pub(super) fn by_words(view: View<'_>) -> Option<Guess> {
    let lower = view.line.lower.as_str();
    if lower == ":" && (view.sight.cursor_row + 1 >= view.sight.rows.len() || view.sight.alternate) {
        return Some(Guess::new(PromptKind::Command, "command.pager", Strength::Sure));
    }
    let pages = lower.len() < 100 && PAGES.iter().any(|words| lower.contains(words));
    let pager = pages
        || lower.ends_with("(end)") && lower.len() < 100
        || lower.contains("--more--")
        || lower.starts_with("-- more --")
        || lower.starts_with("manual page ") && lower.contains("line")
        || lower.starts_with("lines ") && lower.contains('-') && lower.len() < 40
        || lower.starts_with("---type <return>")
        || lower.starts_with("--type <ret>");
    if pager {
        return Some(Guess::new(PromptKind::Command, "command.pager", Strength::Sure));
    }
    let asks = |text: &str| {
        let goes_on = text.contains("to continue") || text.contains("to proceed");
        ANY_KEY.iter().any(|words| text.contains(words))
            && (goes_on || !is_status(text))
            && (!INSTEAD.iter().any(|words| text.contains(words)) || text.contains("or type command"))
            && !text.starts_with('?')
    };
    if asks(lower) {
        return Some(Guess::new(PromptKind::Unknown, "unknown.any_key", Strength::Sure));
    }
    let last = view.above().next().filter(|_| view.line.is_blank())?;
    let lower = last.to_lowercase();
    asks(&lower).then(|| {
        Guess::new(PromptKind::Unknown, "unknown.any_key_above", Strength::Fair).on_screen(Some(last.trim().to_owned()))
    })
}

/// A pager that shows the name of its file, or how far it is, in the last row of a full screen.
pub(super) fn by_place(view: View<'_>) -> Option<Guess> {
    let lower = view.line.lower.as_str();
    let full = view.sight.alternate && view.sight.cursor_row >= 5 && view.sight.cursor_row + 1 >= view.sight.rows.len();
    let named = !lower.is_empty() && (!lower.contains(' ') && lower.contains('.') || lower.contains(" lines "));
    (full && named && view.line.after.is_empty()).then(|| {
        Guess::new(PromptKind::Command, "command.pager_file", Strength::Fair)
            .on_screen(Some(view.line.trimmed().to_owned()))
    })
}

/// Whether a text, in lower case, tells of keys that need not be pressed.
pub(in crate::domain::prompt) fn is_status(lower: &str) -> bool {
    STATUS_HINTS.iter().any(|hint| lower.contains(hint))
}
