//! A text of any length for Discord: up to three messages that break no code block, above that a beginning and a file.

use crate::text::{for_discord, for_discord_block, for_discord_markdown};

/// The most UTF-16 units of one message; Discord refuses more than 2,000 characters.
pub const PART_LIMIT: usize = 1_900;
/// The most messages for one text.
const PARTS: usize = 3;
/// What a message keeps of a text that is attached.
const BEGINNING: usize = 600;
const FENCE: &str = "```";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outgoing {
    /// The messages, in order; at least one.
    pub parts: Vec<String>,
    /// The whole text as it came, where it is too long for messages: a file with the last part.
    pub file: Option<String>,
}

/// What is sent for `text` behind `head` and before `foot`.
///
/// Those are the hub's own words; the text is another's: its bold, its code and its lists stay, and all else of
/// Markdown is escaped. A head that ends with a blank goes on in the same line.
pub fn outgoing(head: &str, text: &str, foot: &str) -> Outgoing {
    let body = escaped(text);
    let break_after = |part: &str| if part.is_empty() || part.ends_with(' ') { "" } else { "\n" };
    let mut whole = if body.trim().is_empty() { head.to_owned() } else { format!("{head}{}{body}", break_after(head)) };
    if !foot.is_empty() {
        whole = format!("{}\n{foot}", whole.trim_end());
    }
    let parts = split(&whole);
    if parts.len() <= PARTS {
        return Outgoing { parts, file: None };
    }
    let begins = beginning(text, BEGINNING);
    let first = split(&format!("{head}{}{begins}\n(The whole text is attached.)\n{foot}", break_after(head)));
    Outgoing { parts: first.into_iter().take(PARTS).collect(), file: Some(text.to_owned()) }
}

/// Another's short text in one line of the hub's own: escaped, and cut to so many units as they are sent.
pub fn quoted(text: &str, most: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let escaped = for_discord(&line);
    let kept = whole_words(&escaped, most);
    if kept.len() == escaped.len() {
        return escaped;
    }
    format!("{}…", without_half_a_sign(kept))
}

/// The beginning of another's text for a message of the hub's own, of at most so many units; a block that the cut
/// leaves open is closed.
pub(super) fn beginning(text: &str, most: usize) -> String {
    shortened(&escaped(text), most)
}

/// The same of a text as it is sent.
pub fn shortened(all: &str, most: usize) -> String {
    let cut = whole_words(all, most);
    if cut.len() == all.len() {
        return all.to_owned();
    }
    let cut = without_half_a_sign(cut);
    if !cut.matches(FENCE).count().is_multiple_of(2) {
        return format!("{}\n{FENCE}…", cut.trim_end());
    }
    let line = cut.lines().next_back().unwrap_or_default();
    let ticks = line.matches('`').count() - line.matches("\\`").count();
    format!("{cut}{}…", if ticks.is_multiple_of(2) { "" } else { "`" })
}

/// A cut text without the beginning of a fence or of an escaped sign at its end.
fn without_half_a_sign(cut: &str) -> &str {
    let half = |text: &str| text.bytes().rev().take_while(|byte| *byte == b'\\').count() % 2;
    let before = cut.trim_end_matches('`');
    if cut.len() == before.len() + 1 && half(before) == 1 {
        return cut;
    }
    &before[..before.len() - half(before)]
}

/// At most so many UTF-16 units of a text's beginning, up to the end of a word where one ends in their second half.
pub(super) fn whole_words(text: &str, most: usize) -> &str {
    let mut units = 0;
    let past = |(_, c): &(usize, char)| {
        units += c.len_utf16();
        units > most
    };
    let Some((end, next)) = text.char_indices().find(past) else { return text };
    let cut = &text[..end];
    let word = if next.is_whitespace() { None } else { cut.rfind(char::is_whitespace).filter(|at| *at >= end / 2) };
    cut[..word.unwrap_or(end)].trim_end()
}

