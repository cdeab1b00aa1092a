//! One of several: keys in brackets, numbered lists, words like "your choice".

use std::sync::LazyLock;

use super::super::kind::PromptKind;
use super::super::line::words;
use super::super::rule_id::Form;
use super::answer::{is_no, is_yes};
use super::listed::{MOST_ROWS, labels_of, listed};
use super::verbs::{speaks_of_choosing, tells_what_to_do};
use super::{Guess, Strength, View, forms};
use crate::lexicon::Lexicon;
use crate::lists::List;

/// `(A)bort, (R)etry, (I)gnore?`: single keys in brackets, each within a word.
pub(super) fn keys(view: View<'_>) -> Option<Guess> {
    let line = view.line.trimmed();
    let mut keys = keys_of(line);
    rows! {
        // `Are you sure about all (2) Questions?` counts them.
        view.line.lower.starts_with("are you sure") && keys.iter().all(|key| key.bytes().all(|b| b.is_ascii_digit()))
            => None;
        // `Again? (y)Ja (n)Nein`
        let lower = view.line.lower.as_str();
        let both = |(yes, no): &(&str, &str)| lower.contains(yes) && lower.contains(no);
        let letters = [("(y)", "(n)"), ("[y]", "[n]")].iter().any(both);
        keys.len() == 2 && letters && lower.contains('?') => YesNo Keys Sure keys;
        // `[O]ui ou [N]on`, whatever it ends with.
        let both = keys.len() == 2 && keys.iter().any(|key| is_yes(key)) && keys.iter().any(|key| is_no(key));
        let many = keys.len() >= 3 && line.contains('?');
        line.is_empty() || !(both || many || line.ends_with(['?', ':', '>', ' ', ')', ']']) || view.line.makes_room())
            => None;
    }
    if keys.is_empty() {
        keys = keys_behind(line);
    }
    // A long list of keys is broken by the program itself.
    if keys.len() == 1 {
        let above: Vec<&str> = view.above().take(2).collect();
        let mut all: Vec<String> = above.iter().rev().flat_map(|row| keys_of(row)).collect();
        all.append(&mut keys);
        keys = all;
    }
    if keys.len() < 2 {
        let pressed = forms::each("key-pressed", lower).filter(|_| forms::fits("presses", lower));
        keys = pressed.map(|it| it.part("key").to_owned()).collect();
    }
    if keys.len() < 2 {
        return None;
    }
    let yes_no = keys.len() == 2 && keys.iter().any(|key| is_yes(key)) && keys.iter().any(|key| is_no(key));
    let kind = if yes_no { PromptKind::YesNo } else { PromptKind::Choice };
    Some(Guess::new(kind, Form::Keys, Strength::Sure).choices(keys))
}

/// `[ye]?` below `Yes, I am sure` and `Enter a new one`: only the keys of answers that stand above.
pub(super) fn keyed(view: View<'_>) -> Option<Guess> {
    let keys = view.line.trimmed().strip_prefix('[')?.strip_suffix("]?")?;
    let answers: Vec<&str> = view.above().take(keys.len()).collect();
    let named = answers.len() == keys.len() && answers.iter().all(|answer| answer.starts_with("  "));
    let letters = (1..=6).contains(&keys.len()) && keys.bytes().all(|b| b.is_ascii_lowercase());
    let mut over = view.above().skip(keys.len()).take(MOST_ROWS);
    let question = over.find(|row| row.ends_with('?')).or_else(|| view.above().nth(keys.len())).map(str::trim);
    let choices = answers.iter().rev().map(|answer| answer.trim().to_owned()).collect();
    let guess = Guess::new(PromptKind::Choice, Form::Keyed, Strength::Likely).choices(choices);
    (letters && named).then(|| guess.on_screen(question.map(str::to_owned)))
}

