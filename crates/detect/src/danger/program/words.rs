//! The words of programs. A list of words is one text, because a list of so many lines is read by nobody.

use std::sync::LazyLock;

use crate::lexicon::{Lexicon, Lists, Stretches};
use crate::lists::{List, PROGRAMS, entries, list_bits};

list_bits! {
    VERBS = "verbs",
    /// Destroy where a clause begins with them.
    ORDERS = "orders",
    /// Destroy what is dear.
    TOUCHING = "touching",
    DEAR = "dear",
    /// What will have happened.
    PASSIVE = "passive",
    /// Say that it is still to come.
    COMING = "coming",
    /// Right behind a verb that no order begins with: only its name is spoken of.
    NOT_DONE = "not-done",
    /// Shortly before a verb: it is put off, reported, or somebody else's.
    PUT_OFF = "put-off",
    /// Stand before a question's verb without being what is asked.
    POLITE = "polite",
    /// Say of what follows that it is going to happen.
    ANNOUNCE = "announce",
    /// Are of no other language that we know.
    ENGLISH = "english",
    /// Say how something would be done, and not that it will be.
    HINTS = "hints",
    /// Right behind a verb: it is done to nothing.
    NOT_AT_ALL = "not-at-all",
    /// Soon behind a verb: what may go without harm.
    HARMLESS = "harmless",
    /// Cost, where money is spoken of.
    SPENDING = "spending",
    MONEY = "money",
    /// Say of what follows that it may happen, unless somebody is told that he may do it.
    PERHAPS = "perhaps",
    /// What is written to for good.
    DISKS = "disks",
    SOMEBODY = "somebody",
    /// What is done where it is said to be: `the old ones are deleted`.
    DONE = "done",
    /// Say that it is done only then, or to those, or that it has been.
    CONDITION = "condition",
    /// Parts of what a program shows: right behind a verb that begins a row they are named by it.
    PARTS = "parts",
}

pub(super) static WORDS: LazyLock<Lexicon> = LazyLock::new(|| {
    let list = |name: &str| NAMES.iter().position(|known| *known == name).map_or(0, |place| 1 << place);
    Lexicon::new(entries(PROGRAMS).map(|(name, word)| (list(name), word)))
});

pub(super) static FINAL: List = List::of("program final");

/// Kept as it is: `permanently add it to the list`.
pub(super) static KEPT: List = List::of("program kept");

pub(super) static IS_FINAL: LazyLock<Stretches> = LazyLock::new(|| Stretches::new(FINAL.iter().copied()));

/// Verbs in two parts, with what they are done to between them: `shut the server down`.
pub(super) static SPLIT: List = List::of("program split");
