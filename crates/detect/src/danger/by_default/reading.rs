//! A text as clauses of words, each with what its spelling says of it.

use crate::danger::clause::clauses as command_clauses;
use crate::danger::command::find as destroys;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Clause {
    pub(super) words: Vec<Word>,
    /// It belongs to a sentence that ends with a question mark.
    pub(super) asks: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Word {
    pub(super) text: String,
    pub(super) shape: Shape,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    Plain,
    /// Begins with a capital where no sentence begins.
    Capital,
    Number,
    /// The name of something in code: `parse_header`, `lib.rs`, or what stands in quotation marks.
    Name,
    Command,
    /// Leads out of the work at hand: an absolute path, a sum of money, signs of a shell.
    Outside,
}

/// The clauses of a text. `files` are the endings of files that hold text.
pub(super) fn clauses(text: &str, is_text_file: impl Fn(&str) -> bool) -> Vec<Clause> {
    let mut reader = Reader { done: Vec::new(), words: Vec::new(), sentence: 0, begins: true, is_text_file };
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let quoted = QUOTES.iter().find(|(open, _)| *open == c);
        let quoted = quoted.and_then(|(open, close)| rest[open.len_utf8()..].split_once(*close).map(|it| (*open, it)));
        if let Some((open, (inside, after))) = quoted {
            reader.quote(open, inside);
            rest = after;
        } else if is_of_word(c) {
            let end = rest.find(|c| !is_of_word(c)).unwrap_or(rest.len());
            let (word, after) = rest.split_at(end);
            reader.word(word, after);
            rest = after;
        } else {
            reader.sign(c);
            rest = &rest[c.len_utf8()..];
        }
    }
    reader.ends(false);
    reader.done
}

const QUOTES: [(char, char); 6] = [('`', '`'), ('"', '"'), ('“', '”'), ('„', '“'), ('«', '»'), ('‘', '’')];

/// The most words in quotation marks that are taken for a name.
const NAME: usize = 4;

/// The most letters of a unit: `150ms`, `24-hour`.
const UNIT: usize = 4;

fn is_letters(text: &str) -> bool {
    text.chars().all(|c| c.is_ascii_alphabetic())
}

fn is_colour(digits: &str) -> bool {
    matches!(digits.len(), 3 | 6 | 8) && digits.chars().all(|c| c.is_ascii_hexdigit())
}

fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || "-_'’/.$€£%+@~\\#:".contains(c)
}

struct Reader<F> {
    done: Vec<Clause>,
    words: Vec<Word>,
    /// Where the clauses of this sentence begin among those that are done.
    sentence: usize,
    begins: bool,
    is_text_file: F,
}

impl<F: Fn(&str) -> bool> Reader<F> {
    fn sign(&mut self, c: char) {
        match c {
            '?' | '？' | '؟' => self.ends(true),
            '!' | '！' | '。' | '\n' => self.ends(false),
            ',' | '，' | '、' | '(' | ')' | '[' | ']' | '–' | '—' | ';' | '…' | '¿' | '¡' => self.closes(),
            '|' | '>' | '<' | '&' | '`' => self.push("", Shape::Outside),
            _ => {}
        }
    }

    fn word(&mut self, word: &str, after: &str) {
        let ends = after.chars().next().is_none_or(|c| !is_of_word(c));
        let bare = word.trim_end_matches(['.', ':', '\'', '’']).trim_start_matches(['\'', '’']);
        if bare.chars().any(char::is_alphanumeric) {
            self.push(bare, self.shape(bare));
        }
        if ends && word.ends_with('.') {
            self.ends(false);
        } else if ends && word.ends_with(':') {
            self.closes();
        }
    }

    fn quote(&mut self, open: char, inside: &str) {
        let words = inside.split_whitespace().count();
        let acts = command_clauses(&inside.to_lowercase()).iter().any(|clause| destroys(clause).is_some());
        let shell = inside.contains(['|', '>', '<', '&', ';', '$', '`', '\n']);
        let shape = match (open, words) {
            _ if acts || shell => Shape::Outside,
            ('`', 1) => match self.shape(inside.trim()) {
                Shape::Outside => Shape::Outside,
                Shape::Plain | Shape::Capital | Shape::Number | Shape::Name | Shape::Command => Shape::Name,
            },
            ('`', _) => Shape::Command,
            (_, ..=NAME) => Shape::Name,
            _ => Shape::Outside,
        };
        self.push(inside.trim(), shape);
    }

    fn shape(&self, word: &str) -> Shape {
        let is_drive =
            word.chars().nth(1) == Some(':') && word.len() > 2 && word.starts_with(|c: char| c.is_ascii_alphabetic());
        if word.strip_prefix('#').is_some_and(is_colour) {
            return Shape::Number;
        }
        if word.starts_with(['/', '~', '\\', '@', '#']) || word.contains(['$', '€', '£', '\\', '@']) || is_drive {
            return Shape::Outside;
        }
        let unit = word.trim_start_matches(|c: char| c.is_ascii_digit() || ".,-".contains(c));
        let measured = word.starts_with(|c: char| c.is_ascii_digit()) && unit.len() <= UNIT && is_letters(unit);
        if measured || word.trim_start_matches('v').chars().all(|c| c.is_ascii_digit() || ".,:%-+".contains(c)) {
            return Shape::Number;
        }
        let inner = word.chars().zip(word.chars().skip(1));
        let camel = inner.into_iter().any(|(before, next)| before.is_lowercase() && next.is_uppercase());
        let file = word.rsplit_once('.').is_some_and(|(_, ending)| (self.is_text_file)(ending));
        let path = word.contains('/') && word.trim_end_matches('/').split('/').all(|part| !part.is_empty());
        if camel || file || path || word.contains('_') || word.contains("::") {
            return Shape::Name;
        }
        if !self.begins && word.chars().next().is_some_and(char::is_uppercase) { Shape::Capital } else { Shape::Plain }
    }

    fn push(&mut self, word: &str, shape: Shape) {
        self.words.push(Word { text: word.to_lowercase().replace('’', "'"), shape });
        self.begins = false;
    }

    fn closes(&mut self) {
        if !self.words.is_empty() {
            self.done.push(Clause { words: std::mem::take(&mut self.words), asks: false });
        }
    }

    fn ends(&mut self, asks: bool) {
        self.closes();
        for clause in &mut self.done[self.sentence..] {
            clause.asks = asks;
        }
        self.sentence = self.done.len();
        self.begins = true;
    }
}
