//! Which of the rows above a question belong to it.
//!
//! What an agent's own menu would run is what it asks: `Do you want to proceed?` above `1. Yes` is as dangerous as the
//! command between it and the edge of its frame, and no more. What the agent said before stands beyond that edge.

use super::super::frame;
use super::super::kind::PromptKind;
use super::super::line::{is_answered, last_bytes};
use super::super::rule::{Guess, View};
use super::super::rule_id::Form;
use crate::lists::List;

/// How many rows above a question belong to it.
const CONTEXT: usize = 14;

/// The rows above the question, to the last one that looks answered.
pub(super) fn since_answered(view: View<'_>, guess: &Guess) -> String {
    if guess.is_menu && guess.form.is_drawn() {
        return above_drawn(view, guess).unwrap_or_default();
    }
    let above: Vec<&str> = view.above().take(CONTEXT).collect();
    unanswered(&above)
}

/// What is drawn has its question with it, unless it is no more than a leave to give under what was printed before: by
/// a yes and a no, or in a list as agents draw it under the command that they would run.
fn above_drawn(view: View<'_>, guess: &Guess) -> Option<String> {
    let leave = guess.kind == PromptKind::YesNo || guess.choices.iter().any(|choice| gives_leave(choice));
    let full = view.sight.alternate && !guess.is(PromptKind::Choice, Form::Menu);
    let printed = leave && guess.form != Form::Dialog && !full;
    let asked: String = guess.question.as_ref().filter(|_| printed)?.trim().chars().take(ENOUGH).collect();
    let rows = &view.sight.rows;
    let at = rows.iter().rposition(|row| row.contains(&asked)).filter(|_| !asked.is_empty())?;
    let above = rows[..at].iter().rev().map(|row| frame::between_sides(row)).filter(|row| !row.is_empty());
    let near = above.take(CONTEXT).take_while(|row| !frame::is_edge(row));
    // `$ git push`: the command that leave is asked for, and none that was typed.
    Some(unanswered(&near.map(|row| row.strip_prefix("$ ").unwrap_or(row)).collect::<Vec<_>>()))
}

/// `Yes`, `1. Yes, proceed (y)`, `Allow once`: whether an answer lets something be done.
pub(super) fn gives_leave(choice: &str) -> bool {
    let said = choice.trim_start_matches(|c: char| !c.is_alphabetic()).to_lowercase();
    let first = said.split(|c: char| !c.is_alphabetic()).next().unwrap_or_default();
    matches!(first, "y" | "yes" | "allow" | "approve" | "accept" | "run" | "proceed")
}

/// What stands above a list that has an item which begins with such a word: `1) Yes`, `2) No`.
pub(super) fn over_a_list(view: View<'_>, is_it: impl Fn(&str) -> bool) -> Option<String> {
    let rows: Vec<&str> = view.above().take(CONTEXT).collect();
    let listed = rows.iter().take_while(|row| answer(row).is_some()).count();
    let has = rows[..listed].iter().filter_map(|row| answer(row)).any(|said| is_it(&said));
    has.then(|| unanswered(&rows[listed..]))
}

/// Whether a list stands above of which every item does it, but for those that leave: `1 - Kill it`, `0 - Abort`.
pub(super) fn all_take(view: View<'_>, takes: impl Fn(&str) -> bool) -> bool {
    static LEAVE: List = List::of("above leave");
    let rows: Vec<&str> = view.above().take(CONTEXT).collect();
    let items: Vec<String> = rows.iter().map_while(|row| answer(row)).collect();
    let does: Vec<&String> = items.iter().filter(|item| !LEAVE.contains(&item.as_str())).collect();
    items.len() >= 2 && !does.is_empty() && does.iter().all(|item| takes(item))
}

/// Whether a row above announces something of this sort with what stands below it: `Would remove the following items:`.
pub(super) fn would(view: View<'_>, destroys: impl Fn(&str) -> bool) -> bool {
    let near = view.above().take(MENU).take_while(|row| !is_answered(row)).map(str::to_lowercase);
    let mut would = near.filter(|row| row.starts_with("would ") && row.ends_with(':'));
    would.any(|row| destroys(row.trim_start_matches("would ")))
}

/// How many rows a menu with what it is about may have.
const MENU: usize = 40;

/// The first word of an item of a list, in lower case.
fn answer(row: &str) -> Option<String> {
    let (label, said) = row.trim().split_once([')', '.', ']', ':', '-'])?;
    let label = label.trim_start_matches(['(', '[']).trim_end();
    let first = said.split(|c: char| !c.is_alphanumeric()).find(|word| !word.is_empty())?;
    (label.len() == 1 && label.bytes().all(|b| b.is_ascii_alphanumeric())).then(|| first.to_lowercase())
}

/// So many letters of a question tell its row from others.
const ENOUGH: usize = 24;

/// These rows, the nearest first, as a text, to the first that looks answered.
fn unanswered(above: &[&str]) -> String {
    let near = above.iter().take_while(|row| !is_answered(row));
    let mut rows: Vec<&str> = near.map(|row| last_bytes(row, 512).trim()).collect();
    rows.reverse();
    joined(&rows)
}

/// The rows as lines, where a sentence that was too long for its row is one, and so is each item of a list with the
/// row that announces it: `This will:`, `- discard all changes`.
fn joined(rows: &[&str]) -> String {
    let mut text = String::new();
    let mut last = "";
    let mut announced = "";
    for row in rows {
        let ended = last.ends_with(['.', ':', ';', '!', '?']);
        let goes_on = last.chars().count() >= LONG && !ended && row.starts_with(char::is_lowercase);
        let item = row.trim_start_matches(|c: char| !c.is_alphabetic());
        let listed = item.len() < row.len() && !item.is_empty();
        if !listed {
            announced = announcement(row).unwrap_or_default();
        }
        if !text.is_empty() {
            text.push(if goes_on { ' ' } else { '\n' });
        }
        if listed && !announced.is_empty() {
            text.push_str(announced);
            text.push(' ');
            text.push_str(item);
        } else {
            text.push_str(row);
        }
        last = row;
    }
    text
}

/// `This will:`: how each item of what stands below begins.
fn announcement(row: &str) -> Option<&'static str> {
    let lower = row.to_lowercase();
    let lower = lower.trim_end_matches([' ', ':']);
    let ends = |words: &[&str]| row.ends_with(':') && words.iter().any(|word| lower.ends_with(word));
    if ends(&[" will", " would", "will also", "going to"]) {
        return Some("this will");
    }
    ends(&["will be", "would be"]).then_some("this will be")
}

/// The fewest letters of a row that a sentence goes on from.
const LONG: usize = 40;
