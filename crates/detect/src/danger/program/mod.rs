//! What a program asks before it destroys. Programs say less than people do: `a exists; remove it?`, `Proceed?` under
//! `all data will be lost`. So a verb counts here without what it is done to, where a program speaks of itself.
//!
//! ```text
//!   verbs      count wherever they stand: delete, deleting, deletion, kill, drop …
//!   orders     count where a clause begins with them: `replace a.txt?`
//!   touching   count with what they are done to: format … disk
//!   pairs      count with what is named for them alone: make … public
//!   passive    count where it is still to come: `will be lost`, `to be removed`
//!   final      count in any case: `cannot be undone`
//! ```
//!
//! None counts where it is negated, taken back, only named (`the delete key`), reported (`failed to remove`), put off
//! (`ask before deleting`), or done to something that is nothing (`drop privileges`).

mod announced;
mod elsewhere;
mod no_return;
mod pairs;
mod unmeant;
mod unsaved;
mod words;

use super::clause::{Clause, clauses, without_quotes};
use super::words::in_languages;
use super::{Finding, command, negation};
use crate::lexicon::Lists;
use crate::lists::List;
use announced::{is_announced, is_counted, is_done, is_effect, is_list, is_listed, is_under_way};
use pairs::Things;
use unmeant::{is_for_later, is_forbidden, is_of_a_release, is_only_named, only_pretends};
pub use unsaved::leaves_unsaved;
use words::{
    ANNOUNCE, COMING, DEAR, DISKS, ENGLISH, FINAL, HARMLESS, HINTS, IS_FINAL, KEPT, MONEY, NOT_AT_ALL, NOT_DONE,
    ORDERS, PARTS, PASSIVE, POLITE, SPENDING, SPLIT, TOUCHING, VERBS, WORDS,
};

/// How much of what a program says is meant by a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reading {
    Question,
    /// What stands above it: what is announced, and what a row begins with, as in a list of what will be done.
    Above,
    /// What stands above a question that says itself what it asks: only what is announced.
    Announced,
}

/// The first words of a text by which a program that asks for leave would destroy something.
pub fn asked_by_program(text: &str, reading: Reading) -> Option<Finding> {
    let lower = unbracketed(&super::cut(text, super::MOST).to_lowercase());
    if let Some(words) = clauses(&lower).iter().find_map(command::find) {
        return Some(Finding { words, language: "command" });
    }
    let spoken = without_quotes(&lower);
    let words = spoken.lines().filter(|row| !only_pretends(row)).find_map(|row| {
        let row = without_level(row);
        let clauses = clauses(row);
        let begins = |at: usize| clauses[..at].iter().all(|clause| warns(clause) || is_title(row, clause));
        clauses.iter().enumerate().find_map(|(at, clause)| in_clause(clause, reading, begins(at)))
    });
    let by_words = words.or_else(|| unsaved::said(&spoken)).map(|words| Finding { words, language: "program" });
    // What other languages have, people and programs say alike; an English word may be one of theirs.
    by_words.or_else(|| {
        let clauses = clauses(&spoken);
        let mut words = clauses.iter().flat_map(|clause| &clause.words);
        if words.any(|word| Word::of(word).is(ENGLISH | VERBS | PASSIVE)) {
            return None;
        }
        let says = |clause| in_languages(clause, |language| language != "en");
        clauses.iter().find_map(|clause| says(clause).or_else(|| elsewhere::removes(clause)))
    })
}

/// `INFO Restoring …`: what is said, without how much it matters.
fn without_level(row: &str) -> &str {
    let row = row.trim_start();
    let levels = ["info ", "[info] ", "info: ", "warn ", "[warn] ", "notice: "];
    levels.iter().find_map(|level| row.strip_prefix(level)).map_or(row, str::trim_start)
}

/// `WARNING: …`, and the number of an item: `1. …`
fn warns(clause: &Clause<'_>) -> bool {
    match clause.words[..] {
        ["warning" | "caution" | "danger" | "attention" | "important" | "achtung"] => true,
        [number] => number.bytes().all(|b| b.is_ascii_digit()),
        _ => false,
    }
}

/// `Cache reset: clear 12 entries`: what a row is about. What may be done, or is told, is none.
fn is_title(row: &str, clause: &Clause<'_>) -> bool {
    static TELLS: List = List::of("program tells");
    let titled = row.strip_prefix(clause.text).is_some_and(|rest| rest.starts_with(": "));
    let tells = |word: &&str| TELLS.iter().copied().any(|tells| tells == *word);
    titled && clause.words.len() <= 3 && !clause.words.iter().any(tells)
}

