//! What says of a verb that it is going to happen: somebody announces it, does it already, or counts what it takes.

use super::Word;
use super::words::{ANNOUNCE, CONDITION, DONE, PERHAPS, SOMEBODY};

/// `will remove`, `is about to remove`, `this may destroy`; but `you may remove it later`.
pub(super) fn is_announced(before: &[Word<'_>]) -> bool {
    // `this will tag the commit and delete the old one`: said of both.
    let joined = before.last().is_some_and(|word| matches!(word.text, "and" | "then"));
    let mut near = before.iter().rev().take(if joined { 12 } else { 4 });
    let perhaps = || before.iter().rev().take(3).any(|word| word.is(PERHAPS));
    near.any(|word| word.is(ANNOUNCE)) || perhaps() && !before.iter().any(|word| word.is(SOMEBODY))
}

/// `you are deleting the last one`
pub(super) fn is_under_way(before: &[Word<'_>], word: Word<'_>) -> bool {
    let is = before.last().is_some_and(|word| matches!(word.text, "are" | "am" | "you're" | "i'm"));
    is && word.text.ends_with("ing")
}

/// `removing the following directories:`
pub(super) fn is_list(word: Word<'_>, after: &[Word<'_>]) -> bool {
    let following = |word: &Word<'_>| matches!(word.text, "following" | "these" | "those" | "below");
    word.text.ends_with("ing") && after.iter().take(3).any(following)
}

/// `this wipes the card`, `unlocking it erases everything`
pub(super) fn is_effect(before: &[Word<'_>], word: Word<'_>) -> bool {
    let subject = |first: &Word<'_>| matches!(first.text, "this" | "it" | "that") || first.text.ends_with("ing");
    word.text.ends_with('s') && before.first().is_some_and(subject) && !is_bound(before.iter().rev())
}

/// `foo-1.0 remove`: a row of a table has a name and what becomes of it.
pub(super) fn is_listed(before: &[Word<'_>], after: &[Word<'_>]) -> bool {
    matches!(before, [name] if name.text.contains(|c: char| c.is_ascii_digit())) && after.is_empty()
}

/// `5 to remove`, `packages to remove`
pub(super) fn is_counted(before: &[Word<'_>]) -> bool {
    let counts = |word: &Word<'_>| {
        matches!(word.text, "packages" | "files") || word.text.bytes().all(|byte| byte.is_ascii_digit())
    };
    matches!(before, [.., what, to] if to.text == "to" && counts(what))
}

/// `4 files are deleted`, which says what will be; but `files that are removed`, `are removed after a month`.
pub(super) fn is_done(before: &[Word<'_>], word: Word<'_>, after: &[Word<'_>]) -> bool {
    let is = before.last().is_some_and(|word| matches!(word.text, "are" | "is"));
    // `, which are erased with it`: all of them are.
    let all = matches!(before, [which, _] if which.text == "which");
    is && word.is(DONE) && (all || !is_bound(before.iter().rev())) && !is_bound(after.iter())
}

/// How many words of a clause are looked at from one of them.
const NEAR: usize = 8;

/// Whether one of the next words says that it is done only then, or only to those.
fn is_bound<'a>(mut words: impl Iterator<Item = &'a Word<'a>>) -> bool {
    words.by_ref().take(NEAR).any(|word| word.is(CONDITION))
}
