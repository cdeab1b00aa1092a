//! An answer that stands already in the line that is typed, to be taken or written over.

use std::iter;

use super::super::kind::PromptKind;
use super::{Guess, Strength, View};

/// The most words of an answer.
const WORDS: usize = 3;

/// `> jasmine`: what is offered as an answer in the line that is typed, under the question and what is said of it.
pub(super) fn under_a_question(view: View<'_>) -> Option<Guess> {
    let line = view.line.trimmed();
    let offered = line.strip_prefix("> ").or_else(|| line.strip_prefix("› "))?;
    let near: Vec<&str> = contiguous(view).take(4).collect();
    let asked = near.iter().position(|row| row.trim_end().ends_with('?'))?;
    // What was typed before stands behind the same sign.
    let free = near[..asked].iter().all(|row| !row.trim_start().starts_with(['>', '›']));
    let short = offered.split_whitespace().count() <= WORDS && !view.sight.alternate && view.line.after.is_empty();
    (free && short && !view.sight.cursor_hidden).then(|| {
        Guess::new(PromptKind::Text, "text.offered", Strength::Fair).on_screen(Some(near[asked].trim().to_owned()))
    })
}

/// The rows right above the open line, up to a blank one.
fn contiguous(view: View<'_>) -> impl Iterator<Item = &str> {
    let above = view.sight.rows.get(..view.line.top).unwrap_or_default();
    let mut rows = above.iter().rev();
    iter::from_fn(move || rows.next().map(|row| row.trim_end()).filter(|row| !row.is_empty()))
}
