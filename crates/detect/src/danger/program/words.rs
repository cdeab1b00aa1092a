//! The words of programs. A list of words is one text, because a list of so many lines is read by nobody.

use std::sync::LazyLock;

use crate::lexicon::{Lexicon, Lists, Stretches};
use crate::lists::{List, PROGRAMS, entries};

/// Destroy, wherever they stand.
pub(super) const VERBS: Lists = 1;
/// Destroy where a clause begins with them.
pub(super) const ORDERS: Lists = 1 << 1;
/// Destroy what is dear.
pub(super) const TOUCHING: Lists = 1 << 2;
/// What is dear to whoever owns a machine.
pub(super) const DEAR: Lists = 1 << 3;
/// What will have happened.
pub(super) const PASSIVE: Lists = 1 << 4;
/// Say that it is still to come.
pub(super) const COMING: Lists = 1 << 5;
/// Right behind a verb that no order begins with: only its name is spoken of.
pub(super) const NOT_DONE: Lists = 1 << 6;
/// Shortly before a verb: it is put off, reported, or somebody else's.
pub(super) const PUT_OFF: Lists = 1 << 7;
/// Stand before a question's verb without being what is asked.
pub(super) const POLITE: Lists = 1 << 8;
/// Say of what follows that it is going to happen.
pub(super) const ANNOUNCE: Lists = 1 << 9;
/// Are of no other language that we know.
pub(super) const ENGLISH: Lists = 1 << 10;
/// Say how something would be done, and not that it will be.
pub(super) const HINTS: Lists = 1 << 11;

/// Right behind a verb: it is done to nothing.
pub(super) const NOT_AT_ALL: Lists = 1 << 12;
/// Soon behind a verb: what may go without harm.
pub(super) const HARMLESS: Lists = 1 << 13;
/// Cost, where money is spoken of.
pub(super) const SPENDING: Lists = 1 << 14;
/// How much, and of what.
pub(super) const MONEY: Lists = 1 << 15;
/// Say of what follows that it may happen, unless somebody is told that he may do it.
pub(super) const PERHAPS: Lists = 1 << 16;
/// What is written to for good.
pub(super) const DISKS: Lists = 1 << 18;
/// Who may do it.
pub(super) const SOMEBODY: Lists = 1 << 17;
/// What is done where it is said to be: `the old ones are deleted`.
pub(super) const DONE: Lists = 1 << 19;
/// Say that it is done only then, or to those, or that it has been.
pub(super) const CONDITION: Lists = 1 << 20;

/// Which of these a word is in.
pub(super) static WORDS: LazyLock<Lexicon> = LazyLock::new(|| {
    let list = |name: &str| LISTS.iter().find(|(_, known)| *known == name).map_or(0, |(list, _)| *list);
    Lexicon::new(entries(PROGRAMS).map(|(name, word)| (list(name), word)))
});
/// Parts of what a program shows: right behind a verb that begins a row they are named by it.
pub(super) const PARTS: Lists = 1 << 21;

const LISTS: [(Lists, &str); 22] = [
    (VERBS, "verbs"),
    (ORDERS, "orders"),
    (TOUCHING, "touching"),
    (DEAR, "dear"),
    (PASSIVE, "passive"),
    (COMING, "coming"),
    (NOT_DONE, "not-done"),
    (NOT_AT_ALL, "not-at-all"),
    (HARMLESS, "harmless"),
    (PUT_OFF, "put-off"),
    (POLITE, "polite"),
    (ANNOUNCE, "announce"),
    (ENGLISH, "english"),
    (HINTS, "hints"),
    (SPENDING, "spending"),
    (MONEY, "money"),
    (DISKS, "disks"),
    (PERHAPS, "perhaps"),
    (SOMEBODY, "somebody"),
    (DONE, "done"),
    (CONDITION, "condition"),
    (PARTS, "parts"),
];

/// Say that there is no way back.
pub(super) static FINAL: List = List::of("program final");

/// Kept as it is: `permanently add it to the list`.
pub(super) static KEPT: List = List::of("program kept");

/// Whether any of these is in a text.
pub(super) static IS_FINAL: LazyLock<Stretches> = LazyLock::new(|| Stretches::new(FINAL.iter().copied()));

/// Verbs in two parts, with what they are done to between them: `shut the server down`.
pub(super) static SPLIT: List = List::of("program split");
