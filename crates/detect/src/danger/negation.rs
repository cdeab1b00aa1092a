//! Negations: a dangerous word that is forbidden or taken back is not a danger.
//!
//! Tight on purpose. `files that are not used` does not say what becomes of them, so a `not` counts only where at most
//! an adverb stands before the word; and a question put by a negation (`why not delete it?`) forbids nothing.

use crate::lists::List;

/// Right before the word: it is not to be done.
static NOT: List = List::of("negation not");

/// Stand between a negation and its word without changing it.
static BETWEEN: List = List::of("negation between");

/// The word is undone by the one before it, with at most two small words between.
static BACK: List = List::of("negation back");

static SMALL: List = List::of("negation small");

static ASKING: List = List::of("negation asking");

/// Words that turn a negation around: `don't hesitate to delete`.
static URGE: List = List::of("negation urge");

/// Whether what stands before a word forbids it or takes it back.
pub(super) fn forbids(before: &[&str]) -> bool {
    is_negated(before) || is_taken_back(before)
}

fn is_negated(before: &[&str]) -> bool {
    let mut place = before.len();
    for _ in 0..2 {
        let Some(word) = place.checked_sub(1).and_then(|at| before.get(at)) else { return false };
        let contracted = word.ends_with("n't") || word.ends_with("n’t");
        if NOT.contains(word) || contracted {
            let earlier = &before[..place - 1];
            let asks =
                ASKING.contains(word) || contracted && ASKING.iter().any(|asking| same_contraction(asking, word));
            let only_asks =
                asks && earlier.is_empty() || earlier.iter().rev().take(3).any(|earlier| ASKING.contains(earlier));
            return !only_asks;
        }
        if !BETWEEN.contains(word) || URGE.contains(word) {
            return false;
        }
        place -= 1;
    }
    // `ohne die Daten zu löschen`, `zonder iets te wissen`: the verb comes last.
    false
}

/// Whether this clause says `without … to` before a verb at its end: German, Dutch.
pub(super) fn without_to(before: &[&str]) -> bool {
    matches!(before.last(), Some(&"zu" | &"te")) && before.iter().any(|word| matches!(*word, "ohne" | "zonder"))
}

/// Whether this clause says `no … word`: `keine Daten löschen`, `do not touch, delete no rows`, `0 à supprimer`.
pub(super) fn none_of(before: &[&str]) -> bool {
    before
        .iter()
        .rev()
        .take(2)
        .any(|word| matches!(*word, "keine" | "keinen" | "kein" | "keinerlei" | "geen" | "никаких"))
        || is_nought(before, 3)
}

/// Whether one of the last words counts to nought: `0 files will be`, `and 0 to`. In `disk 0 will be` it is a name.
pub(super) fn is_nought(before: &[&str], last: usize) -> bool {
    static JOIN: List = List::of("negation join");
    let mut noughts = (0..before.len()).rev().take(last).filter(|at| before[*at] == "0");
    noughts.any(|at| at.checked_sub(1).is_none_or(|before_it| JOIN.contains(&before[before_it])))
}

/// `для удаления отмечено 0 пакетов`, `à supprimer : 0`: the number comes behind the word.
pub(super) fn is_counted_to_nought(after: &[&str]) -> bool {
    after.iter().take(3).any(|word| *word == "0") && !after.iter().any(|word| matches!(*word, "1" | "2"))
}

/// French puts it around the verb: `ne supprime pas`, `n'efface rien`.
pub(super) fn around(before: &[&str], after: &[&str]) -> bool {
    let ne = before.last().is_some_and(|word| matches!(*word, "ne" | "n"));
    ne && after.first().is_some_and(|word| matches!(*word, "pas" | "jamais" | "rien" | "plus" | "aucun" | "aucune"))
}

fn is_taken_back(before: &[&str]) -> bool {
    let mut words = before.iter().rev();
    for _ in 0..4 {
        match words.next() {
            Some(word) if BACK.contains(word) => return true,
            Some(word) if SMALL.contains(word) => {}
            Some(_) | None => return false,
        }
    }
    false
}

fn same_contraction(asking: &str, word: &str) -> bool {
    asking.replace('\'', "’") == word
}
