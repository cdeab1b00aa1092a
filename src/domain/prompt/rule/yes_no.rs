//! Yes or no without brackets: `Type 'yes' to continue`, `y/n`, `Continue?`.

use super::super::kind::PromptKind;
use super::super::line::{last_bytes, last_clause, words};
use super::{Guess, Strength, View};

const YES: [&str; 15] = ["y", "yes", "j", "ja", "o", "oui", "s", "si", "sí", "sim", "d", "da", "д", "да", "t"];
const NO: [&str; 8] = ["n", "no", "nein", "non", "não", "nee", "н", "нет"];

/// Whether a word is a yes.
pub(super) fn is_yes(word: &str) -> bool {
    YES.contains(&word.to_lowercase().as_str())
}

/// Whether a word is a no.
pub(super) fn is_no(word: &str) -> bool {
    NO.contains(&word.to_lowercase().as_str())
}

/// The word is to be typed out.
pub(super) fn typed(view: View<'_>) -> Option<Guess> {
    let lower = view.line.lower.as_str();
    let ends = lower.ends_with([':', '>', '?', ')']) || view.line.makes_room();
    let typed = |text: &str| {
        [
            "type 'yes'",
            "type \"yes\"",
            "type yes",
            "enter 'yes'",
            "enter yes",
            "'yes' to",
            "\"yes\" to",
            "yes' in capital",
            "type `yes`",
            "answer 'yes'",
            "only 'yes' will be",
        ]
        .iter()
        .any(|words| text.contains(words))
    };
    if lower.is_empty() || !ends {
        return None;
    }
    let above = || view.above().take(3).any(|row| typed(&last_bytes(row, 256).to_lowercase()));
    let asks_value = ["enter a value", "answer", "confirm", "response"].iter().any(|word| lower.contains(word));
    if typed(lower) || (asks_value && above()) {
        let guess = Guess::new(PromptKind::YesNo, "yes_no.typed", Strength::Sure);
        return Some(guess.choices(vec!["yes".to_owned(), "no".to_owned()]));
    }
    let confirm = (lower.starts_with("type ") || lower.contains(" type ") || lower.contains("please enter"))
        && (lower.contains("to confirm") || lower.contains("to continue") || lower.contains("to proceed"));
    confirm.then(|| Guess::new(PromptKind::Text, "text.typed_confirmation", Strength::Likely))
}

/// Somebody asks whether one is sure, whatever the line ends with: `Are you sure you want to release it:`.
pub(super) fn sure(view: View<'_>) -> Option<Guess> {
    const OPENINGS: [&str; 12] = [
        "are you sure",
        "are you really sure",
        "are you certain",
        "do you want to ",
        "do you really want",
        "do you wish to ",
        "would you like to ",
        "is this ok",
        "is this correct",
        "is this right",
        "ok to ",
        "okay to ",
    ];
    let lower = view.line.lower.as_str();
    let command = lower.starts_with('<') && (lower.ends_with("> ?") || lower.ends_with(">?"));
    let clause = last_clause(lower);
    let asks = OPENINGS.iter().any(|words| clause.starts_with(words)) && lower.ends_with([':', '?']);
    let listed = lower.contains(" or ") || lower.contains(['[', '(']) && !lower.contains("(and ");
    (command || asks && !listed).then(|| Guess::new(PromptKind::YesNo, "yes_no.sure", Strength::Likely))
}

/// The answers stand at the end without brackets: `Continue y/n?`, `Yes or no?`.
pub(super) fn bare(view: View<'_>) -> Option<Guess> {
    if ["<y>", "<n>", "<y>?", "<n>?", "<y>:", "<n>:"].iter().any(|end| view.line.lower.ends_with(end)) {
        return Some(Guess::new(PromptKind::YesNo, "yes_no.default", Strength::Sure));
    }
    let body = view.line.lower.trim_end_matches([' ', ':', '?', '>', '.', ')', ']', '*']);
    let tail: Vec<&str> = words(last_bytes(body, 24)).collect();
    let [.., yes, no] = tail[..] else { return None };
    let at_end = body.ends_with(no) && (is_yes(yes) && is_no(no) || is_no(yes) && is_yes(no));
    let joined = [
        format!("{yes}/{no}"),
        format!("{yes} or {no}"),
        format!("{yes} / {no}"),
        format!("{yes}|{no}"),
        format!("{yes},{no}"),
        format!("{yes}-{no}"),
    ];
    let joined = joined.iter().any(|end| body.ends_with(end.as_str()));
    let or = matches!(tail[..], [.., yes, "or", no] if is_yes(yes) && is_no(no)) && body.ends_with(no);
    let (yes, no) = if or { (tail[tail.len() - 3], no) } else { (yes, no) };
    (or || at_end && joined).then(|| {
        Guess::new(PromptKind::YesNo, "yes_no.words", Strength::Sure).choices(vec![yes.to_owned(), no.to_owned()])
    })
}
