//! What was typed at a prompt for a secret, and came back as output: a program that does not hide what is typed, a log
//! of such a session. It is taken out before anything is drawn, kept, searched or shown.
//!
//! A line that begins with a prompt for a secret and goes on is such an echo. Rather too much than too little: a line
//! `Token: abc` of a listing loses its token too.

use std::borrow::Cow;
use std::time::Duration;

use super::detect::detect;
use super::kind::PromptKind;
use super::line::{OpenLine, last_bytes};
use super::patterns::Patterns;
use super::redact::REDACTED;
use super::rule::{LONGEST_CORE, View, may_name_secret, names_secret, secret_by_words};
use super::screen_view::{Moment, ScreenView};

/// How much of a line is looked at.
const MOST_LINE: usize = 256;
/// At how many places of one line a prompt may end.
const MOST_ENDS: usize = 8;
/// How sure it must be that a line asks for a secret.
const SURE: f64 = 0.9;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct EchoStrainer {
    /// An echo goes on until its line ends.
    hiding: bool,
}

impl EchoStrainer {
    /// `bytes` without the secrets in them. `line` is what stood left of the cursor before they came.
    pub fn strain<'a>(&mut self, line: &str, bytes: &'a [u8]) -> Cow<'a, [u8]> {
        self.strain_with(line, bytes, Patterns::NONE)
    }

    /// The same where an operator added prompts for secrets.
    pub fn strain_with<'a>(&mut self, line: &str, bytes: &'a [u8], patterns: &Patterns) -> Cow<'a, [u8]> {
        let named = may_name_secret(line.as_bytes()) || may_name_secret(bytes) || border(line, bytes);
        if !self.hiding && !named && !patterns.has_secrets() {
            return Cow::Borrowed(bytes);
        }
        let mut kept = Vec::with_capacity(bytes.len());
        let mut line = last_bytes(line, MOST_LINE).to_owned();
        for row in bytes.split_inclusive(|byte| ends_line(*byte)) {
            // Most of what is printed names no secret, and behind a line end nothing stands.
            let passes = !self.hiding && line.is_empty() && !patterns.has_secrets() && !may_name_secret(row);
            if passes {
                kept.extend_from_slice(row);
            } else {
                self.row(&mut line, row, &mut kept, patterns);
            }
        }
        Cow::Owned(kept)
    }

    /// A row, or what there is of it, behind `line`.
    fn row(&mut self, line: &mut String, row: &[u8], kept: &mut Vec<u8>, patterns: &Patterns) {
        let mut escaped = false;
        for piece in row.split_inclusive(|byte| is_control(*byte)) {
            let (text, end) = match piece.split_last() {
                Some((last, text)) if is_control(*last) => (text, Some(*last)),
                Some(_) | None => (piece, None),
            };
            let (sequence, text) = text.split_at(if escaped { sequence_length(text) } else { 0 });
            kept.extend_from_slice(sequence);
            if moves(sequence) {
                line.clear();
            }
            if !self.hiding {
                self.pass(line, text, kept, patterns);
            }
            if let Some(end) = end {
                self.hiding = false;
                kept.push(end);
                if ends_line(end) {
                    line.clear();
                }
            }
            escaped = end == Some(0x1b);
        }
    }

    /// A stretch of text behind `line`; what is an echo in it is left out, and what follows it is hidden.
    fn pass(&mut self, line: &mut String, text: &[u8], kept: &mut Vec<u8>, patterns: &Patterns) {
        let seen = String::from_utf8_lossy(text);
        match echo_in(line, &seen, patterns) {
            Some(at) => {
                kept.extend_from_slice(&seen.as_bytes()[..at]);
                kept.extend_from_slice(REDACTED.as_bytes());
                self.hiding = true;
                line.push_str(&seen[..at]);
            }
            None => {
                kept.extend_from_slice(text);
                line.push_str(&seen);
            }
        }
        *line = last_bytes(line, MOST_LINE).to_owned();
    }
}

/// How long the sequence is that begins behind an escape.
fn sequence_length(text: &[u8]) -> usize {
    match text.first() {
        Some(b'[') => text.iter().skip(1).position(|byte| matches!(byte, b'@'..=b'~')).map_or(text.len(), |at| at + 2),
        Some(_) => 1,
        None => 0,
    }
}

