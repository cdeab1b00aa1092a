//! Whether a text asks for something that destroys, costs, or cannot be undone.
//!
//! ```text
//!   text ─► command lines (rm -rf, push --force …): they count also in quotes
//!        ─► quotes out: what is named is not asked for
//!        ─► clauses ─► words ─► strong: counts alone          ─┐
//!                               weak: counts with what is dear ┼─► negated? taken back? ─► found
//!                               final: "cannot be undone"     ─┘
//! ```
//!
//! Pure, and linear in the text. The words lie in one file per language (`words/`); how a language negates is in
//! [`negation`]. The balance is chosen: a danger that is missed does harm by itself at a deadline, a false alarm costs
//! a person one answer. So a negation counts only where it stands right before what it negates, and doubt is danger.
//!
//! Deliberately absent: any attempt to understand. A text that hides its meaning is for `dangerous: true`.
//!
//! Also absent: a model that learned the weight of words from the other texts. It was tried, and was worse on texts
//! that it had not seen. Alone it reached the recall of the rules at a precision between 0.6 and 0.88; as a second
//! voice it paid for six points of recall with four of precision. Tried again on the recordings of programs, group
//! after group with the rules of that day, it had a precision and a recall of 0.89 where the rules had 0.93 and 0.85.

pub mod by_default;
mod clause;
mod command;
mod negation;
mod program;
mod started;
#[cfg(test)]
mod tests;
mod words;

use callboard_base::text::cut;
use clause::{clauses, without_quotes};
pub use program::{Reading, asked_by_program, leaves_unsaved};
pub use started::command_destroys;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The words that say so, as they stand in the text, in lower case.
    pub words: String,
    /// Their language, as `en`, or `nordic` and `slavic` for some that share words; `command` for a command line.
    pub language: &'static str,
}

/// The most of a text that is looked at, in bytes: more is no question.
pub const MOST: usize = 64 * 1024;

pub fn find(text: &str) -> Option<Finding> {
    let text = cut(text, MOST).to_lowercase();
    let clauses_of_commands = clauses(&text);
    if let Some(words) = clauses_of_commands.iter().find_map(|clause| command::find(clause)) {
        return Some(Finding { words, language: "command" });
    }
    let spoken = without_quotes(&text);
    clauses(&spoken).iter().find_map(|clause| words::in_languages(clause, |_| true))
}

pub fn find_in(texts: &[&str]) -> Option<Finding> {
    texts.iter().find_map(|text| find(text))
}
