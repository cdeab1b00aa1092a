//! `Are you sure you want to create these versions?`: who asks so of anything but to go on, to leave or to let somebody
//! in, thinks that it cannot be taken back.
//!
//! Of such questions on the recordings 31 of 32 were dangerous. To leave a program is not.

use super::super::line::words;
use crate::lists::List;

static SURE: List = List::of("sure openings");
/// What harms nobody, and is asked so all the same.
static HARMLESS: List = List::of("sure harmless");

/// Whether a question asks for something twice that other rules know no harm of.
pub(super) fn asks_twice(question: &str) -> bool {
    let lower = question.to_lowercase();
    let verb = SURE.iter().find_map(|words| lower.split_once(words)).map(|(_, rest)| first_word(rest));
    verb.is_some_and(|verb| !verb.is_empty() && !HARMLESS.iter().copied().any(|harmless| harmless == verb))
}

/// Whether a question asks whether somebody is sure. Where it says nothing else, 31 of 32 on recordings were about what
/// cannot be taken back, whatever stood above them.
pub(super) fn doubts(question: &str) -> bool {
    static SURE: List = List::of("sure words");
    let lower = question.to_lowercase();
    let leaves = words(&lower).any(|word| matches!(word, "exit" | "quit" | "leave" | "cancel" | "abort"));
    !leaves && words(&lower).any(|word| SURE.contains(&word))
}

fn first_word(text: &str) -> &str {
    text.split(|c: char| !c.is_alphabetic()).next().unwrap_or_default()
}