/// `begins`: whether a row begins with the clause.
fn in_clause(clause: &Clause<'_>, reading: Reading, begins: bool) -> Option<String> {
    if no_return::of_a_secret(&clause.words) {
        return None;
    }
    if let Some(phrase) =
        IS_FINAL.any_in(clause.text).then(|| FINAL.iter().find(|it| clause.text.contains(**it))).flatten()
    {
        return is_last(clause.text, phrase).then(|| (*phrase).to_owned());
    }
    if let Some(words) = no_return::said(&clause.words) {
        return Some(words);
    }
    let words: Vec<Word<'_>> = clause.words.iter().map(|word| Word::of(word)).collect();
    let dear = words.iter().any(|word| word.is(DEAR) || word.text.starts_with("/dev/"));
    let money = words.iter().any(|word| word.is(MONEY));
    let things = Things::of(&clause.words);
    let to = words.iter().position(|word| word.text == "to");
    let hint = words.iter().position(|word| word.is(HINTS));
    (0..words.len()).find_map(|at| {
        let (before, word, after) = (&words[..at], words[at], &words[at + 1..]);
        let first = || before.iter().all(|word| word.is(POLITE) || !word.text.contains(char::is_alphanumeric));
        let paired = things.are_harmed_by(word.text);
        let active = destroys(word)
            || is_split(word, after) && (!is_turned(word) || dear || things.are_a_machine_or_guard())
            || touches(word, &words, dear) && (word.text != "empty" || first() || is_joined(before))
            || word.is(TOUCHING) && is_effect(before, word)
            || is_ordered(word, after) && first() && !is_noun(before)
            || stops_some(word, after) && first()
            || word.is(SPENDING) && money
            || is_rate(word.text)
            || word.text.starts_with("shrink") && is_announced(before)
            || paired;
        let announced =
            || is_announced(before) || is_under_way(before, word) || is_counted(before) || is_list(word, after);
        let tells_how = hint.is_some_and(|hint| hint < at);
        let meant = || match reading {
            Reading::Question => true,
            Reading::Above => {
                announced()
                    || is_effect(before, word)
                    || is_listed(before, after)
                    || begins && first()
                    || to.is_some_and(|to| to < at) && !tells_how
            }
            Reading::Announced => announced(),
        };
        let coming = || {
            before.iter().rev().take(3).any(|word| word.is(COMING)) && !is_of_a_release(after)
                || is_done(before, word, after)
        };
        let row = || begins && reading == Reading::Above && after.first().is_some_and(|next| !next.is(PARTS));
        let ordered =
            (reading == Reading::Question || row()) && first() || before.last().is_some_and(|word| word.text == "to");
        let named = || {
            !is_list(word, after) && is_only_named(word, before, after, ordered || paired)
                || is_for_later(before, after)
        };
        let passive = word.is(PASSIVE) && coming();
        let counts = active && meant() && !named() || passive;
        (counts && !is_forbidden(&clause.words[..at], passive)).then(|| word.text.to_owned())
    })
}

/// Whether a phrase that says that there is no way back is meant: `permanently add it` only keeps something.
fn is_last(clause: &str, phrase: &str) -> bool {
    let (before, after) = clause.split_once(phrase).unwrap_or_default();
    let before: Vec<&str> = before.split_whitespace().collect();
    let rather = before.iter().any(|word| matches!(*word, "instead" | "rather" | "before"));
    let guards = ["prevention", "protection"].iter().any(|word| after.trim_start().starts_with(word));
    let mut near = after.split_whitespace().take(1).chain(before.iter().copied());
    let kept = phrase == "permanently" && near.any(|word| KEPT.contains(&word));
    !rather && !guards && !kept && !negation::forbids(&before)
}

#[derive(Debug, Clone, Copy)]
struct Word<'a> {
    text: &'a str,
    lists: Lists,
}

impl<'a> Word<'a> {
    fn of(text: &'a str) -> Self {
        Self { text, lists: WORDS.lists_of(text) }
    }

    const fn is(self, list: Lists) -> bool {
        self.lists & list != 0
    }
}

/// A verb, also as the first half of a name: `kill-server`, `remove/disable`.
fn destroys(word: Word<'_>) -> bool {
    let halves = || word.text.split_once(['-', '/']).map(|(first, second)| (Word::of(first), Word::of(second)));
    word.is(VERBS)
        || halves().is_some_and(|(first, second)| first.is(VERBS) && !second.is(NOT_DONE | NOT_AT_ALL | HARMLESS))
}

