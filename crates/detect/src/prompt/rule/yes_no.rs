//! Yes or no without brackets: `Type 'yes' to continue`, `y/n`, `Continue?`.

use super::super::kind::PromptKind;
use super::super::line::{last_bytes, last_clause};
use super::super::rule_id::Form;
use super::answer::{answers_yes, is_no, is_yes};
use super::secret::names_secret;
use super::{Guess, Strength, View, forms};
use crate::danger::{Reading, asked_by_program};
use crate::lists::List;

/// The word is to be typed out.
pub(super) fn typed(view: View<'_>) -> Option<Guess> {
    static TYPED: List = List::of("typed yes");
    let lower = view.line.lower.as_str();
    let ends = lower.ends_with([':', '>', '?', ')']) || view.line.makes_room();
    let typed = |text: &str| TYPED.iter().any(|words| text.contains(words));
    if lower.is_empty() || !ends {
        return None;
    }
    let above = || view.above().take(3).any(|row| typed(&last_bytes(row, 256).to_lowercase()));
    let asks_value = ["enter a value", "answer", "confirm", "response", "continue", "proceed"]
        .iter()
        .any(|word| lower.contains(word));
    if typed(lower) || (asks_value && above()) {
        let guess = Guess::new(PromptKind::YesNo, Form::Typed, Strength::Sure);
        return Some(guess.choices(vec!["yes".to_owned(), "no".to_owned()]));
    }
    let confirmed = || Guess::new(PromptKind::Text, Form::TypedConfirmation, Strength::Likely);
    // A sign in a row of its own, under the row that says what is to be typed.
    if matches!(lower, ">" | "›" | "?]") {
        // A sentence may be broken.
        let rows: Vec<&str> = view.above().take(3).collect();
        let row = rows.iter().find(|row| is_confirmed(row.trim(), &row.trim().to_lowercase()))?;
        return Some(confirmed().asked_in(row));
    }
    if !is_confirmed(view.line.trimmed(), lower) {
        return None;
    }
    // `Scrivi 'SÌ' per confermare:`
    let quoted = view.line.trimmed().split(['\'', '"', '`', '‘', '’', '“', '”']).nth(1).unwrap_or_default();
    let yes = is_yes(quoted) && quoted.chars().count() > 1;
    Some(if yes { Guess::new(PromptKind::YesNo, Form::Typed, Strength::Sure) } else { confirmed() })
}

/// A word or a name is to be typed to show that it is meant: `Type the name to confirm`, `type 'delete' to remove it`.
fn is_confirmed(line: &str, lower: &str) -> bool {
    static TYPE: List = List::of("typed type");
    static SO_THAT: List = List::of("typed so-that");
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
    if names_secret(clause) || super::path::names_path(clause) {
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
        // `Type HELP to get the HELP`
        let told = matches!(letters, "HELP" | "QUIT" | "EXIT");
        let capital = letters.len() >= 3 && letters.bytes().all(|b| b.is_ascii_uppercase()) && !told;
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
    // `Are you sure you want to delete it? Type DELETE:`
    let order = line.trim_end_matches([':', '.', ' ', '>']).rsplit_once(['?', '.', '!']).map(|(_, order)| order.trim());
    let ordered = order.filter(|order| order.split_whitespace().count() == 2).is_some_and(|order| {
        let word = order.rsplit(' ').next().unwrap_or_default();
        quoted(word) || word.len() >= 3 && word.bytes().all(|b| b.is_ascii_uppercase())
    });
    if ordered {
        return true;
    }
    let its_name = clause.ends_with("its name:") || clause.ends_with("name again:");
    literal && !purpose.is_empty() || its_name && clause.contains("to ")
}

/// The same in other languages: `Escriba BORRAR para continuar`, `Tapez "oui" pour confirmer`.
fn is_confirmed_elsewhere(line: &str, clause: &str) -> bool {
    static TYPE: List = List::of("typed type-elsewhere");
    static SO_THAT: List = List::of("typed so-that-elsewhere");
    let says = |list: &[&str]| list.iter().any(|words| clause.contains(words));
    let letters = |word: &str| word.len() >= 3 && word.chars().all(char::is_uppercase);
    let literal = || line.contains(['"', '\'', '«', '“', '`']) || line.split_whitespace().any(letters);
    says(&TYPE) && says(&SO_THAT) && literal() && !names_secret(clause)
}

/// `Please type y to accept, n otherwise:`
pub(super) fn instructed(view: View<'_>) -> Option<Guess> {
    let lower = view.line.lower.as_str();
    let asks = lower.ends_with([':', '?', '>'])
        && answers_yes(last_clause(lower))
        && !lower.contains(['[', '('])
        && lower.contains(' ');
    asks.then(|| Guess::new(PromptKind::YesNo, Form::Instructed, Strength::Likely))
}

/// `[y]/n`, `(y)es or no`: a key in brackets, and the other one without.
pub(super) fn half(view: View<'_>) -> Option<Guess> {
    static ENDS: List = List::of("yes-no ends");
    let body = view.line.lower.trim_end_matches([' ', ':', '?', '>']);
    let asks =
        ENDS.iter().any(|end| body.strip_suffix(end).is_some_and(|rest| rest.is_empty() || rest.ends_with([' ', '?'])));
    asks.then(|| Guess::new(PromptKind::YesNo, Form::Half, Strength::Sure))
}

/// Somebody asks whether one is sure, whatever the line ends with: `Are you sure you want to release it:`.
pub(super) fn sure(view: View<'_>) -> Option<Guess> {
    static OPENINGS: List = List::of("yes-no openings");
    static ELSEWHERE: List = List::of("yes-no elsewhere");
    let lower = view.line.lower.as_str();
    // `Really delete it?>`
    let signed = lower.strip_suffix("?>").is_some_and(|asked| super::action::asks(last_clause(asked)));
    let clause = last_clause(lower);
    let opens =
        OPENINGS.iter().chain(ELSEWHERE.iter()).any(|words| clause.trim_start_matches(['¿', ' ']).starts_with(words));
    let asks = opens && lower.ends_with([':', '?']);
    let listed = lower.contains(" or ") || lower.contains(['[', '(']) && !lower.contains("(and ");
    let sure = || Guess::new(PromptKind::YesNo, Form::Sure, Strength::Likely);
    (signed || asks && !listed).then(sure).or_else(|| forms::read("sure", lower))
}

/// The answers stand at the end without brackets: `Continue y/n?`, `Yes or no?`.
pub(super) fn bare(view: View<'_>) -> Option<Guess> {
    let lower = view.line.lower.as_str();
    if ["<y>", "<n>"].iter().any(|end| lower.trim_end_matches(['?', ':']).ends_with(end)) {
        return Some(Guess::new(PromptKind::YesNo, Form::Default, Strength::Sure));
    }
    let found = forms::parts("answers", lower)?;
    let choices = ["yes", "no"].map(|it| found.part(it).to_owned()).into_iter().filter(|it| !it.is_empty());
    let choices: Vec<String> = choices.collect();
    let says = |is: fn(&str) -> bool| choices.iter().any(|it| is(it));
    (!found.part("told").is_empty() || says(is_yes) && says(is_no))
        .then(|| Guess::new(PromptKind::YesNo, Form::Words, Strength::Sure).choices(choices))
}
