//! Keys that a library of prompts tells in the last row (`←/→ toggle • enter submit`), under answers or a line.

use super::super::frame;
use super::super::kind::PromptKind;
use super::super::rule_id::Form;
use super::answer::{first_word, is_yes};
use super::layout::Answers;
use super::{Guess, Strength, View, action, forms};

/// The most words of one answer, and the most answers.
const WORDS: usize = 3;
const ANSWERS: usize = 5;
/// How many rows of a question are read.
const QUESTION: usize = 6;

/// The last row tells the keys, and the one above has the answers, or the line that is typed. Where the answers are a
/// yes and a no, nobody has to be told.
pub(super) fn keys(view: View<'_>) -> Option<Guess> {
    let last = view.rows().next_back()?;
    if view.sight.alternate {
        return None;
    }
    let hint = last.trim().to_lowercase();
    let rows: Vec<&str> = view.rows().map(plain).filter(|row| !row.is_empty()).collect();
    if forms::fits("enters", &hint) {
        let (_, rows) = rows.split_last()?;
        return typed(view, &hint).or_else(|| beside_each_other(rows, &hint));
    }
    let spread = plain(last).contains("   ") && !hint.ends_with(['?', ':']);
    beside_each_other(&rows, "").filter(|guess| {
        let told = guess.choices.iter().all(|choice| choice.contains(' '));
        let asks = told || guess.question.as_ref().is_some_and(|question| question.contains('?'));
        spread && asks && guess.kind == PromptKind::YesNo
    })
}

fn plain(row: &str) -> &str {
    row.trim().trim_start_matches(frame::ONE_SIDED).trim()
}

/// `> Ada`, with the cursor in it: a line to type in, or to filter what stands below it.
fn typed(view: View<'_>, hint: &str) -> Option<Guess> {
    let line = plain(view.line.trimmed());
    let sign = line.starts_with("> ") || line.starts_with("❯ ") || matches!(line, ">" | "❯");
    if !sign || view.sight.cursor_hidden || view.sight.cursor_row + 1 >= view.sight.rows.len() {
        return None;
    }
    let filters = ["navigate", "up", "select", "↑"].iter().any(|word| hint.contains(word));
    let above = || view.above().next().map(plain).filter(|row| !row.is_empty()).map(str::to_owned);
    let answers = if filters { Answers::Listed } else { Answers::Line("") };
    Some(Guess::of(answers, Form::Hinted, Strength::Likely).on_screen(above()))
}

/// `Yes     No`, with the question above it.
fn beside_each_other(rows: &[&str], hint: &str) -> Option<Guess> {
    let (row, above) = rows.split_last()?;
    let answers: Vec<&str> = row.split("  ").map(str::trim).filter(|word| !word.is_empty()).collect();
    let short = |answer: &&str| {
        answer.split_whitespace().count() <= WORDS
            && answer.chars().all(|c| c.is_alphanumeric() || matches!(c, ' ' | '\'' | '’' | ',' | '[' | ']' | '!'))
    };
    if !(2..=ANSWERS).contains(&answers.len()) || !answers.iter().all(short) {
        return None;
    }
    let question = question(above)?;
    let named = answers.iter().map(|answer| (*answer).to_owned()).collect();
    let guess = Guess::of(Answers::Named(named), Form::Buttons, Strength::Likely).on_screen(Some(question));
    let leaves = || answers.iter().any(|answer| matches!(first_word(answer), "Cancel" | "cancel" | "Abort" | "abort"));
    let agrees = || answers.iter().any(|answer| is_yes(first_word(answer)));
    let yes_no = answers.len() == 2 && (agrees() && leaves() || hint.contains("toggle"));
    Some(if yes_no { Guess { kind: PromptKind::YesNo, ..guess } } else { guess })
}

/// The row right above, and those before it up to the one that asks.
fn question(above: &[&str]) -> Option<String> {
    let near = &above[above.len().saturating_sub(QUESTION)..];
    let asks = |row: &&str| row.ends_with('?') || action::asks(&row.to_lowercase());
    let from = near.iter().rposition(asks).or_else(|| near.len().checked_sub(1))?;
    Some(near[from..].join(" "))
}
