//! Pagers, and "press any key".

use super::super::kind::PromptKind;
use super::super::line::words;
use super::super::rule_id::Form;
use super::answer::answers_yes;
use super::any_key::names_any_key;
use super::listed::listed;
use super::secret::names_secret;
use super::{Guess, Strength, View, under, verbs};
use crate::lists::List;

/// "Press any key to continue" in its many forms.
static ANY_KEY: List = List::of("pager any-key");
/// The key stands for an answer, and another may be typed.
static INSTEAD: List = List::of("pager instead");
/// How pagers say that there is more.
static PAGES: List = List::of("pager pages");
/// Hints at keys that a program takes while it goes on.
pub(in crate::prompt) static STATUS_HINTS: List = List::of("pager status-hints");

/// A pager's own line, or a request for any key.
pub(super) fn by_words(view: View<'_>) -> Option<Guess> {
    let lower = view.line.lower.as_str();
    if let Some(guess) = Some(lower).filter(|lower| *lower == ":").and_then(|_| under::of_a_colon(view)) {
        return Some(guess);
    }
    rows! {
        lower == ":" && !view.sight.alternate && listed(view).len() >= 2 => Choice Under Likely listed(view);
        lower == ":" && (view.sight.cursor_row + 1 >= view.sight.rows.len() || view.sight.alternate)
            => Command Pager Sure;
        let pages = lower.len() < 100 && PAGES.iter().any(|words| lower.contains(words));
        let pager = pages
            || is_more(lower)
            || is_place(lower)
            || lower.starts_with("(end)")
            || lower.ends_with("(end)") && lower.len() < 100
            || lower.contains("--more--")
            || lower.starts_with("-- more --")
            || lower.starts_with("manual page ") && lower.contains("line")
            || lower.starts_with("lines ") && lower.contains('-') && lower.len() < 40
            || lower.starts_with("---type <return>")
            || lower.starts_with("--type <ret>");
        pager => Command Pager Sure;
        let asks = |text: &str| {
            let goes_on = ["to continue", "to proceed", "to retry"].iter().any(|on| text.contains(on));
            (["[enter]", "<enter>", "(enter)", "[return]", "<return>", "<cr>"].iter().any(|key| text.ends_with(key))
                || ANY_KEY.iter().any(|words| text.contains(words))
                || names_any_key(text))
                && !(text.ends_with([':', '?']) && text.contains(", or ") && !leaves(text))
                && (goes_on || !is_status(text))
                && !(text.ends_with(':') && names_secret(text))
                && (!INSTEAD.iter().any(|words| text.contains(words)) || text.contains("or type command"))
                && (!text.starts_with('?') || names_any_key(text) && text.trim_end_matches(':').ends_with("..."))
                && !gives(text)
                && !ends_a_list(text)
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
    let verb = ["paste ", "type the ", "type a ", "type your ", "enter the ", "enter a ", "enter your ", "input the "];
    let asked = text.trim_start_matches("please ");
    let picks =
        ["choose ", "select ", "pick "].iter().any(|verb| asked.starts_with(verb)) && text.ends_with([':', '?']);
    let key = ["any key", "a key", "to continue", "and hit ", "and press "].iter().any(|words| text.contains(words));
    let value = text.ends_with(':') && !key && verbs::gives(text.split('(').next().unwrap_or_default());
    picks
        || value
        || verb.iter().any(|verb| text.trim_start_matches("please ").starts_with(verb))
        || text.contains('?') && ["[y/n]", "[n/y]", "(y/n)", "(n/y)"].iter().any(|answers| text.contains(answers))
}

/// `1st input name (<ENTER> to finish):`: one more is asked for, until there is none.
fn ends_a_list(text: &str) -> bool {
    let said = text.strip_suffix("):").and_then(|text| text.rsplit_once('('));
    said.is_some_and(|(label, key)| {
        let last = ["to finish", "to end", "to stop", "when done", "when finished"].iter().any(|so| key.ends_with(so));
        last && words(label).count() >= 2
    })
}

/// The other key goes nowhere.
fn leaves(text: &str) -> bool {
    ["quit", "abort", "cancel", "exit", "stop", "^c", "ctrl"].iter().any(|word| text.contains(word))
}

/// `--More--`, `[More 42%]`, `-- Mehr --`: the word alone, and signs around it.
fn is_more(lower: &str) -> bool {
    static MORE: List = List::of("pager more");
    if matches!(lower, "more?" | "more:") {
        return true;
    }
    let framed = lower.starts_with(['-', '[', '<', '(', '─', '═']) && lower.chars().count() <= 32;
    let mut said = words(lower).filter(|word| !word.bytes().all(|b| b.is_ascii_digit()));
    framed && said.next().is_some_and(|word| MORE.contains(&word)) && said.next().is_none()
}

/// `byte 1234`: how far it is, where it does not know in what.
fn is_place(lower: &str) -> bool {
    let place = lower.strip_prefix("byte ").unwrap_or_default();
    place.starts_with(|c: char| c.is_ascii_digit()) && place.len() <= 24 && !place.contains([':', ','])
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
    let tells = |row: &str| {
        let said = row.trim_start_matches(|c: char| !c.is_alphanumeric());
        said.starts_with("Press ") || said.starts_with("press ")
    };
    view.line.is_blank() && view.above().take(LEGEND).filter(|row| tells(row)).count() == LEGEND
}

/// The fewest rows of such a list.
const LEGEND: usize = 2;

/// Whether a text, in lower case, tells of keys that need not be pressed.
pub(in crate::prompt) fn is_status(lower: &str) -> bool {
    STATUS_HINTS.iter().any(|hint| lower.contains(hint))
}
