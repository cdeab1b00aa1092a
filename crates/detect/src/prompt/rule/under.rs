//! A sign or a default in a row of its own, under the question: `Drop all tables? (yes/no) [no]:`, and then ` > `.

use super::super::kind::PromptKind;
use super::super::line::OpenLine;
use super::super::rule_id::Form;
use super::answer::{is_no, is_yes};
use super::any_key::names_any_key;
use super::choice::keys_of;
use super::{Guess, Strength, View, asked, forms, is_place, verbs};
use crate::lists::List;

/// How a row asks for an answer to the one above.
static ANSWER: List = List::of("under answer");

/// How many rows are looked through for the sign of an interpreter.
const NEAR: usize = 12;

/// The row right above, or the one above that, where this has no more than a remark in brackets.
fn asked_above(view: View<'_>) -> Option<&str> {
    let mut above = view.above().map(str::trim_end);
    let row = above.next()?;
    let remark = row.starts_with('(') && row.ends_with(')');
    // `Format: https://…`
    let form = forms::fits("example", row);
    let asks = |above: &&str| remark && above.ends_with('?') || form && above.ends_with([':', '?']);
    Some(above.next().filter(asks).unwrap_or(row))
}

fn is_answer(lower: &str) -> bool {
    ANSWER.contains(&lower.trim_end_matches([':', '>', ' ']))
}

/// ` > `, with one blank before it, right below a question or a list that is set in as far: so one library asks, again
/// and again, and no interpreter.
pub(super) fn set_in(view: View<'_>) -> Option<Guess> {
    if view.line.text != " > " || view.sight.alternate {
        return None;
    }
    let rows = view.sight.rows.get(..view.line.top)?;
    let near = || rows.iter().rev().map(|row| row.trim_end()).take_while(|row| !row.is_empty()).take(MOST_ITEMS);
    let items = near().take_while(|row| row.starts_with("  [")).count();
    let question = near().nth(items)?;
    if !question.starts_with(' ') || !question.ends_with([':', '?', ']']) {
        return None;
    }
    if items >= 2 {
        let item = |row: &str| {
            row.trim_start().trim_start_matches('[').split(']').next().unwrap_or_default().trim().to_owned()
        };
        let mut choices: Vec<String> = near().take(items).map(item).collect();
        choices.reverse();
        return Some(Guess::new(PromptKind::Choice, Form::Under, Strength::Likely).choices(choices).asked_in(question));
    }
    let line = asked(view, question);
    let found = super::of_line(view, &line).filter(is_asked)?;
    Some(found.seen_as(Form::Under, Strength::Likely).asked_in(question))
}

/// The most items of such a list.
const MOST_ITEMS: usize = 40;

/// Whether a guess is of something that a row asks for: a command and a key are not.
const fn is_asked(found: &Guess) -> bool {
    !matches!(found.kind, PromptKind::Command | PromptKind::Unknown)
}

/// Whether something was typed behind the same sign earlier, and not below a question each time.
fn is_of_an_interpreter(view: View<'_>) -> bool {
    let sign = format!("{} ", view.line.lower);
    let near: Vec<&str> = view.above().take(NEAR).collect();
    let typed = |at: &usize| near[*at].trim_start().starts_with(&sign);
    let asked = |at: usize| {
        near.get(at + 1).is_some_and(|row| row.trim_end().trim_end_matches('.').ends_with([':', '?', '：', '？']))
    };
    // What stands above the last row that is looked at, nobody knows.
    (0..near.len()).filter(typed).any(|at| !asked(at) && at + 1 < NEAR)
}

/// The letters of `a: accept, r: reject`, where that is all there is.
fn letters_of(row: &str) -> Vec<String> {
    let letters = forms::each("letter", row).filter(|_| forms::fits("lettered", row));
    letters.map(|it| it.part("key").to_owned()).collect()
}

/// The same for a sign that leaves no room, of a program of which the host says that it waits.
pub(super) fn close_to_its_sign(view: View<'_>) -> Option<Guess> {
    let line = OpenLine { text: format!("{} ", view.line.trimmed()), ..view.line.clone() };
    let found = a_question(View { line: &line, ..view })?;
    Some(Guess { strength: Strength::Weak, ..found })
}

