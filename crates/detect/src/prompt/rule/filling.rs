//! A list to choose from that fills the screen, without a mark: by its title, or by items numbered from the first.

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
    let title = view.rows().map(|row| row.trim_matches(|c: char| !c.is_alphanumeric())).find(|row| picks(row));
    // `0. [A]ccess`, `1. [U]pdate`
    let numbers = view.rows().filter_map(|row| forms::parts("number", row)?.part("number").parse::<usize>().ok());
    let numbers: Vec<usize> = numbers.collect();
    let counts = |run: &[usize]| run[0] <= 1 && run.windows(2).all(|two| two[1] == two[0] + 1);
    (title.is_some() || numbers.windows(FEWEST).any(counts)).then(|| {
        let guess = Guess::new(PromptKind::Choice, Form::FullScreen, Strength::Weak);
        guess.on_screen(title.map(str::to_owned))
    })
}

/// `Select label type`, `Please choose a package`: and no key that does so, as `Select: Enter`.
fn picks(row: &str) -> bool {
    let lower = row.to_lowercase();
    let lower = lower.trim_start_matches("please ");
    let count = words(lower).skip(1).count();
    begins_to_pick(lower) && (1..WORDS).contains(&count) && !forms::fits("key-in-title", lower) && !row.contains("   ")
}
