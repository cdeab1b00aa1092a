//! A sign or a default in a row of its own, under the question: `Drop all tables? (yes/no) [no]:`, and then ` > `.

use super::super::kind::PromptKind;
use super::yes_no::{is_no, is_yes};
use super::{Guess, Strength, View, asked};

/// How a row asks for an answer to the one above.
const ANSWER: [&str; 14] = [
    "your choice",
    "your answer",
    "answer",
    "response",
    "your response",
    "reply",
    "choix",
    "votre choix",
    "réponse",
    "antwort",
    "ihre antwort",
    "respuesta",
    "su respuesta",
    "resposta",
];

/// How many rows are looked through for the sign of an interpreter.
const NEAR: usize = 12;

/// The row right above, or the one above that, where this has no more than a remark in brackets.
fn asked_above(view: View<'_>) -> Option<&str> {
    let mut above = view.above().map(str::trim_end);
    let row = above.next()?;
    let remark = row.starts_with('(') && row.ends_with(')');
    Some(above.next().filter(|above| remark && above.ends_with('?')).unwrap_or(row))
}

fn is_answer(lower: &str) -> bool {
    ANSWER.contains(&lower.trim_end_matches([':', '>', ' ']))
}

/// The row right above asks, and the open line has nothing but a sign or a default.
pub(super) fn a_question(view: View<'_>) -> Option<Guess> {
    let lower = view.line.lower.as_str();
    let sign = matches!(lower, ">" | "›" | "->" | "-->" | "=>" | ">>" | "»" | "?" | "?:");
    let sign = sign || is_answer(lower);
    let default = lower.strip_prefix('[').and_then(|rest| rest.trim_end_matches([':', '>', ' ']).strip_suffix(']'));
    let row = asked_above(view).filter(|_| view.line.makes_room())?;
    // A row without a word asks nothing. Were it, or another sign, asked all the same, a
    // sign above a sign would be looked at for ever.
    let asks = (row.ends_with(['?', ':']) || row.ends_with("?.")) && row.contains(char::is_alphanumeric);
    // `Overwrite it? (y/n)`, and the sign below it.
    let named = row.ends_with([')', ']']) && row.contains('?');
    if !asks && !named || !sign && default.is_none() || is_answer(&row.trim().to_lowercase()) {
        return None;
    }
    if let Some(default) = default {
        let yes_no = row.contains('?') && (is_yes(default) || is_no(default));
        return yes_no.then(|| {
            Guess::new(PromptKind::YesNo, "yes_no.under", Strength::Likely).on_screen(Some(row.trim().to_owned()))
        });
    }
    // An interpreter's sign stands before what was typed earlier, too; and a list is for choosing from.
    let typed = |above: &str| above.trim_start().starts_with(&format!("{} ", view.line.lower));
    if view.above().take(NEAR).any(typed) || view.sight.alternate {
        return None;
    }
    let line = asked(view, row);
    let found = super::first(View { line: &line, ..view })?;
    let rule = match found.kind {
        PromptKind::YesNo => "yes_no.under",
        _ if named => return None,
        PromptKind::Choice => "choice.under",
        PromptKind::Path => "path.under",
        PromptKind::Password => "password.under",
        PromptKind::Text => "text.under",
        PromptKind::Command | PromptKind::Unknown => return None,
    };
    Some(Guess { strength: Strength::Likely, rule: rule.into(), ..found }.on_screen(Some(row.trim().to_owned())))
}
