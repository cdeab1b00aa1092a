//! Whether what a program asks now is what it asked a moment ago, drawn anew: with another time beside it, another
//! second of a countdown, another turn of a spinner.
//!
//! What a number says may be the question itself: `Delete 3 tables?` is another one than `Delete 4 tables?`. So where
//! the answer may destroy something only times count for nothing; elsewhere all numbers do.

use crate::lists::List;

/// Words for a time, behind a number or right at its end.
static UNITS: List = List::of("time units");
/// Words before the number of a countdown that has no unit: `in 10...`.
static BEFORE: List = List::of("time before");

/// Whether both are the same question; `dangerous` says that its answer may destroy something.
pub fn is_same_question(one: &str, other: &str, dangerous: bool) -> bool {
    one == other || words(one, dangerous).eq(words(other, dangerous))
}

/// The words of a question, without what a redraw changes.
fn words(text: &str, dangerous: bool) -> impl Iterator<Item = String> {
    let drawn = |word: &&str| !word.chars().all(is_spinner);
    let words: Vec<&str> = text.split_whitespace().filter(drawn).collect();
    let word = move |at: usize| {
        let word = words.get(at)?;
        let before = at.checked_sub(1).map_or("", |at| bare(words[at]));
        let behind = words.get(at + 1).copied().map_or("", bare);
        let counted = before.ends_with(|c: char| c.is_ascii_digit());
        if is_unit(bare(word)) && counted {
            // `2 seconds`, and then `1 second`.
            return Some(word.replace(bare(word), "t"));
        }
        if !word.contains(|c: char| c.is_ascii_digit()) {
            return Some((*word).to_owned());
        }
        let counts_down = BEFORE.iter().any(|word| before.eq_ignore_ascii_case(word));
        if is_time(bare(word)) {
            return Some(word.replace(bare(word), "#"));
        }
        let time = is_unit(behind) || counts_down;
        Some(if time || !dangerous { without_numbers(word) } else { (*word).to_owned() })
    };
    (0..).map_while(word)
}

fn bare(word: &str) -> &str {
    word.trim_matches(|c: char| !c.is_alphanumeric())
}

fn is_unit(word: &str) -> bool {
    UNITS.iter().any(|unit| word.eq_ignore_ascii_case(unit))
}

/// `12:30`, `00:59.5`, `10s`, `1m30s`.
fn is_time(word: &str) -> bool {
    let clock = |c: char| c.is_ascii_digit() || matches!(c, ':' | '.');
    let clocks = word.contains(':') && word.chars().all(clock);
    let mut parts = word.split(|c: char| c.is_ascii_digit() || c == '.').filter(|part| !part.is_empty()).peekable();
    clocks || parts.peek().is_some() && word.starts_with(|c: char| c.is_ascii_digit()) && parts.all(is_unit)
}

/// Each number as one sign, with what stands between its digits.
fn without_numbers(word: &str) -> String {
    let mut text = String::new();
    let mut letters = word.chars().filter(|c| !is_spinner(*c)).peekable();
    while let Some(c) = letters.next() {
        let digits = |c: &char| c.is_ascii_digit();
        if !digits(&c) {
            text.push(c);
            continue;
        }
        while letters.next_if(digits).is_some() {}
        text.push('#');
    }
    text
}

/// Whether it is one picture of a sign that turns.
const fn is_spinner(c: char) -> bool {
    matches!(c, '\u{2801}'..='\u{28ff}' | '◐' | '◓' | '◑' | '◒')
}

#[cfg(test)]
mod tests;
