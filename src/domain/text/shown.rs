//! What came from outside, in a sentence of ours.

/// The most of it that is repeated, in characters.
const MOST: usize = 64;

/// A name or an id as it came, fit for a sentence: without control characters, and not longer than any id.
#[must_use]
pub fn shown(given: &str) -> String {
    given.chars().filter(|c| !c.is_control()).take(MOST).collect()
}