/// Whether a sequence may put the cursor elsewhere: what comes then is not of this line.
fn moves(sequence: &[u8]) -> bool {
    sequence.first() == Some(&b'[') && !matches!(sequence.last(), Some(b'm' | b'K' | b'h' | b'l'))
}

/// What ends a line, or begins a sequence: an echo has none of it. A person who corrects a letter goes on in the line.
const fn is_control(byte: u8) -> bool {
    byte < b' ' && !matches!(byte, 0x08 | b'\t')
}

const fn ends_line(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

/// Whether a word for a secret may stand across the border.
fn border(line: &str, bytes: &[u8]) -> bool {
    let line = line.as_bytes();
    let (left, right) = (&line[line.len().saturating_sub(LONGEST_CORE)..], &bytes[..bytes.len().min(LONGEST_CORE)]);
    may_name_secret(&[left, right].concat())
}

/// Where in `text`, which follows `line`, the echo of a secret begins.
fn echo_in(line: &str, text: &str, patterns: &Patterns) -> Option<usize> {
    let whole = format!("{line}{text}");
    let begin = |end: usize| {
        let rest = &whole[end..];
        let written = end + (rest.len() - rest.trim_start().len());
        (!rest.trim().is_empty()).then(|| written.saturating_sub(line.len()))
    };
    if let Some(at) = patterns.end_of_secret_prompt(&whole).and_then(begin) {
        return Some(at);
    }
    if !may_name_secret(whole.as_bytes()) || !names_secret(&whole.to_lowercase()) {
        return None;
    }
    let mut ends: Vec<usize> = Vec::new();
    if !line.trim().is_empty() {
        ends.push(line.len());
    }
    let marks = text.char_indices().filter(|(_, sign)| matches!(sign, ':' | '：'));
    ends.extend(marks.map(|(at, sign)| line.len() + at + sign.len_utf8()));
    ends.into_iter().take(MOST_ENDS).find_map(|end| {
        let (prompt, rest) = whole.split_at(end);
        // A scheme, a bracket that is open, answers to choose from: the prompt goes on.
        let answers = prompt.trim_end().ends_with('?') && rest.trim_start().starts_with(['[', '(']);
        let goes_on = rest.starts_with("//") || opens(prompt) || answers;
        // What comes after a pause is typed, whatever stands before it: `client_secret = `.
        let paused = end == line.len();
        if goes_on || rest.trim().is_empty() || !(paused || ends_as_prompt(prompt)) || !asks_for_secret(prompt) {
            return None;
        }
        let begin = end + (rest.len() - rest.trim_start().len());
        Some(begin.saturating_sub(line.len()))
    })
}

fn opens(prompt: &str) -> bool {
    let more = |open: char, close: char| prompt.matches(open).count() > prompt.matches(close).count();
    more('(', ')') || more('[', ']') || quotes(prompt) % 2 == 1
}

/// How many quotes there are: the mark in `ada's` is none.
fn quotes(prompt: &str) -> usize {
    let letters = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    let quote = |at: &usize| !(letters(prompt[..*at].chars().next_back()) && letters(prompt[at + 1..].chars().next()));
    prompt.match_indices('\'').map(|(at, _)| at).filter(quote).count()
}

fn asks_for_secret(prompt: &str) -> bool {
    // Without such a name nobody is that sure.
    if !may_name_secret(prompt.as_bytes()) {
        return false;
    }
    let sight = ScreenView::of_text(&format!("{} ", prompt.trim_end()));
    // Of a row by itself, no other rule says so; most rows with a colon end here.
    let view = View { sight: &sight, line: &OpenLine::of(&sight), patterns: Patterns::NONE };
    if secret_by_words(view).is_none() {
        return false;
    }
    let moment = Moment { quiet: Some(Duration::ZERO), ..Moment::default() };
    detect(&sight, &moment).is_some_and(|found| found.prompt_type == PromptKind::Password && found.confidence >= SURE)
}

fn ends_as_prompt(prompt: &str) -> bool {
    prompt.trim_end().ends_with([':', '：', '?', '>', '»', '›'])
}

#[cfg(test)]
mod tests;
