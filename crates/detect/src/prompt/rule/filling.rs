//! A list to choose from that fills the screen, without a sign that points at an item: its title says so, or its items
//! are numbered from the first.

use super::super::kind::PromptKind;
use super::super::line::words;
use super::super::rule_id::Form;
use super::verbs::begins_to_pick;
use super::{Guess, Strength, View, forms};

/// The most words of a title.
const WORDS: usize = 14;
/// The fewest items that are numbered.
const FEWEST: usize = 3;

/// A title that tells to choose, or items with numbers.
pub(super) fn list(view: View<'_>) -> Option<Guess> {
    let title = view.rows().map(plain).find(|row| picks(row));
    let found = title.or_else(|| (numbered(view) >= FEWEST).then_some(""))?;
    let title = Some(found.to_owned()).filter(|title| !title.is_empty());
    Some(Guess::new(PromptKind::Choice, Form::FullScreen, Strength::Weak).on_screen(title))
}

/// A row without what its frame is drawn with.
fn plain(row: &str) -> &str {
    let stroke = |c: char| !c.is_alphanumeric();
    let row = row.trim();
    let (head, rest) = row.split_once(' ').filter(|(head, _)| head.chars().all(stroke)).unwrap_or(("", row));
    if head.is_empty() { row } else { rest.trim() }
}

/// `Select label type`, `Please choose a package`: and no key that does so, as `Select: Enter`.
fn picks(row: &str) -> bool {
    let lower = row.to_lowercase();
    let lower = lower.trim_start_matches("please ").trim_start_matches(|c: char| !c.is_alphanumeric());
    let first = begins_to_pick(lower);
    let count = words(lower).skip(1).count();
    first && (1..WORDS).contains(&count) && !forms::fits("key-in-title", lower) && !row.contains("   ")
}

/// How many rows below each other have the next number each: `0. [A]ccess`, `1. [U]pdate`.
fn numbered(view: View<'_>) -> usize {
    let number = |row: &str| forms::parts("number", row)?.part("number").parse::<usize>().ok();
    let (mut most, mut run, mut next) = (0, 0, None);
    for found in view.rows().map(number) {
        run = match found {
            Some(value) if next == Some(value) => run + 1,
            Some(0 | 1) => 1,
            Some(_) | None => 0,
        };
        next = found.filter(|_| run > 0).map(|value| value + 1);
        most = most.max(run);
    }
    most
}
