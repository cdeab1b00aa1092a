//! When a verb that destroys is not meant: it is named, reported, put off, left for later or forbidden.

use super::super::negation;
use super::Word;
use super::words::{HARMLESS, NOT_AT_ALL, NOT_DONE, PERHAPS, POLITE, PUT_OFF, SPENDING, TOUCHING};

/// `the delete key`, `ask before deleting`, `failed to remove`, `drop privileges`; but `delete key 3?`, which
/// is an order.
pub(super) fn is_only_named(word: Word<'_>, before: &[Word<'_>], after: &[Word<'_>], ordered: bool) -> bool {
    let next = after.first();
    if is_spoken_of(word, after)
        || before.last().is_some_and(|word| word.text == "from")
        || matches!(before, [.., who, is] if matches!(who.text, "that" | "which") && matches!(is.text, "is" | "are"))
    {
        return true;
    }
    next.is_some_and(|next| {
        next.is(NOT_AT_ALL) && !(next.text == "to" && (ordered || word.is(TOUCHING | SPENDING) || has_reason(word)))
            || next.is(NOT_DONE) && !ordered
    }) || after.iter().take(3).any(|word| word.is(HARMLESS))
        || before.iter().rev().take(3).any(|word| word.is(PUT_OFF) || word.text.ends_with("n't"))
}

/// `deletion of a failed`, `overwriting is forbidden`, `the revocation certificate`
fn is_spoken_of(word: Word<'_>, after: &[Word<'_>]) -> bool {
    let noun = ["ion", "al", "ing"].iter().any(|end| word.text.ends_with(end));
    let said = |word: &Word<'_>| {
        matches!(
            word.text,
            "failed" | "fails" | "succeeded" | "finished" | "forbidden" | "allowed" | "disabled" | "prevented"
        )
    };
    let of = after.first().is_some_and(|word| matches!(word.text, "certificate" | "certificates" | "list" | "date"));
    noun && (after.iter().take(6).any(said) || of && !word.text.ends_with("ing"))
}

/// How many words of a clause are looked at from one of them.
const NEAR: usize = 8;

/// `you can remove it at any time`, `to delete it later`: how it is done when it is.
pub(super) fn is_for_later(before: &[Word<'_>], after: &[Word<'_>]) -> bool {
    let time = |at: usize| match after[at].text {
        "later" | "whenever" | "anytime" | "afterwards" => true,
        "any" => after.get(at + 1).is_some_and(|word| word.text == "time"),
        _ => false,
    };
    let may =
        before.last().is_some_and(|word| word.text == "to") || before.iter().rev().take(4).any(|word| word.is(PERHAPS));
    may && (0..after.len().min(NEAR)).any(time) || is_of_somebody(before)
}

/// `Should users be able to delete their account?`, `Do you plan to publish it?`: what somebody else does.
fn is_of_somebody(before: &[Word<'_>]) -> bool {
    let [.., who, to] = before else { return false };
    to.text == "to" && matches!(who.text, "able" | "allowed" | "plan" | "planning" | "intend" | "intending")
}

/// `will be removed in a future release`: nobody is asked for that now.
pub(super) fn is_of_a_release(after: &[Word<'_>]) -> bool {
    let release = |word: &Word<'_>| {
        matches!(word.text, "future" | "version" | "versions" | "release" | "releases" | "upcoming" | "major")
    };
    after.first().is_some_and(|word| word.text == "in") && after.iter().take(5).any(release)
}

/// `Dry run: would delete 3 files`, `3 files would be deleted (dry run)`
pub(super) fn only_pretends(row: &str) -> bool {
    if row.contains("(dry run") || row.contains("(dry-run") {
        return true;
    }
    let row = row.trim_start_matches([' ', '[', '(', '*', '-']);
    row.starts_with("dry run") || row.starts_with("dry-run") || row.starts_with("simulat")
}

/// `do not delete`, `undo the delete`, `nothing will be deleted`, `no files will be removed`.
pub(super) fn is_forbidden(before: &[&str], passive: bool) -> bool {
    let first = before.iter().find(|word| !Word::of(word).is(POLITE));
    let shows = |word: &&str| {
        matches!(
            *word,
            "print" | "list" | "show" | "view" | "display" | "preview" | "see" | "bind" | "map" | "generate" | "track"
        )
    };
    // `Show the plan and delete the volume?` does both.
    if first.is_some_and(shows) && !before.iter().any(|word| matches!(*word, "and" | "then" | "&")) {
        return true;
    }
    negation::forbids(before)
        || negation::is_nought(before, 4)
        || before.iter().any(|word| matches!(*word, "nothing" | "none" | "neither"))
        || before.iter().rev().take(4).any(|word| *word == "no")
        // `undo information will be lost` takes nothing back. `keep the first and remove the others` does both.
        || !passive
            && before.first().is_some_and(|word| {
                matches!(*word, "keep" | "restore" | "recover" | "undelete" | "undo")
            })
            && !before.iter().any(|word| matches!(*word, "and" | "will"))
}

/// `a reboot to complete it`, `SIGKILL to all`: what the `to` begins belongs to the verb.
fn has_reason(word: Word<'_>) -> bool {
    word.text.starts_with("sig") || word.text.starts_with("reboot")
}
