//! Programs that took the screen and tell at its edge which keys they know: browsers of files, readers of mail.

use super::super::kind::PromptKind;
use super::super::rule_id::Form;
use super::{Guess, Strength, View, forms};
use crate::lists::List;

/// The fewest keys that make a bar of them.
const FEWEST: usize = 3;
/// How the same is told in words.
static TOLD: List = List::of("keys told");
/// What shows how a machine does goes on by itself.
static WATCHES: List = List::of("keys watches");

/// The screen is full, and a bar of keys stands at its edge.
pub(super) fn at_the_edge(view: View<'_>) -> Option<Guess> {
    if !view.sight.alternate {
        return None;
    }
    let drawn: Vec<&str> = view.rows().collect();
    let rows: Vec<String> = drawn.iter().map(|row| row.to_lowercase()).collect();
    let edges = rows.iter().take(2).chain(rows.iter().rev().take(3));
    let bar = edges.into_iter().any(|row| {
        let keys = row.split_whitespace().filter(|word| forms::fits("key", word)).count();
        keys >= FEWEST
            || forms::each("bracketed", row).count() >= FEWEST
            || TOLD.iter().any(|words| row.contains(words))
    });
    let picks = |row: &String| forms::fits("arrows", row) && row.contains("select");
    let browses = |row: &String| forms::each("bracketed", row).count() > FEWEST;
    if rows.iter().rev().take(3).any(|row| picks(row) && !browses(row)) {
        return Some(Guess::new(PromptKind::Choice, Form::FullScreen, Strength::Weak).on_screen(None));
    }
    let paired = drawn.iter().rev().take(3).any(|row| forms::each("pair", row).count() >= FEWEST);
    let bar = bar || paired;
    (rows.len() >= FEWEST && bar && !watches(view))
        .then(|| Guess::new(PromptKind::Command, Form::Keys, Strength::Fair).on_screen(None))
}

/// Whether the screen shows how a machine does, and goes on by itself.
pub(in crate::prompt) fn watches(view: View<'_>) -> bool {
    view.rows().any(|row| {
        let row = row.trim_start();
        let begins = |word: &&str| row.get(..word.len()).is_some_and(|head| head.eq_ignore_ascii_case(word));
        WATCHES.iter().any(begins)
    })
}