/// `replace a.txt`; but `replace tabs by blanks` is an edit, and `format` alone formats what is spoken of.
fn is_ordered(word: Word<'_>, after: &[Word<'_>]) -> bool {
    match word.text {
        _ if !word.is(ORDERS) && word.text != "format" => false,
        // `replace it with the new one`: all of it.
        "replace" if after.first().is_some_and(|word| matches!(word.text, "it" | "them")) => true,
        // In an editor, which can take it back.
        "replace" if after.iter().take(2).any(|word| matches!(word.text, "occurrence" | "occurrences" | "match")) => {
            false
        }
        "replace" => !after.windows(2).any(|pair| {
            matches!(pair[0].text, "by" | "with") && !matches!(pair[1].text, "the" | "this" | "a" | "another")
        }),
        // `format userdata?`
        "format" => after.len() <= 1,
        "clear" => {
            // `clear all cache entries`: each of them.
            after.first().is_some_and(|word| matches!(word.text, "all" | "entire"))
                || !after.iter().any(|word| matches!(word.text, "cache" | "caches" | "search" | "query" | "highlights"))
        }
        // `empty fields are kept` says how they are.
        "empty" => after.iter().all(|word| {
            !matches!(word.text, "field" | "fields" | "line" | "lines" | "value" | "values" | "detected" | "found")
        }),
        "detach" => after.first().is_none_or(|word| word.text != "from"),
        "override" => !after.iter().any(|word| matches!(word.text, "default" | "defaults")),
        _ => true,
    }
}

/// `format … disk`; what is written is only dear where it is written over: `write settings` keeps them.
fn touches(word: Word<'_>, clause: &[Word<'_>], dear: bool) -> bool {
    let written = || clause.iter().any(|word| word.is(DISKS) || word.text.starts_with("/dev/"));
    let full = || word.text != "empty" || clause.last().is_some_and(|last| last.text != "empty");
    let overwrites = ["writ", "initiali", "shrink", "reduc"].iter().any(|verb| word.text.starts_with(verb));
    word.is(TOUCHING) && (dear && full() && !overwrites || overwrites && written())
}

/// `cancel 12 downloads`, `stop all of them`
fn stops_some(word: Word<'_>, after: &[Word<'_>]) -> bool {
    let some = |next: &Word<'_>| {
        matches!(next.text, "all" | "these" | "every") || next.text.bytes().all(|byte| byte.is_ascii_digit())
    };
    matches!(word.text, "cancel" | "stop" | "interrupt") && after.first().is_some_and(some)
}

/// `shut the server down`
fn is_split(word: Word<'_>, after: &[Word<'_>]) -> bool {
    let mut parts = SPLIT.iter().filter_map(|parts| parts.split_once(' '));
    parts.any(|(verb, part)| verb == word.text && after.iter().any(|word| word.text == part))
}

/// `turn off colours` takes nothing from anybody, `turn off the firewall` does.
fn is_turned(word: Word<'_>) -> bool {
    matches!(word.text, "turn" | "switch")
}

/// `, and empty the trash`; but `allow empty passwords`, which says how they are.
fn is_joined(before: &[Word<'_>]) -> bool {
    before
        .last()
        .is_some_and(|word| matches!(word.text, "to" | "and" | "then" | "or" | "not" | "also") || word.is(ANNOUNCE))
}

/// `do you like the format`
fn is_noun(before: &[Word<'_>]) -> bool {
    before.last().is_some_and(|word| matches!(word.text, "the" | "this"))
}

/// `$20/month`
fn is_rate(word: &str) -> bool {
    let amount = word.starts_with(['$', '€', '£']) && word.contains(|c: char| c.is_ascii_digit());
    let period = || word.split_once('/').is_some_and(|(_, period)| period.starts_with(['m', 'y', 'h', 'd', 'w']));
    amount && period()
}

/// `(o)verwrite`, `[d]elete` and `<r>emove` without the brackets around the key.
fn unbracketed(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['(', '[', '<']) {
        kept.push_str(&rest[..at]);
        let close = match rest.as_bytes()[at] {
            b'(' => ')',
            b'[' => ']',
            _ => '>',
        };
        let mut inner = rest[at + 1..].chars();
        let (key, end, next) = (inner.next(), inner.next(), inner.next());
        let within = end == Some(close) && next.is_some_and(char::is_alphabetic);
        match key {
            Some(key) if within && key.is_alphabetic() => {
                kept.push(key);
                rest = &rest[at + 1 + key.len_utf8() + 1..];
            }
            Some(_) | None => {
                kept.push_str(&rest[at..=at]);
                rest = &rest[at + 1..];
            }
        }
    }
    kept.push_str(rest);
    kept
}