/// The words with a key in them, without the brackets.
pub(super) fn keys_of(line: &str) -> Vec<String> {
    // `q)uit, s)kip, e)dit`
    let spoken = forms::each("key-begins", line).map(|it| format!("{}{}", it.part("key"), it.part("rest")));
    let mut found: Vec<String> = spoken.collect();
    if found.len() < 2 {
        found.clear();
    }
    found.extend(forms::each("keys", line).map(|it| {
        let head = if it.part("rest").is_empty() { "" } else { it.part("head") };
        [head, it.part("round"), it.part("square"), it.part("rest")].concat()
    }));
    found
}

/// `Add (a), delete (d) or quit (q)?`: each word with its key behind it.
fn keys_behind(line: &str) -> Vec<String> {
    let mut found = Vec::new();
    for it in forms::each("key-behind", line) {
        let (word, key) = (it.part("word"), it.part("key"));
        let begins = key.chars().count() == 1 && word.to_lowercase().starts_with(&key.to_lowercase());
        if begins || key.parse() == Ok(found.len() + 1) {
            found.push(word.to_owned());
        }
    }
    // `Quit [q], confirm [y], or change [menu] settings:`
    let keys: Vec<String> = forms::each("key-told", line).map(|it| it.part("key").to_owned()).collect();
    if found.len() < 3 && keys.len() >= 3 && line.contains(", or ") {
        return keys;
    }
    // `by day (1) or by month (2)?`, `edit (e) or delete (d)?`
    let or = [" or ", " oder ", " ou ", " o ", " или ", " of ", " eller ", " lub "].iter().any(|or| line.contains(or));
    if found.len() < 3 && !(or && found.len() == 2) { Vec::new() } else { found }
}

/// `e/n/d/r/q> `: single keys with strokes between, as the last word.
pub(super) fn slashes(view: View<'_>) -> Option<Guess> {
    let line = view.line.trimmed();
    let keys = line.split_whitespace().next_back()?.trim_end_matches(['>', ':', '?']).split('/');
    Some(forms::read("slashes", line)?.choices(keys.map(str::to_owned).collect()))
}

/// A list stands above, or the words say that one of several is to be chosen.
pub(super) fn by_words(view: View<'_>) -> Option<Guess> {
    let lower = view.line.lower.as_str();
    rows! {
        lower == "#?" => Choice Select Sure listed(view);
        let ends = lower.ends_with([':', '?', '>', '›', '#', '：', '？']) || lower.ends_with(']') || lower.ends_with(')');
        lower.is_empty() || !ends => None;
    }
    if let Some(named) = named(lower).or_else(|| in_capitals(view.line.trimmed())).or_else(|| numbers(lower)) {
        return Some(Guess::new(PromptKind::Choice, Form::Or, Strength::Fair).choices(named));
    }
    let sign = matches!(lower, ">" | "?>" | "->" | "=>" | "#" | ">>");
    rows! {
        sign && (is_menu(view) || view.above().take(8).any(|row| offers(&row.to_lowercase())))
            => Choice Sign Likely listed(view);
        // `(byebug)`, below what it is about.
        lower.starts_with('(') && lower.ends_with(')') && !lower.contains(' ') => None;
    }
    let entered = view.above().next().is_some_and(|row| row.to_lowercase().starts_with("enter "));
    let listed = listed(view);
    let chooses = speaks_of_choosing(lower);
    let told = |row: &str| ["from the list", "listed above", "from above"].iter().any(|words| row.contains(words));
    let pointed = listed.len() >= 2 || words(lower).any(|word| word == "number");
    let chooses = chooses || pointed && (told(lower) || view.above().take(2).any(|row| told(&row.to_lowercase())));
    let chooses = chooses
        || listed.len() >= 2 && words(lower).any(|word| word == "number")
        || lower.contains("number") && lower.contains("corresponding");
    // `[1] duckdb`, and `Enter a number:`, where there is only one.
    let one = listed.len() == 1 && lower.starts_with("enter a number");
    match (listed.len() >= 2 || one, chooses || one) {
        (true, true) => Some(Guess::new(PromptKind::Choice, Form::List, Strength::Sure).choices(listed)),
        // What an interpreter listed is not for choosing from, unless somebody said so.
        (true, false)
            if forms::fits("counter", lower) || is_interpreter(lower) && (entered || !tells_to_choose(view)) =>
        {
            None
        }
        (true, false)
            if words(lower).any(|word| word == "word" || VALUE.lists_of(word) != 0) && !lower.contains("which") =>
        {
            None
        }
        (true, false) => Some(Guess::new(PromptKind::Choice, Form::Numbered, Strength::Fair).choices(listed)),
        // `Choose a title:` without a list is for writing one.
        (false, true) if is_value(lower) && !lower.contains("option") => None,
        (false, true) => Some(Guess::new(PromptKind::Choice, Form::Words, Strength::Fair)),
        (false, _) => None,
    }
}

