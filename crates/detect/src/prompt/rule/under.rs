//! The question stands above the open line, which has no more than a sign (`Drop all tables? (yes/no) [no]:`, and then
//! ` > `), a default in brackets, an answer that is offered, or nothing.

use super::super::kind::PromptKind;
use super::super::line::OpenLine;
use super::super::rule_id::Form;
use super::answer::{is_no, is_yes};
use super::any_key::names_any_key;
use super::choice::keys_of;
use super::layout::Answers;
use super::listed::labels_of;
use super::{Guess, Strength, View, asked, forms, is_place, verbs};
use crate::lists::List;

/// How a row asks for an answer to the one above.
static ANSWER: List = List::of("under answer");

/// How many rows are looked through for the sign of an interpreter, for a list, and for a question above an answer.
const NEAR: usize = 12;
const MOST_ITEMS: usize = 40;
const SAID: usize = 4;
/// The most words of an answer that is offered.
const WORDS: usize = 3;

/// The items of a list right above, and the row that asks: the next one, or the one above it where that has no more
/// than a remark in brackets or an example.
fn asked_above(view: View<'_>) -> Option<(Vec<String>, &str)> {
    let near = || contiguous(view).take(MOST_ITEMS);
    let mut items: Vec<String> = near().map_while(|row| labels_of(row).into_iter().next()).collect();
    let headed = items.len() >= 2 && near().nth(items.len()).is_some_and(|row| row.ends_with([':', '?', ']']));
    items.truncate(if headed { items.len() } else { 0 });
    items.reverse();
    let mut above = view.above().skip(items.len());
    let row = above.next()?;
    let remark = row.starts_with('(') && row.ends_with(')');
    let form = forms::fits("example", row);
    let asks = |above: &&str| remark && above.ends_with('?') || form && above.ends_with([':', '?']);
    let row = above.next().filter(asks).unwrap_or(row);
    Some((items, row))
}

/// The rows right above the open line, up to a blank one.
fn contiguous(view: View<'_>) -> impl Iterator<Item = &str> {
    let above = view.sight.rows.get(..view.line.top).unwrap_or_default();
    above.iter().rev().map(|row| row.trim_end()).take_while(|row| !row.is_empty())
}

