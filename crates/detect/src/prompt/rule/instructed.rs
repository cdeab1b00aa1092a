//! What a row tells its user to do, without a question mark or a colon: `Enter the number of players`, `type y and hit
//! return.`. Too much else reads like this for the words alone; a host that says that somebody waits makes it certain.

use super::super::kind::PromptKind;
use super::super::line::{is_answered, last_bytes, last_clause, words};
use super::super::rule_id::Form;
use super::answer::answers_yes;
use super::choice::is_value;
use super::listed::listed;
use super::path::names_path;
use super::verbs::{gives, gives_anywhere, is_to_give, picks};
use super::{Guess, Strength, View, names_secret};

/// The most words of what is told.
const WORDS: usize = 40;
/// How many rows above are looked through.
const NEAR: usize = 3;

/// What the open line tells, or the rows right above a fresh one.
pub(in crate::prompt) fn tells(view: View<'_>) -> Option<Guess> {
    if view.sight.alternate {
        return None;
    }
    // Nothing but a sign says nothing.
    if view.line.lower.contains(char::is_alphanumeric) {
        return read(view, view.line.trimmed());
    }
    if let Some(guess) = alternatives(view) {
        return Some(guess);
    }
    let listed = || (listed(view).len() >= 2).then(|| guess_of(PromptKind::Choice, Form::Told));
    let rows = view.sight.rows.get(..view.line.top)?;
    // What was asked before the last answer, and before a shell was given a command, is asked no more.
    let rows = &rows[rows.iter().rposition(|row| is_answered(row)).map_or(0, |at| at + 1)..];
    let ends = (0..rows.len()).rev().filter(|at| !rows[*at].trim().is_empty());
    // `Enter its path, or 'q' to quit` says something else first.
    let first = |row: &str| row.split(" or ").next().is_some_and(|first| gives(first) && !literal(first));
    let own = |row: &str| is_of_an_interpreter(row) && row.split_whitespace().any(is_quoted) && !first(row);
    let ends = ends.filter(|at| !own(&rows[*at].to_lowercase()));
    let mut told = ends.take(NEAR).filter_map(|end| read(view, rows[end].trim()));
    // The rows below what was told are what was typed so far.
    told.next().or_else(listed)
}

const fn guess_of(kind: PromptKind, form: Form) -> Guess {
    Guess::new(kind, form, Strength::Weak)
}

/// `Type 'add' to add one.`, and in the row before it `Type 'show' to see them.`: each answer in a row of its own; or
/// `Type 'a', 'r', or 's'.`.
pub(super) fn alternatives(view: View<'_>) -> Option<Guess> {
    let mut above = view.above().map(str::to_lowercase);
    let last = above.next()?;
    let quoted = last.split_whitespace().filter(|word| is_quoted(word)).count();
    if is_of_an_interpreter(&last) && view.above().nth(1).is_some_and(|row| is_of_an_interpreter(&row.to_lowercase())) {
        return None;
    }
    let each = literal(&last) && above.next().is_some_and(|row| literal(&row));
    let several = literal(&last) && quoted >= 2 && !answers_yes(&last);
    (each || several).then(|| guess_of(PromptKind::Choice, Form::Told))
}

/// `Type 'bye' to exit`: an interpreter says how it is left.
fn is_of_an_interpreter(row: &str) -> bool {
    ["help", "quit", "exit", "bye", "copyright", "licen"].iter().any(|word| row.contains(word))
}

/// Whether a row, in lower case, tells to type a word to the letter, or a number.
fn literal(row: &str) -> bool {
    let mut words = row.split(|c: char| c.is_whitespace() || c == '>').filter(|word| !word.is_empty());
    let verb = words.any(|word| {
        let word = word.trim_start_matches(['-', '*', '=']);
        matches!(word, "press" | "hit") || is_to_give(word)
    });
    verb && words
        .next()
        .is_some_and(|word| is_quoted(word) || word.len() <= 2 && word.bytes().all(|b| b.is_ascii_digit()))
}

fn is_quoted(word: &str) -> bool {
    let quotes = ['\'', '"', '`', '‘', '“', '«'];
    word.starts_with(quotes) && (2..=16).contains(&word.chars().count())
}

fn read(view: View<'_>, told: &str) -> Option<Guess> {
    let guess = |kind, form| Some(guess_of(kind, form).asked_in(told));
    let lower = last_bytes(told, 512).to_lowercase().replace("e.g. ", "e.g., ");
    let clause = last_clause(&lower);
    let letters = ["letter", "number"].iter().any(|word| clause.contains(word));
    if answers_yes(&lower) && !letters {
        return guess(PromptKind::YesNo, Form::Told);
    }
    // `Specify a date. Format: DD/MM/YYYY`
    let clause = match lower.rsplit_once(". ") {
        Some((first, rest)) if rest.contains(':') && !gives(clause) => last_clause(first),
        Some(_) | None => clause,
    };
    if words(clause).count() > WORDS {
        return None;
    }
    let (picks, gives) = (picks(clause), gives_anywhere(clause));
    let listed = listed(view).len() >= 2;
    match () {
        () if picks && names_secret(clause) && !listed => guess(PromptKind::Password, Form::Told),
        () if picks && is_value(clause) && !listed => guess(PromptKind::Text, Form::Told),
        () if picks || letters && answers_yes(&lower) || gives && listed && !names_path(clause) => {
            guess(PromptKind::Choice, Form::Told)
        }
        () if !gives => None,
        () if names_secret(clause) => guess(PromptKind::Password, Form::Told),
        () => guess(PromptKind::Text, Form::Told),
    }
}
