//! Programs that took the screen and tell at its edge which keys they know: browsers of files, readers of mail.

use super::super::kind::PromptKind;
use super::super::rule_id::Form;
use super::{Guess, Strength, View};
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
        let keys = row.split_whitespace().filter(|word| names_key(word)).count();
        keys >= FEWEST || in_brackets(row) >= FEWEST || TOLD.iter().any(|words| row.contains(words))
    });
    let arrows =
        |row: &str| ["arrow keys", "arrowed keys", "up/down", "↑/↓", "↑↓"].iter().any(|words| row.contains(words));
    let picks = |row: &String| arrows(row) && row.contains("select");
    let browses = |row: &String| in_brackets(row) > FEWEST;
    if rows.iter().rev().take(3).any(|row| picks(row) && !browses(row)) {
        return Some(Guess::new(PromptKind::Choice, Form::FullScreen, Strength::Weak).on_screen(None));
    }
    let paired = drawn.iter().rev().take(3).any(|row| pairs(row) >= FEWEST);
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

/// `? Help  E Exit  N Next`: one sign, and what it does.
fn pairs(row: &str) -> usize {
    let words: Vec<&str> = row.split_whitespace().collect();
    let key = |word: &str| word.chars().count() == 1 && word.chars().all(|c| c.is_alphabetic() || c == '?');
    let does = |word: &str| word.len() > 2 && word.starts_with(char::is_uppercase);
    words.windows(2).filter(|pair| key(pair[0]) && does(pair[1])).count()
}

/// `[tab] view | [n] new`, `<c-a: toggle focus>  <q: quit>`: a key in brackets, and what it does behind it.
fn in_brackets(row: &str) -> usize {
    let words: Vec<&str> = row.split_whitespace().filter(|word| *word != "|").collect();
    let key = |word: &str| {
        let square = word.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
        let named = square.or_else(|| word.strip_prefix('<').and_then(|rest| rest.strip_suffix([':', '>'])));
        named.is_some_and(|key| (1..=9).contains(&key.chars().count()))
    };
    let does = |word: &str| word.chars().take(3).filter(|c| c.is_alphabetic()).count() == 3;
    words.windows(2).filter(|pair| key(pair[0]) && does(pair[1])).count()
}

/// `^x`, `f10`, `1help`, `q)uit`, `q:quit`, `[q]uit`.
fn names_key(word: &str) -> bool {
    let letters = word.as_bytes();
    let digits = letters.iter().take_while(|b| b.is_ascii_digit()).count();
    let function = word.strip_prefix('f').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    let numbered = (1..=2).contains(&digits) && letters.len() >= digits + 3 && letters[digits].is_ascii_lowercase();
    let control = letters.first() == Some(&b'^') && (2..=3).contains(&letters.len());
    let within = matches!(letters, [_, b')' | b':', next, ..] | [b'[' | b'<', _, b']' | b'>', next, ..]
        if next.is_ascii_lowercase());
    function || numbered || control || within
}
