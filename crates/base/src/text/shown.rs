//! Quotes text from outside inside a sentence of the hub.

use super::clean::{clean, shorten};

/// The most of it that is repeated, in characters.
const MOST: usize = 64;

/// A name or an id as it came, fit for a sentence: without control characters, and not longer than any id.
pub fn shown(given: &str) -> String {
    given.chars().filter(|c| !c.is_control()).take(MOST).collect()
}

/// A stranger's words within a sentence: cleaned, one line of at most `limit` characters, between backticks.
pub fn quoted(given: &str, limit: usize) -> String {
    format!("`{}`", shorten(&clean(given, 4 * limit).text.replace('`', "'"), limit))
}
