//! A text as clauses of words; and the same without what is merely quoted.

use crate::lists::List;

/// Words of one clause, in lower case, in order. What belongs to a command line stays with its word: `--hard`, `-rf`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Clause<'a> {
    pub(super) words: Vec<&'a str>,
    /// The whole of it, for languages that put no space between words.
    pub(super) text: &'a str,
}

pub(super) fn clauses(text: &str) -> Vec<Clause<'_>> {
    let mut found = Vec::new();
    let mut start = 0;
    let mut letters = text.char_indices().peekable();
    while let Some((at, c)) = letters.next() {
        // A full stop ends a clause only at the end of a word: `config.yaml`, `c:`, `3.5` are whole.
        let last = letters.peek().is_none_or(|(_, next)| next.is_whitespace());
        if ends_always(c) || (matches!(c, '.' | ':' | ',') && last) {
            push(&mut found, &text[start..at]);
            start = at + c.len_utf8();
        }
    }
    push(&mut found, &text[start..]);
    found
}

/// The same text with blanks for what stands between quotation marks, unless it is all there is, is to be
/// carried out (`run "…"`), is only set in the letters of code, or is a verb that does something all the same
/// (`'delete' the users`).
pub(super) fn without_quotes(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((at, open, close)) = next_quote(rest) {
        let (before, quoted) = rest.split_at(at);
        let quoted = &quoted[open.len_utf8()..];
        kept.push_str(before);
        let Some(end) = quoted.find(close) else {
            kept.push_str(&rest[at..]);
            return kept;
        };
        let (quoted, after) = (&quoted[..end], &quoted[end + close.len_utf8()..]);
        let whole = kept.trim().is_empty() && after.chars().all(|c| !c.is_alphanumeric());
        let spoken = is_marked_up(open, quoted) && !is_named(&kept);
        if whole || is_carried_out(&kept) || spoken || acts_on(quoted, after) && !is_named(&kept) {
            kept.push(' ');
            kept.push_str(quoted);
            kept.push(' ');
        } else {
            kept.push_str(" ▪ ");
        }
        rest = after;
    }
    kept.push_str(rest);
    kept
}

fn push<'a>(found: &mut Vec<Clause<'a>>, text: &'a str) {
    let words: Vec<&str> = text
        .split(|c: char| {
            !(c.is_alphanumeric()
                || matches!(c, '-' | '_' | '\'' | '’' | '/' | '.' | '$' | '€' | '£' | '%' | '▪' | '+'))
        })
        .map(|word| word.trim_matches(['.', '\'', '’', '_']).trim_end_matches('+'))
        .filter(|word| !word.is_empty())
        .collect();
    if !words.is_empty() {
        found.push(Clause { words, text });
    }
}

fn ends_always(c: char) -> bool {
    "?!;\n()[]–—。，？！；、¿¡…".contains(c)
}

const QUOTES: [(char, char); 8] =
    [('"', '"'), ('“', '”'), ('„', '“'), ('«', '»'), ('»', '«'), ('「', '」'), ('`', '`'), ('‘', '’')];

fn next_quote(text: &str) -> Option<(usize, char, char)> {
    let mut before = None;
    for (at, c) in text.char_indices() {
        let opens = QUOTES.iter().find(|(open, _)| *open == c);
        if let Some((open, close)) = opens {
            return Some((at, *open, *close));
        }
        // An apostrophe opens a quote only where a word begins.
        if c == '\'' && before.is_none_or(|b: char| b.is_whitespace() || b == '(') {
            return Some((at, c, c));
        }
        before = Some(c);
    }
    None
}

/// Models write `DROP` the table as they write everything: a word or two in backticks are part of the sentence.
fn is_marked_up(open: char, quoted: &str) -> bool {
    open == '`' && quoted.split_whitespace().count() <= MARKED_UP
}

/// The most words in backticks that are read as if they had none; more of them are a piece of code.
const MARKED_UP: usize = 3;

/// Whether what comes next is a name: `the word is …`, `it is called …`.
fn is_named(before: &str) -> bool {
    let last = before.split_whitespace().next_back();
    last.is_some_and(|word| NAMING.contains(&word.trim_end_matches(':')))
}

static NAMING: List = List::of("clause naming");

/// Whether a quoted word has something that it is done to.
fn acts_on(quoted: &str, after: &str) -> bool {
    let next = after.strip_prefix(' ').and_then(|rest| rest.split_whitespace().next());
    quoted.split_whitespace().count() == 1 && next.is_some_and(|word| DETERMINERS.contains(&word))
}

static DETERMINERS: List = List::of("clause determiners");

/// Words after which a quoted text is an order: to be run, typed, answered.
static CARRY_OUT: List = List::of("clause carry-out");

fn is_carried_out(before: &str) -> bool {
    if before.ends_with(['行', '令']) {
        return true;
    }
    let mut last = before.split_whitespace().rev().take(3);
    last.any(|word| CARRY_OUT.contains(&word.trim_end_matches(':')))
}
