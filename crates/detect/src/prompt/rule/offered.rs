//! An answer that stands already in the line that is typed, to be taken or written over.

use std::iter;

use super::super::rule_id::Form;
use super::layout::Answers;
use super::{Guess, Strength, View};

/// The most words of an answer.
const WORDS: usize = 3;

/// `> jasmine`: what is offered as an answer in the line that is typed, under the question and what is said of it.
pub(super) fn under_a_question(view: View<'_>) -> Option<Guess> {
    let line = view.line.trimmed();
    let Some(offered) = line.strip_prefix("> ").or_else(|| line.strip_prefix("› ")) else { return set_in(view) };
    let near: Vec<&str> = contiguous(view).take(4).collect();
    let near = if near.is_empty() { explained(view)? } else { near };
    let asked = near.iter().position(|row| row.trim_end().ends_with('?'))?;
    // What was typed before stands behind the same sign.
    let free = near[..asked].iter().all(|row| !row.trim_start().starts_with(['>', '›']));
    let short = offered.split_whitespace().count() <= WORDS && !view.sight.alternate && view.line.after.is_empty();
    (free && short && !view.sight.cursor_hidden)
        .then(|| Guess::of(Answers::Line(near[asked]), Form::Offered, Strength::Fair).asked_in(near[asked]))
}

/// `   jasmine`, in a row of its own, set in right below the question.
fn set_in(view: View<'_>) -> Option<Guess> {
    let question = contiguous(view).next().filter(|row| row.ends_with('?') && !row.starts_with(' '))?;
    let text = view.line.text.as_str();
    let own = text.starts_with("  ") && text.split_whitespace().count() == 1 && !text.ends_with(' ');
    let alone = own && !view.sight.alternate && !view.sight.cursor_hidden && view.line.after.is_empty();
    alone.then(|| Guess::of(Answers::Line(question), Form::Prefilled, Strength::Weak).asked_in(question))
}

/// The rows right above the open line, up to a blank one.
fn contiguous(view: View<'_>) -> impl Iterator<Item = &str> {
    let above = view.sight.rows.get(..view.line.top).unwrap_or_default();
    let mut rows = above.iter().rev();
    iter::from_fn(move || rows.next().map(|row| row.trim_end()).filter(|row| !row.is_empty()))
}

/// The rows up to a question that is marked as one, where what is said of it stands set in between blank rows.
fn explained(view: View<'_>) -> Option<Vec<&str>> {
    let above: Vec<&str> = view.above().take(EXPLAINED).collect();
    let asked = above.iter().position(|row| row.starts_with("? ") && row.ends_with('?'))?;
    let said = &above[..asked];
    (!said.is_empty() && said.iter().all(|row| row.starts_with("    "))).then(|| above[..=asked].to_vec())
}

/// The most rows of what is said of a question.
const EXPLAINED: usize = 8;
