//! Chinese: no spaces, so the words are looked for in the whole clause, and a negation in what stands before.

use crate::lists::List;

/// Right before a word: it is not to be done, or is taken back.
static FORBID: List = List::of("zh forbid");

/// A negation that only asks: `要不要删除`, `为什么不删除`.
static ASK: List = List::of("zh ask");

pub(super) fn takes(before: &str, _after: &str) -> bool {
    let asks = ASK.iter().any(|ask| before.ends_with(ask));
    FORBID.iter().any(|no| before.ends_with(no)) && !asks
}
