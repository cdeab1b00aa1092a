//! What somebody's words say of a question, wherever they were written: on a work item, by mail, in a thread.
//!
//! ```text
//!   text ─► without quotations around it, a mail's signature, marks ─► an option by name or number? ── yes ─► Option
//!                                                                        └─ any text allowed? ── yes ─► Words
//!                                                                                             └─ no ──► Talk
//! ```
//!
//! *A number* names an option by its place. Where an option begins with a digit it names none, unless each is numbered
//! by its place itself (`1. old`): of `2 hours` and `1 hour` nobody could tell which `1` is.

use super::state::QuestionSpec;

/// What words say of a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    /// They name this option.
    Option(String),
    /// They name none, and any text is an answer.
    Words(String),
    /// They are no answer.
    Talk,
}

/// What stands around a word without changing it, in front.
const BEFORE: &[char] = &['*', '_', '`', '"', '\'', '“', '”', '„', '«', '»', '‘', '’', '(', '[', '#'];
/// The same behind. A question mark is not among them: `yes?` is no yes.
const BEHIND: &[char] =
    &['*', '_', '`', '"', '\'', '“', '”', '«', '»', '‘', '’', ')', ']', '.', '!', ',', ';', ':', '…'];
/// What separates a number from the name behind it.
const SEPARATORS: &[char] = &['.', ')', ':', '-', '–', ' '];
/// Lines at which a mail's own text ends.
const MAIL_ENDS: [&str; 3] = ["--", "-----Original Message-----", "________________________________"];

impl QuestionSpec {
    /// What this text says of the question.
    pub fn read_reply(&self, text: &str) -> Reply {
        let words = own_words(text);
        if words.is_empty() {
            return Reply::Talk;
        }
        let option = self.option_named(&words).or_else(|| self.option_named(without_mentions(&words)));
        match option {
            Some(option) => Reply::Option(option.to_owned()),
            None if self.options.is_empty() || self.allow_free_text => Reply::Words(words),
            None => Reply::Talk,
        }
    }

    fn option_named(&self, given: &str) -> Option<&str> {
        let by = |form: fn(&str) -> String| {
            let wanted = form(given);
            let mut fitting = self.options.iter().filter(|option| !wanted.is_empty() && form(option) == wanted);
            // What fits two names neither.
            fitting.next().filter(|_| fitting.next().is_none())
        };
        let named = by(lowered).or_else(|| by(bare)).or_else(|| self.option_numbered(&bare(given)));
        named.map(String::as_str)
    }

    /// An option by its number, which may be followed by its name.
    fn option_numbered(&self, given: &str) -> Option<&String> {
        let (number, name) = label(given.strip_prefix("option ").unwrap_or(given))?;
        let has_own =
            |(place, option): (usize, &String)| is_listed(option) && label(option).is_some_and(|(own, _)| own == place);
        let starts_with_digit = |option: &String| option.trim_start().starts_with(|c: char| c.is_ascii_digit());
        if self.options.iter().any(starts_with_digit) && !(1..).zip(&self.options).all(has_own) {
            return None;
        }
        let option = self.options.get(number.checked_sub(1)?)?;
        let name_of_option = label(option).map_or(option.as_str(), |(_, name)| name);
        (name.is_empty() || bare(name) == bare(name_of_option)).then_some(option)
    }
}

/// A text without quotations, the line that introduces one in a mail, a mail's signature, and marks nobody sees.
pub fn own_words(text: &str) -> String {
    let shown = without_marks(text);
    let mut lines: Vec<&str> = shown.lines().map(str::trim_end).collect();
    if let Some(end) = lines.iter().position(|line| MAIL_ENDS.contains(line)) {
        lines.truncate(end);
    }
    let is_quoted = |line: &&str| line.trim_start().starts_with('>');
    let skipped = lines.iter().take_while(|line| line.is_empty() || is_quoted(line)).count();
    let mut lines = lines.split_off(skipped);
    let mut quotes = false;
    while let Some(last) = lines.last() {
        if is_quoted(last) {
            quotes = true;
        } else if quotes && introduces_quotation(&lines) {
            // The sender's address is often on a line of its own.
            let goes_back = last.trim_start().starts_with('<') || !last.contains(|c: char| c.is_ascii_digit());
            if goes_back && lines.len() > 1 {
                lines.pop();
            }
        } else if !(last.is_empty() || last.starts_with("Sent from my ")) {
            break;
        }
        lines.pop();
    }
    lines.join("\n").trim().to_owned()
}

/// Whether the text ends as with `On Mon, 23 Nov 2026 at 10:00, Ann <ann@example.com> wrote:`, perhaps in two lines.
fn introduces_quotation(lines: &[&str]) -> bool {
    let Some((last, before)) = lines.split_last() else { return false };
    let dated = |line: &str| line.chars().filter(char::is_ascii_digit).count() >= 4;
    let continues = last.trim_start().starts_with('<') || last.trim_end_matches(':').split_whitespace().count() == 1;
    last.ends_with(':') && (dated(last) || (continues && before.last().is_some_and(|line| dated(line))))
}

/// A text without HTML comments, which people do not see.
fn without_marks(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once("<!--") {
        shown.push_str(before);
        rest = behind.split_once("-->").map_or("", |(_, behind)| behind);
    }
    shown.push_str(rest);
    shown
}

/// A text without the names that are called at its beginning and its end, as `@callboard, yes`.
fn without_mentions(text: &str) -> &str {
    let is_mention = |word: &str| (word.starts_with('@') && word.len() > 1) || word.starts_with("<@");
    let mut text = text.trim();
    while let Some(word) = text.split_whitespace().next().filter(|word| is_mention(word)) {
        text = text[word.len()..].trim_start();
    }
    while let Some(word) = text.split_whitespace().next_back().filter(|word| is_mention(word)) {
        text = text[..text.len() - word.len()].trim_end();
    }
    text
}

/// Words in lower case with one blank between them.
fn lowered(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

/// The same without emphasis, quotation marks, a list's mark, and the end of a sentence.
fn bare(text: &str) -> String {
    let keycap = |c: &char| !matches!(c, '\u{FE0F}' | '\u{20E3}');
    let text: String = lowered(text).chars().filter(keycap).collect();
    let text = text.strip_prefix("- ").or_else(|| text.strip_prefix("+ ")).unwrap_or(&text);
    let blank = char::is_whitespace;
    let text = text.trim_start_matches(|c| blank(c) || BEFORE.contains(&c));
    text.trim_end_matches(|c| blank(c) || BEHIND.contains(&c)).to_owned()
}

/// The number in front, and what stands behind it: `2` and `new` of `2. new`.
fn label(text: &str) -> Option<(usize, &str)> {
    let text = text.trim();
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (number, behind) = text.split_at(digits);
    let number = number.parse().ok()?;
    if behind.is_empty() {
        return Some((number, behind));
    }
    let name = behind.trim_start_matches(SEPARATORS);
    (name.len() < behind.len()).then_some((number, name))
}

/// Whether the number in front is that of a list, as in `2. new`, and counts nothing, as in `2 hours` and `2.5`.
fn is_listed(option: &str) -> bool {
    let behind = option.trim_start().trim_start_matches(|c: char| c.is_ascii_digit());
    behind.strip_prefix(['.', ')', ':']).is_some_and(|name| name.starts_with(char::is_whitespace))
}

#[cfg(test)]
mod tests;
