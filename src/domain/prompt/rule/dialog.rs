//! Dialogs drawn with boxes: their buttons tell what they want.

use std::borrow::Cow;

use super::super::frame::{SIDES, has_edge, inside};
use super::super::kind::PromptKind;
use super::secret::names_secret;
use super::{Guess, Strength, View};

/// A row with buttons stands on the screen.
pub(super) fn buttons(view: View<'_>) -> Option<Guess> {
    if !view.rows().any(|row| row.contains(['<', '[']) || row.contains("yes")) {
        return None;
    }
    let letters = view.rows().any(|row| row.contains("qqqqq"));
    let drawn: Vec<Cow<'_, str>> =
        view.rows().map(|row| if letters { Cow::Owned(redrawn(row)) } else { Cow::Borrowed(row) }).collect();
    let rows: Vec<&str> = drawn.iter().map(AsRef::as_ref).collect();
    if let Some(guess) = over_panels(&rows) {
        return Some(guess);
    }
    let (at, buttons) = rows.iter().enumerate().rev().find_map(|(at, row)| Some((at, buttons_of(row)?)))?;
    let framed = rows[..at].iter().any(|row| has_edge(row));
    if !(framed || buttons.len() >= 3 && view.sight.alternate) {
        return None;
    }
    let question = question(&rows[..at]);
    let guess = |kind, rule| {
        Some(Guess::new(kind, rule, Strength::Likely).choices(buttons.clone()).on_screen(Some(question.clone())))
    };
    let has = |words: &[&str]| buttons.iter().any(|button| words.contains(&button.to_lowercase().as_str()));
    if has(&["yes"]) && has(&["no"]) {
        return guess(PromptKind::YesNo, "yes_no.dialog");
    }
    if !framed {
        return guess(PromptKind::Choice, "choice.buttons");
    }
    let lower = question.to_lowercase();
    let inner: Vec<&str> = rows[..at].iter().filter_map(|row| inside(row)).collect();
    let words = |row: &&&str| {
        let count = row.trim().trim_matches(SIDES).split_whitespace().count();
        (1..=3).contains(&count) && !row.trim().ends_with([':', '.', '?'])
    };
    let plain = inner.iter().rev().skip_while(|row| !words(row)).take_while(words).count();
    let columns = inner.iter().filter(|row| is_in_columns(row)).count();
    let lists = inner.iter().filter(|row| is_listed(row)).count() >= 2 || plain >= 4 || columns >= 3;
    if lists {
        return guess(PromptKind::Choice, "choice.dialog");
    }
    if has(&["cancel", "abbrechen"]) {
        if names_secret(&lower) {
            return guess(PromptKind::Password, "password.dialog");
        }
        if lower.contains("directories") || lower.contains("files") {
            return guess(PromptKind::Path, "path.dialog");
        }
        return guess(PromptKind::Text, "text.dialog");
    }
    guess(PromptKind::Unknown, "unknown.dialog")
}

/// A question that stands over panels: between two sides, with frames and rows of theirs left and right of it.
fn over_panels(rows: &[&str]) -> Option<Guess> {
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
    let has = |word: &str| buttons.iter().any(|button| button.eq_ignore_ascii_case(word));
    if from == 0 || !has("yes") || !has("no") {
        return None;
    }
    let cut = |row: &&str| row.chars().skip(from).take(to - from).collect::<String>();
    let above: Vec<String> = rows[..at].iter().rev().map(cut).take(8).collect();
    let words = above.iter().skip_while(|row| has_edge(row)).take_while(|row| !has_edge(row));
    let mut words: Vec<&str> = words.map(|row| row.trim()).filter(|row| !row.is_empty()).collect();
    words.reverse();
    let question = words.join(" ");
    Some(Guess::new(PromptKind::YesNo, "yes_no.dialog", Strength::Likely).choices(buttons).on_screen(Some(question)))
}

/// Terminals draw frames from letters when they are told to; a model that is not told sees `x` and `lqqqk`.
fn redrawn(row: &str) -> String {
    let letters =
        |word: &str| word.len() >= 3 && word.contains("qqq") && word.bytes().all(|b| b"lqkmjtuwvnx".contains(&b));
    let mut text = String::with_capacity(row.len());
    for (index, word) in row.split(' ').enumerate() {
        if index > 0 {
            text.push(' ');
        }
        if letters(word) {
            text.extend(std::iter::repeat_n('─', word.len()));
        } else if !word.is_empty() && word.bytes().all(|b| b == b'x') {
            text.extend(std::iter::repeat_n('│', word.len()));
        } else {
            text.push_str(word);
        }
    }
    text
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
    let inner = inside(row).unwrap_or(row).trim();
    let mut rest = inner.trim_start_matches(['>', '*', ' ']);
    let mut found = Vec::new();
    while !rest.is_empty() {
        let close = match rest.chars().next()? {
            '<' => '>',
            '[' => ']',
            _ => return None,
        };
        let end = rest.find(close)?;
        let name = rest[1..end].trim_matches(['<', '>', ' ', '[', ']', '-', '>']).trim();
        if name.is_empty() || name.chars().count() > 16 || !name.chars().all(|c| c.is_alphabetic() || c == ' ') {
            return None;
        }
        found.push(name.to_owned());
        rest = rest[end + 1..].trim_start_matches([' ', '>', ']']);
    }
    let known = |name: &String| {
        let lower = name.to_lowercase();
        ["ok", "yes", "no", "cancel", "exit", "back", "continue", "help", "quit"].contains(&lower.as_str())
    };
    // Where they fill the last rows of a screen there are more of them than in a dialog.
    let most = if row.contains('[') { 8 } else { 5 };
    (!found.is_empty() && found.len() <= most && found.iter().any(known)).then_some(found)
}

/// `SELECT    Choose what to work on`: one word, and far from it what it does.
fn is_in_columns(inner: &str) -> bool {
    let text = inside(inner).unwrap_or(inner).trim();
    text.split_once("  ").is_some_and(|(tag, told)| !tag.contains(' ') && !tag.is_empty() && told.trim().contains(' '))
}

/// An item of a list in a dialog: a box, or a short tag and a text far from it.
fn is_listed(inner: &str) -> bool {
    let text = inside(inner).unwrap_or(inner).trim();
    let boxed = ["[ ]", "[x]", "[X]", "[*]", "( )", "(*)"].iter().any(|mark| text.starts_with(mark));
    let mut parts = text.splitn(2, "  ").map(str::trim);
    let tagged = parts
        .next()
        .is_some_and(|tag| !tag.is_empty() && tag.len() <= 4 && tag.bytes().all(|b| b.is_ascii_digit() || b == b'.'));
    let numbered = text
        .split_whitespace()
        .next()
        .is_some_and(|tag| tag.trim_end_matches(['.', ')']).bytes().all(|b| b.is_ascii_digit()) && !tag.is_empty());
    boxed || (tagged || numbered) && text.split_whitespace().count() >= 2
}

/// The words inside the frame.
fn question(rows: &[&str]) -> String {
    let words =
        rows.iter().filter_map(|row| inside(row)).map(|row| row.trim_matches(|c: char| SIDES.contains(&c) || c == ' '));
    let words: Vec<&str> = words.filter(|row| !row.is_empty() && !has_edge(row)).take(12).collect();
    words.join(" ")
}
