//! A line with its label, and an answer that stands already in it: `Location of the jail: /var/lib/jail`. Much that a
//! program tells looks like this; a host that says that somebody waits makes it certain.

use super::super::frame::SIDES;
use super::super::kind::PromptKind;
use super::super::rule_id::Form;
use super::layout::{Answers, kind_of};
use super::listed::listed;
use super::{Guess, Strength, View, asked, is_place};

/// The most words of a label, and the most letters of an answer.
const WORDS: usize = 14;
const LONGEST: usize = 80;

/// `Realm: EXAMPLE.ORG`, `Who holds it?  : Ada`, `❯ Where to ‣ ./app`.
pub(super) fn line(view: View<'_>) -> Option<Guess> {
    let line = view.line.trimmed();
    // `What should be done? 2`, below what may be.
    let number = line.rsplit_once("? ").filter(|(_, answer)| answer.parse::<u8>().is_ok());
    if let Some((question, answer)) = number
        && listed(view).iter().any(|label| label == answer)
    {
        let guess = Guess::new(PromptKind::Choice, Form::Prefilled, Strength::Weak).choices(listed(view));
        return Some(guess.on_screen(Some(format!("{question}?"))));
    }
    let (label, answer) = line.split_once(" ‣ ").or_else(|| line.split_once(": "))?;
    let label = label.trim_start_matches(['?', '❯', ' ']).trim_end_matches([' ', ':']);
    let answer = answer.trim();
    let labels = label.len() <= LONGEST
        && (1..=WORDS).contains(&label.split_whitespace().count())
        && label.starts_with(char::is_alphabetic);
    // Columns and cells of a bar are no answer.
    let tells = answer.contains(": ") || answer.contains("   ") || answer.contains(SIDES);
    if !labels || tells || answer.is_empty() || answer.chars().count() > LONGEST {
        return None;
    }
    // What it would be without the answer.
    let question = asked(view, &format!("{label}:"));
    let alone = super::of_line(view, &question).filter(|guess| guess.strength > Strength::Weak);
    let picked = alone.map(|guess| guess.kind).filter(|kind| matches!(kind, PromptKind::YesNo | PromptKind::Choice));
    let kind = picked.unwrap_or_else(|| kind_of(&Answers::Line(label)));
    let kind = if kind == PromptKind::Text && is_place(answer) { PromptKind::Path } else { kind };
    Some(Guess::new(kind, Form::Prefilled, Strength::Weak).on_screen(Some(label.to_owned())))
}
