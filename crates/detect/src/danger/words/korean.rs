//! Korean: the words of danger. Its endings are many, so that a word is looked for wherever it stands.

use crate::lists::List;

static FORBID: List = List::of("ko forbid");

pub(super) fn takes(_before: &str, after: &str) -> bool {
    FORBID.iter().any(|no| after.starts_with(no))
}
