//! Dialogs drawn with boxes: their buttons tell what they want.

use super::super::frame::{SIDES, has_edge, inside};
use super::super::kind::PromptKind;
use super::super::rule_id::Form;
use super::layout::Answers;
use super::verbs::begins_to_pick;
use super::{Guess, Strength, View, forms};

/// A row with buttons stands on the screen.
pub(super) fn buttons(view: View<'_>) -> Option<Guess> {
    if !view.rows().any(|row| row.contains(['<', '[']) || row.contains("yes")) {
        return None;
    }
    let rows: Vec<&str> = view.rows().collect();
    if let Some((above, buttons)) = over_panels(&rows) {
        let above: Vec<&str> = above.iter().map(String::as_str).collect();
        return Some(framed(&above, &buttons));
    }
    let (at, buttons) = rows.iter().enumerate().rev().find_map(|(at, row)| Some((at, buttons_of(row)?)))?;
    if rows[..at].iter().any(|row| has_edge(row)) {
        return Some(framed(&rows[..at], &buttons));
    }
    let form = if has(&buttons, "yes") && has(&buttons, "no") { Form::Dialog } else { Form::Buttons };
    let asked = Some(question(&rows[..at]));
    let bare = buttons.len() >= 3 && view.sight.alternate;
    bare.then(|| Guess::of(Answers::Named(buttons), form, Strength::Likely).on_screen(asked))
}

/// What is wanted in a frame, by its rows above the buttons.
fn framed(above: &[&str], buttons: &[String]) -> Guess {
    let question = question(above);
    let may_cancel = has(buttons, "cancel") || has(buttons, "abbrechen");
    let answers = if has(buttons, "yes") && has(buttons, "no") {
        Answers::Named(buttons.to_vec())
    } else if offers(above) || !may_cancel && above.iter().any(|row| tells_to_pick(row)) {
        Answers::Listed
    } else if may_cancel {
        Answers::Line(&question)
    } else {
        return Guess::new(PromptKind::Unknown, Form::Dialog, Strength::Likely)
            .choices(buttons.to_vec())
            .on_screen(Some(question));
    };
    Guess::of(answers, Form::Dialog, Strength::Likely).choices(buttons.to_vec()).on_screen(Some(question))
}

fn has(buttons: &[String], word: &str) -> bool {
    buttons.iter().any(|button| button.to_lowercase() == word)
}

/// `Please select an option`
fn tells_to_pick(row: &str) -> bool {
    let told = inside(row).unwrap_or_default().trim().to_lowercase();
    begins_to_pick(told.trim_start_matches("please "))
}

/// Whether items stand above the buttons: short rows below each other, boxes, tags, or rows in a frame of their own.
fn offers(above: &[&str]) -> bool {
    let inner: Vec<&str> = above.iter().filter_map(|row| inside(row)).collect();
    let words = |row: &&&str| {
        let count = row.trim().trim_matches(SIDES).split_whitespace().count();
        (1..=3).contains(&count) && !row.trim().ends_with([':', '.', '?'])
    };
    let plain = inner.iter().rev().skip_while(|row| !words(row)).take_while(words).count();
    let columns = inner.iter().filter(|row| holds("columns", row)).count();
    let boxed = inner.iter().filter(|row| is_boxed(row)).count();
    boxed >= 2 || inner.iter().filter(|row| holds("item", row)).count() >= 2 || plain >= 4 || columns >= 3
}

/// A row of a list that has a frame of its own within the dialog's.
fn is_boxed(inner: &str) -> bool {
    let row = inner.trim();
    let framed = row.starts_with(SIDES) && row.ends_with(SIDES);
    framed && row.trim_matches(SIDES).contains(char::is_alphanumeric)
}

/// The rows above the buttons of a dialog that stands over panels: between two sides, with frames and rows of theirs
/// left and right of it.
fn over_panels(rows: &[&str]) -> Option<(Vec<String>, Vec<String>)> {
    let (at, from, to, buttons) = rows.iter().enumerate().rev().find_map(|(at, row)| {
        let mut from = 0;
        let mut parts = row.split(SIDES);
        parts.find_map(|part| {
            let begin = from;
            from += part.chars().count() + 1;
            let buttons = part.trim().starts_with(['[', '<']).then(|| buttons_of(part)).flatten()?;
            Some((at, begin, from - 1, buttons))
        })
    })?;
    if from == 0 {
        return None;
    }
    let cut = |row: &&str| row.chars().skip(from - 1).take(to + 2 - from).collect::<String>();
    // A stroke from side to side belongs to it.
    let side = |c: Option<char>| c.is_some_and(|c| SIDES.contains(&c) || matches!(c, '├' | '┤' | '╟' | '╢'));
    let within = |row: &String| side(row.chars().next()) && side(row.chars().next_back());
    let mut above: Vec<String> = rows[..at].iter().rev().map(cut).take_while(within).collect();
    above.reverse();
    (!above.is_empty()).then_some((above, buttons))
}

/// `<Yes>   <No>`, `< OK >`, `[ Yes ]`: the buttons of a row that has nothing else in its frame.
fn buttons_of(row: &str) -> Option<Vec<String>> {
    if let Some(words) = inside(row) {
        // Some mark the button that is chosen by its colour alone.
        let words: Vec<&str> = words.split("  ").map(str::trim).filter(|word| !word.is_empty()).collect();
        if words.len() <= 4 && words.contains(&"yes") && words.contains(&"no") {
            return Some(words.into_iter().map(str::to_owned).collect());
        }
    }
    let inner = Some(inside(row).unwrap_or(row).trim()).filter(|inner| forms::fits("buttons", inner))?;
    let found: Vec<String> = forms::each("button", inner).map(|it| it.part("name").to_owned()).collect();
    // Where they fill the last rows of a screen there are more of them than in a dialog.
    let most = if row.contains('[') { 8 } else { 5 };
    (found.len() <= most && found.iter().any(|name| forms::fits("known-button", name))).then_some(found)
}

/// Whether the text in a row of a frame, or in one without, has a form.
fn holds(form: &str, row: &str) -> bool {
    forms::fits(form, inside(row).unwrap_or(row).trim())
}

/// The words inside the frame.
fn question(rows: &[&str]) -> String {
    let words =
        rows.iter().filter_map(|row| inside(row)).map(|row| row.trim_matches(|c: char| SIDES.contains(&c) || c == ' '));
    let words: Vec<&str> = words.filter(|row| !row.is_empty() && !has_edge(row)).take(12).collect();
    words.join(" ")
}
