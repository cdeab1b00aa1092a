//! A coding agent at work: it draws its input box all the time, and reads keys, but waits for nobody.
//!
//! What tells is a status row that moves, which names the key that interrupts: `• Working (12s • esc to interrupt)`.
//!
//! That is a veto, whatever the host says. What the agent asks in a dialog is asked all the same.

use super::rule::{Guess, Strength, View, has_sign, is_dialog};
use super::rule_id::Form;
use super::veto::SPINNERS;
use crate::lists::List;

/// Other signs that turn at the beginning of such a row.
const SIGNS: [char; 11] = ['·', '✢', '✳', '✶', '✻', '✽', '*', '∗', '•', '◦', '✦'];
/// Keys that interrupt, and what is said of them.
static KEYS: List = List::of("at-work keys");
static INTERRUPTS: List = List::of("at-work interrupts");
/// Within how many rows at the end of a screen a status row stands, blank ones left out.
const NEAR: usize = 16;
/// How many rows of these may be a footer, which does not move.
const FOOTER: usize = 3;

/// Whether the program works, whatever the guess says of its input box.
pub(super) fn is_at_work(view: View<'_>, guess: &Guess) -> bool {
    let boxed = guess.form == Form::InputBox;
    let may_be_a_box = boxed || guess.is_menu || guess.strength == Strength::Weak || has_sign(view.line.trimmed());
    may_be_a_box
        && !is_dialog(guess)
        && view.rows().rev().take(NEAR).enumerate().any(|(place, row)| works(row, place < FOOTER, boxed))
}

/// Whether a row says so. Above an input box also one that names no key, while somebody types: `✢ Thinking…`.
fn works(row: &str, footer: bool, above_a_box: bool) -> bool {
    let lower = row.trim_matches(['│', '┃', ' ']).to_lowercase();
    let rest = lower.strip_prefix(SPINNERS).or_else(|| lower.strip_prefix(SIGNS));
    let turns = rest.is_some_and(|rest| rest.starts_with(' '));
    let parts = || lower.split(['(', ')', '·', '•', ',', '|']).flat_map(|part| part.split("  ")).map(str::trim);
    let moves = turns || parts().any(counts_seconds);
    let trails_off = parts().any(|part| part.ends_with('…') || part.ends_with("..."));
    parts().any(|part| {
        names_key(part, "interrupt") && footer || moves && INTERRUPTS.iter().any(|what| names_key(part, what))
    }) || turns && above_a_box && trails_off
}

/// `esc to interrupt`, `esc again to interrupt`, `esc interrupt`.
fn names_key(part: &str, what: &str) -> bool {
    part.strip_suffix(what).is_some_and(|key| {
        let mut words = key.split_whitespace();
        words.any(|word| KEYS.contains(&word)) && words.all(|word| matches!(word, "to" | "again"))
    })
}

/// `12s`, `1m 05s`
fn counts_seconds(part: &str) -> bool {
    let seconds = part.rsplit(' ').next().and_then(|last| last.strip_suffix('s')).unwrap_or_default();
    !seconds.is_empty() && seconds.bytes().all(|b| b.is_ascii_digit())
}
