//! Japanese: no spaces, and a negation stands behind its word.

use crate::lists::List;

/// Right behind a word: it is not to be done.
static FORBID: List = List::of("ja forbid");

pub(super) fn takes(_before: &str, after: &str) -> bool {
    FORBID.iter().any(|no| after.starts_with(no))
}