/// `Enter country (C)`, and below it a colon alone.
pub(super) fn of_a_colon(view: View<'_>) -> Option<Guess> {
    let row = view.above().next()?.trim();
    if view.sight.alternate || !verbs::gives(&row.to_lowercase()) || row.ends_with(['.', ':']) {
        return None;
    }
    let line = asked(view, &format!("{row}:"));
    let found = super::of_line(view, &line).filter(is_asked)?;
    Some(found.seen_as(Form::Under, Strength::Likely).on_screen(Some(row.to_owned())))
}

/// The row right above asks, and the open line has nothing but a sign or a default.
pub(super) fn a_question(view: View<'_>) -> Option<Guess> {
    let lower = view.line.lower.as_str();
    let row = asked_above(view).filter(|_| view.line.makes_room())?;
    // `Please, press ENTER to continue`, and a sign below it.
    let lower_row = row.to_lowercase();
    if matches!(lower, ">>>" | ">>" | ">") && names_any_key(&lower_row) && lower_row.contains("to continue") {
        return Some(Guess::new(PromptKind::Unknown, Form::AnyKey, Strength::Likely).asked_in(row));
    }
    let sure = ["do you really want to ", "are you sure", "are you really sure"];
    let sure = row.ends_with('?') && sure.iter().any(|words| row.trim().to_lowercase().starts_with(words));
    // `==> [N]one [A]ll [Ab]ort`, and `==>` below it.
    let keys = lower == "==>" && keys_of(row).len() >= 2;
    if keys {
        return Some(Guess::new(PromptKind::Choice, Form::Under, Strength::Likely).asked_in(row));
    }
    // `a: accept, r: reject, s: skip`
    let letters = letters_of(row);
    let sign_alone = matches!(lower, ">" | ">>" | ">>>" | "?" | ":" | "->" | "=>");
    if letters.len() >= 2 && sign_alone && !is_of_an_interpreter(view) {
        let guess = Guess::new(PromptKind::Choice, Form::Under, Strength::Likely).choices(letters);
        return Some(guess.asked_in(row));
    }
    let gives = verbs::gives(&row.trim().to_lowercase());
    let told = gives && (row.ends_with([':', '.']) || lower == "-");
    let sign = (sure || told) && lower == ">>>"
        || matches!(lower, ">" | "›" | "->" | "-->" | "=>" | ">>" | "»" | "?" | "?:" | "@" | "-" | "❯");
    let sign = sign || is_answer(lower);
    let default = lower.strip_prefix('[').and_then(|rest| rest.trim_end_matches([':', '>', ' ']).strip_suffix(']'));
    // `Default: /srv/data`, under what is wanted.
    let default_above = row.trim().strip_prefix("Default: ").filter(|_| sign && !is_of_an_interpreter(view));
    if let Some(default) = default_above {
        let kind = if is_place(default) { PromptKind::Path } else { PromptKind::Text };
        return Some(Guess::new(kind, Form::Under, Strength::Fair).asked_in(row));
    }
    // A row without a word asks nothing.
    let asks =
        (told || row.ends_with(['?', ':', '：', '？']) || row.ends_with("?.")) && row.contains(char::is_alphanumeric);
    // `Overwrite it? (y/n)`, and the sign below it.
    let named = row.ends_with([')', ']']) && row.contains('?');
    if !asks && !named || !sign && default.is_none() || is_answer(&row.trim().to_lowercase()) {
        return None;
    }
    if let Some(default) = default {
        let yes_no = row.contains('?') && (is_yes(default) || is_no(default));
        return yes_no.then(|| Guess::new(PromptKind::YesNo, Form::Under, Strength::Likely).asked_in(row));
    }
    // An interpreter's sign stands before what was typed earlier, too; and a list is for choosing from.
    if !sure && is_of_an_interpreter(view) || view.sight.alternate {
        return None;
    }
    let line = asked(view, row);
    let found = super::of_line(view, &line).filter(is_asked)?;
    if named
        && !matches!(found.kind, PromptKind::YesNo | PromptKind::Path)
        && !found.is(PromptKind::Choice, Form::Brackets)
    {
        return None;
    }
    Some(found.seen_as(Form::Under, Strength::Likely).asked_in(row))
}
