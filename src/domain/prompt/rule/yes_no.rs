//! Yes or no without brackets: `Type 'yes' to continue`, `y/n`, `Continue?`.

use super::super::kind::PromptKind;
use super::super::line::{last_bytes, last_clause, words};
use super::secret::names_secret;
use super::{Guess, Strength, View};
use crate::domain::danger::{Reading, asked_by_program};

const YES: [&str; 23] = [
    "y", "yes", "j", "ja", "o", "oui", "s", "si", "sí", "sim", "d", "da", "д", "да", "t", "tak", "ano", "evet",
    "kyllä", "igen", "はい", "是", "예",
];
const NO: [&str; 18] = [
    "n",
    "no",
    "nein",
    "non",
    "não",
    "nee",
    "н",
    "нет",
    "nej",
    "nei",
    "nie",
    "ne",
    "hayır",
    "ei",
    "nem",
    "いいえ",
    "否",
    "아니오",
];
/// Of other languages, where nothing but the two letters is offered.
const PAIRS: [(&str, &str); 4] = [("a", "n"), ("e", "h"), ("k", "e"), ("i", "n")];

/// Whether a word is a yes.
pub(super) fn is_yes(word: &str) -> bool {
    YES.contains(&word.to_lowercase().as_str())
}

/// Whether a word is a no.
pub(super) fn is_no(word: &str) -> bool {
    NO.contains(&word.to_lowercase().as_str())
}

/// The word that an answer begins with: `Yes` of `Yes, delete it`.
pub(super) fn first_word(answer: &str) -> &str {
    answer.split([' ', ',', '!']).find(|word| !word.is_empty()).unwrap_or_default()
}

/// Whether two letters are the yes and the no of some language; one of them is the default.
pub(super) fn is_pair(first: &str, second: &str) -> bool {
    let default = first.starts_with(char::is_uppercase) != second.starts_with(char::is_uppercase);
    let (first, second) = (first.to_lowercase(), second.to_lowercase());
    default && PAIRS.iter().any(|(yes, no)| *yes == first && *no == second)
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
            "other than 'yes'",
            "other than yes",
            "anything but yes",
            "anything but 'yes'",
        ]
        .iter()
        .any(|words| text.contains(words))
    };
    if lower.is_empty() || !ends {
        return None;
    }
    let above = || view.above().take(3).any(|row| typed(&last_bytes(row, 256).to_lowercase()));
    let asks_value = ["enter a value", "answer", "confirm", "response", "continue", "proceed"]
        .iter()
        .any(|word| lower.contains(word));
    if typed(lower) || (asks_value && above()) {
        let guess = Guess::new(PromptKind::YesNo, "yes_no.typed", Strength::Sure);
        return Some(guess.choices(vec!["yes".to_owned(), "no".to_owned()]));
    }
    let confirmed = || Guess::new(PromptKind::Text, "text.typed_confirmation", Strength::Likely);
    // A sign in a row of its own, under the row that says what is to be typed.
    if matches!(lower, ">" | "›" | "?]") {
        // A sentence may be broken.
        let rows: Vec<&str> = view.above().take(3).collect();
        let row = rows.iter().find(|row| is_confirmed(row.trim(), &row.trim().to_lowercase()))?;
        return Some(confirmed().on_screen(Some(row.trim().to_owned())));
    }
    is_confirmed(view.line.trimmed(), lower).then(confirmed)
}