/// What is written and not picked.
static VALUES: List = List::of("choice values");
/// Whether a clause asks for something that is written and not picked.
pub(super) fn is_value(clause: &str) -> bool {
    words(clause).any(|word| VALUE.lists_of(word) != 0)
}

static VALUE: LazyLock<Lexicon> = LazyLock::new(|| Lexicon::new(VALUES.iter().copied().map(|word| (1, word))));

/// `Left or right?`, `Abort, Retry, Fail?`: single words, and nothing else.
fn named(lower: &str) -> Option<Vec<String>> {
    let parts = lower.trim_end_matches(['?', ' ']).split(',').flat_map(|part| part.split(" or "));
    forms::fits("named", lower).then(|| parts.map(|part| part.trim().to_owned()).collect())
}

/// `Save as TXT or CSV?`
fn in_capitals(line: &str) -> Option<Vec<String>> {
    forms::parts("capitals", line).map(|it| vec![it.part("first").to_owned(), it.part("last").to_owned()])
}

/// `a value between 1 and 9`
fn spans(said: &str) -> bool {
    ["between", " tra ", "entre", "zwischen", "от "].iter().any(|word| said.contains(word))
}

/// `Type 1, 2, or 3:`
pub(super) fn numbers(lower: &str) -> Option<Vec<String>> {
    let said = lower.split(['(', '[']).next()?;
    let digit = |word: &&str| word.len() == 1 && word.as_bytes()[0].is_ascii_digit();
    let found: Vec<String> = words(said).filter(digit).map(str::to_owned).collect();
    (found.len() >= 2 && tells_what_to_do(said) && !said.contains('.') && !spans(said)).then_some(found)
}

/// A list right above, with a heading that says so or a way out among its items.
fn is_menu(view: View<'_>) -> bool {
    let mut rows = view.above().take(24).map(str::to_lowercase);
    let tells = rows.any(|row| words(&row).any(|word| matches!(word, "menu" | "options" | "quit" | "exit")));
    let says = |row: &&str| row.contains(char::is_alphanumeric);
    let right_above = || view.above().find(says).is_some_and(|row| !labels_of(row).is_empty());
    let fewest = if tells { 3 } else { 2 };
    (tells || right_above())
        && listed(view).len() >= fewest
        && !view.above().take(24).any(|row| row.trim_start().starts_with("> "))
}

fn offers(lower: &str) -> bool {
    static OFFERS: List = List::of("choice offers");
    OFFERS.iter().any(|words| lower.contains(words))
}

/// `mysql>`: one word, and a sign; `(2) ->`: a number.
fn is_interpreter(lower: &str) -> bool {
    lower.strip_suffix('>').is_some_and(|name| !name.contains(' ')) || forms::fits("counter", lower)
}

/// A row near the list says that one of it is to be chosen.
fn tells_to_choose(view: View<'_>) -> bool {
    static TELL: List = List::of("choice tell");
    view.above().take(MOST_ROWS).any(|row| {
        let lower = row.to_lowercase();
        // What was typed behind a sign of the same sort tells nothing.
        let typed = row.split_once("> ").is_some_and(|(name, _)| !name.contains(' '));
        labels_of(row).is_empty() && !typed && words(&lower).any(|word| TELL.contains(&word))
    })
}