/// Escaped outside of code blocks; a block that is not closed is closed.
///
/// A block that begins with more than three backticks ends with as many, as Markdown has it. Discord knows no longer
/// fences: such a block is sent between three, and the runs in it are broken. Backticks around nothing are no block.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    let mut rest = text;
    while let Some((before, ticks)) = run(rest, FENCE.len()) {
        let behind = &rest[before.len() + ticks..];
        let (block, after) = match run(behind, ticks) {
            Some((block, closing)) => (block, &behind[block.len() + closing..]),
            None => (behind, ""),
        };
        out.push_str(&for_discord_markdown(before));
        if block.trim().is_empty() {
            let whole = &rest[before.len()..rest.len() - after.len()];
            out.push_str(&whole.replace('`', "\\`"));
        } else {
            let block = for_discord_block(block);
            let breaks = !block.ends_with('\n') && (block.contains('\n') || block.ends_with('`'));
            out.extend([FENCE, &block, if breaks { "\n" } else { "" }, FENCE]);
        }
        rest = after;
    }
    out.push_str(&for_discord_markdown(rest));
    out
}

/// The first run of at least so many backticks: what stands before it, and how long it is.
fn run(text: &str, least: usize) -> Option<(&str, usize)> {
    let mut from = 0;
    while let Some(at) = text[from..].find('`').map(|at| from + at) {
        let ticks = text[at..].bytes().take_while(|byte| *byte == b'`').count();
        if ticks >= least {
            return Some((&text[..at], ticks));
        }
        from = at + ticks;
    }
    None
}

/// Parts of at most [`PART_LIMIT`] units, cut between lines where that goes; a block is closed and opened anew.
fn split(text: &str) -> Vec<String> {
    let mut parts = Vec::new();
    let mut part = String::new();
    let mut open: Option<String> = None;
    for line in text.split_inclusive('\n').flat_map(pieces) {
        if !part.is_empty() && units(&part) + units(line) + FENCE.len() + 2 > PART_LIMIT {
            if let Some(opening) = &open {
                // A block of which nothing is here yet begins in the next part.
                match part.rfind(FENCE).filter(|at| part[*at..].trim() == opening.trim()) {
                    Some(at) => part.truncate(at),
                    None => part.push_str(if part.ends_with('\n') { FENCE } else { "\n```" }),
                }
            }
            parts.push(std::mem::take(&mut part));
            if let Some(opening) = &open {
                part.push_str(opening);
            }
        }
        part.push_str(line);
        for fence in line.match_indices(FENCE) {
            open = match open {
                Some(_) => None,
                None => Some(opening_of(&line[fence.0..])),
            };
        }
    }
    parts.push(part);
    let parts = parts.iter().map(|part| without_an_empty_block(part).trim().to_owned());
    let parts: Vec<String> = parts.filter(|part| !part.is_empty()).collect();
    if parts.is_empty() { vec!["(nothing)".to_owned()] } else { parts }
}

/// A part without the block at its beginning, where nothing of it was left behind the cut.
fn without_an_empty_block(part: &str) -> &str {
    let behind = part.strip_prefix(&opening_of(part)).filter(|_| part.starts_with(FENCE));
    behind.and_then(|behind| behind.trim_start().strip_prefix(FENCE)).unwrap_or(part)
}

/// How a block begins, with the language that it names, if any.
fn opening_of(fence: &str) -> String {
    let language: String = fence.chars().skip(FENCE.len()).take_while(|c| c.is_alphanumeric() || *c == '-').collect();
    let language = if language.chars().count() <= 20 { language } else { String::new() };
    format!("{FENCE}{language}\n")
}

/// A line in pieces that fit into a message.
fn pieces(line: &str) -> Vec<&str> {
    const PIECE: usize = PART_LIMIT - 100;
    const SLACK: usize = 50;
    let mut pieces = Vec::new();
    let (mut from, mut length) = (0, 0);
    for (at, c) in line.char_indices() {
        if length + c.len_utf16() > PIECE {
            // Neither a fence nor an escaped character is cut in two, unless there is nothing else for long.
            let escapes = line[from..at].bytes().rev().take_while(|byte| *byte == b'\\').count() % 2;
            if (c != '`' && escapes == 0) || length > PIECE + SLACK {
                pieces.push(&line[from..at]);
                (from, length) = (at, 0);
            }
        }
        length += c.len_utf16();
    }
    pieces.push(&line[from..]);
    pieces
}

pub(super) fn units(text: &str) -> usize {
    text.encode_utf16().count()
}