fn is_answer(lower: &str) -> bool {
    ANSWER.contains(&lower.trim_end_matches([':', '>', ' ']))
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

/// The row right above asks, and the open line has nothing but a sign or a default.
pub(super) fn a_question(view: View<'_>) -> Option<Guess> {
    if view.line.is_blank() || !view.line.makes_room() { None } else { question(view) }
}

/// The same for a sign that leaves no room, of a program of which the host says that it waits.
pub(super) fn close_to_its_sign(view: View<'_>) -> Option<Guess> {
    let line = OpenLine { text: format!("{} ", view.line.trimmed()), ..view.line.clone() };
    let found = a_question(View { line: &line, ..view })?;
    Some(Guess { strength: Strength::Weak, ..found })
}

/// What the row above a sign asks, or above a fresh line of a program that reads.
pub(super) fn question(view: View<'_>) -> Option<Guess> {
    let lower = view.line.lower.as_str();
    let guess = |kind| Guess::new(kind, Form::Under, Strength::Likely);
    let (items, row) = asked_above(view)?;
    // `Remove them? [return`, and ` = YES | Esc = NO]` in the next row.
    let open = lower.is_empty() && row.ends_with([']', ')']) && !row.contains(['[', '(']);
    let whole = view.above().nth(1).filter(|_| open).map(|before| format!("{} {}", before.trim(), row.trim()));
    // A shell whose `echo` does not know `\c` prints it.
    let row = whole.as_deref().unwrap_or(row).trim().trim_end_matches("\\c").trim_end();
    let lower_row = row.to_lowercase();
    let sign = lower.is_empty() || forms::fits("sign-alone", lower) || is_answer(lower);
    let default = lower.strip_prefix('[').and_then(|rest| rest.trim_end_matches([':', '>', ' ']).strip_suffix(']'));
    if !sign && default.is_none() || is_answer(&lower_row) {
        return None;
    }
    // `Please, press ENTER to continue`, and a sign below it.
    if lower.starts_with('>') && names_any_key(&lower_row) && lower_row.contains("to continue") {
        return Some(Guess::new(PromptKind::Unknown, Form::AnyKey, Strength::Likely).asked_in(row));
    }
    let sure = row.ends_with('?') && forms::fits("really", &lower_row);
    // An interpreter's sign stands before what was typed earlier, too; and a list is for choosing from.
    let typed = !lower.is_empty() && (!sure && is_of_an_interpreter(view) || view.sight.alternate);
    // `==> [N]one [A]ll [Ab]ort`, and `==>` below it; `a: accept, r: reject, s: skip`.
    let letters = forms::each("letter", row).filter(|_| forms::fits("lettered", row));
    let letters: Vec<String> = letters.map(|it| it.part("key").to_owned()).collect();
    let options = if lower == "==>" {
        keys_of(row)
    } else if items.is_empty() {
        letters
    } else {
        items
    };
    if options.len() >= 2 && !lower.is_empty() && sign && (!typed || lower == "==>") {
        return Some(guess(PromptKind::Choice).choices(options).asked_in(row));
    }
    // `Default: /srv/data`, under what is wanted.
    if let Some(default) = row.strip_prefix("Default: ").filter(|_| sign && !typed) {
        let kind = if is_place(default) { PromptKind::Path } else { PromptKind::Text };
        return Some(Guess { strength: Strength::Fair, ..guess(kind) }.asked_in(row));
    }
    let gives = verbs::gives(&lower_row);
    let told = row.ends_with('.');
    let asks = row.ends_with(['?', ':', '：', '？']) || row.ends_with("?.") || gives && (told || lower == "-");
    let asks = match lower {
        // `Enter country (C)`, and below it a colon alone.
        ":" => gives && !row.ends_with(['.', ':']),
        ">>>" => sure || gives && asks,
        "==>" => false,
        _ => asks,
    };
    // `Overwrite it? (y/n)`, and the sign below it; what ends otherwise asks only where it names its answers.
    let named = lower != ":" && (row.ends_with([')', ']']) && row.contains('?'))
        || lower.is_empty() && row.ends_with([')', ']', '\'', '"', '.'])
        || lower.is_empty() && row.contains('?') && keys_of(row).len() >= 2;
    // A row without a word asks nothing.
    if !asks && !named || !row.contains(char::is_alphanumeric) {
        return None;
    }
    if let Some(default) = default {
        let yes_no = row.contains('?') && (is_yes(default) || is_no(default));
        return yes_no.then(|| guess(PromptKind::YesNo).asked_in(row));
    }
    of_row(view, row, asks).filter(|_| !typed)
}

/// What the row asks for, which may have to name its answers, or a word to type.
fn of_row(view: View<'_>, row: &str, asks: bool) -> Option<Guess> {
    let lower = view.line.lower.as_str();
    let text = row.strip_suffix('.').filter(|_| lower.is_empty()).unwrap_or(row);
    let line = asked(view, &format!("{text}{}", if lower == ":" { ":" } else { "" }));
    let found = super::of_line(view, &line)?;
    let is_named = matches!(found.kind, PromptKind::YesNo | PromptKind::Path)
        || found.is(PromptKind::Choice, Form::Brackets)
        || lower.is_empty() && matches!(found.form, Form::Keys | Form::TypedConfirmation | Form::Default);
    let to_type = matches!(found.form, Form::TypedConfirmation | Form::Typed);
    if !asks && !is_named || row.ends_with('.') && lower.is_empty() && !to_type {
        return None;
    }
    if lower.is_empty() {
        return Some(Guess { strength: Strength::Fair, ..found }.asked_in(text));
    }
    let takes_text = !matches!(found.kind, PromptKind::Command | PromptKind::Unknown);
    takes_text.then(|| found.seen_as(Form::Under, Strength::Likely).asked_in(row))
}

/// `> jasmine`, or `   jasmine`, set in: what is offered as an answer, under the question and what is said of it.
pub(super) fn offered(view: View<'_>) -> Option<Guess> {
    let text = view.line.text.as_str();
    let line = view.line.trimmed();
    let behind = line.strip_prefix("> ").or_else(|| line.strip_prefix("› "));
    let set_in = behind.is_none() && text.starts_with("  ") && !text.ends_with(' ');
    let (most, rows, strength) = if set_in { (1, 1, Strength::Weak) } else { (WORDS, SAID, Strength::Fair) };
    let signed = |row: &str| row.trim_start().starts_with(['>', '›']);
    let near = || contiguous(view).take(rows).take_while(|row| !signed(row)).find(|row| row.ends_with('?'));
    // What is said of a question that is marked as one stands set in between blank rows.
    let said = view.above().take(SAID * 2).take_while(|row| row.starts_with("    ")).count();
    let marked = || view.above().nth(said).filter(|row| said > 0 && row.starts_with("? ") && row.ends_with('?'));
    let question = near().or_else(|| marked().filter(|_| behind.is_some()))?;
    let short = (1..=most).contains(&behind.unwrap_or(line).split_whitespace().count());
    let form = if set_in { Form::Prefilled } else { Form::Offered };
    let alone = !view.sight.alternate && !view.sight.cursor_hidden && view.line.after.is_empty();
    (short && alone && (behind.is_some() || set_in && !question.starts_with(' ')))
        .then(|| Guess::of(Answers::Line(question), form, strength).asked_in(question))
}