/// A word or a name is to be typed to show that it is meant: `Type the name to confirm`, `type 'delete' to remove it`.
fn is_confirmed(line: &str, lower: &str) -> bool {
    const TYPE: [&str; 8] = ["type", "retype", "re-type", "typing", "enter", "re-enter", "reenter", "write"];
    const SO_THAT: [&str; 8] =
        ["confirm", "continue", "proceed", "go on", "go ahead", "approve", "acknowledge", "verify that"];
    let clause = last_clause(lower);
    if is_confirmed_elsewhere(line, clause) {
        return true;
    }
    let mut rest = clause.split_whitespace().map(|word| word.trim_end_matches([',', ':']));
    // `Please confirm the cluster name to remove:`
    if clause.trim_start_matches("please ").starts_with("confirm the ") && clause.contains(" name") {
        return !names_secret(clause);
    }
    let Some(verb) = rest.by_ref().find(|word| TYPE.contains(word)) else { return false };
    if names_secret(clause) {
        return false;
    }
    // `enter to confirm` names the key.
    if rest.next() == Some("to") {
        return false;
    }
    let told = SO_THAT.iter().any(|words| clause.contains(&format!("to {words}")));
    if told && !(verb == "enter" && clause.starts_with("enter a ")) {
        return true;
    }
    // Something to be typed to the letter, and what for.
    let quoted = |word: &str| word.starts_with(['\'', '"', '`', '‘', '“']);
    let (said, purpose) = line.split_once(" to ").unwrap_or_default();
    let literal = said.split_whitespace().skip(1).any(|word| {
        let letters = word.trim_matches(|c: char| !c.is_alphanumeric());
        let capital = letters.len() >= 3 && letters.bytes().all(|b| b.is_ascii_uppercase());
        capital || quoted(word)
    });
    // `confirm it by typing `dev`:`, `to go on, please type: "Yes, I know"`
    let next = clause.split_whitespace().skip_while(|word| !TYPE.contains(&word.trim_end_matches([',', ':']))).nth(1);
    let asked = clause.contains("confirm") || clause.contains("please type");
    if asked && next.is_some_and(quoted) {
        return true;
    }
    // `type the name of the machine to reboot`
    let purposes =
        || clause.split(" to ").skip(1).take(2).any(|what| asked_by_program(what, Reading::Question).is_some());
    if verb.ends_with("type") && purposes() {
        return true;
    }
    let its_name = clause.ends_with("its name:") || clause.ends_with("name again:");
    literal && !purpose.is_empty() || its_name && clause.contains("to ")
}

/// The same in other languages: `Escriba BORRAR para continuar`, `Tapez "oui" pour confirmer`.
fn is_confirmed_elsewhere(line: &str, clause: &str) -> bool {
    const TYPE: [&str; 14] = [
        "escrib",
        "teclee",
        "introduzca",
        "ingrese",
        "tapez",
        "saisissez",
        "entrez",
        "geben sie",
        "tippe",
        "digit",
        "escreva",
        "typ ",
        "введите",
        "наберите",
    ];
    const SO_THAT: [&str; 11] = [
        "para continuar",
        "para confirmar",
        "pour continuer",
        "pour confirmer",
        "zur bestätigung",
        "um fortzufahren",
        "zu bestätigen",
        "per continuare",
        "per confermare",
        "om te bevestigen",
        "для подтверждения",
    ];
    let says = |list: &[&str]| list.iter().any(|words| clause.contains(words));
    let letters = |word: &str| word.len() >= 3 && word.chars().all(char::is_uppercase);
    let literal = || line.contains(['"', '\'', '«', '“', '`']) || line.split_whitespace().any(letters);
    says(&TYPE) && says(&SO_THAT) && literal() && !names_secret(clause)
}

/// `[y]/n`, `(y)es or no`: a key in brackets, and the other one without.
pub(super) fn half(view: View<'_>) -> Option<Guess> {
    const ENDS: [&str; 12] = [
        "[y]/n",
        "y/[n]",
        "(y)/n",
        "y/(n)",
        "[y]es/no",
        "yes/[n]o",
        "(y)es or no",
        "[y]es or no",
        "[yes]/no",
        "yes/[no]",
        "(yes)/no",
        "yes/(no)",
    ];
    let body = view.line.lower.trim_end_matches([' ', ':', '?', '>']);
    let asks = ENDS.iter().any(|end| body.strip_suffix(end).is_some_and(|rest| rest.ends_with([' ', '?'])));
    asks.then(|| Guess::new(PromptKind::YesNo, "yes_no.half", Strength::Sure))
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
    // `Really delete it?>`
    let signed = lower.strip_suffix("?>").is_some_and(|asked| super::action::asks(last_clause(asked)));
    let command = lower.starts_with('<') && (lower.ends_with("> ?") || lower.ends_with(">?"));
    let clause = last_clause(lower);
    let asks = OPENINGS.iter().any(|words| clause.starts_with(words)) && lower.ends_with([':', '?']);
    let listed = lower.contains(" or ") || lower.contains(['[', '(']) && !lower.contains("(and ");
    let told = lower.contains("for yes") && lower.contains("for no");
    (command || signed || told || asks && !listed)
        .then(|| Guess::new(PromptKind::YesNo, "yes_no.sure", Strength::Likely))
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
