//! The way out: a text escaped for the place where it is shown. Each function takes any text, cleaned or not.

use std::borrow::Cow;

use super::class::{banned, is_held};
use super::secrets::redact;

/// For an operator's terminal: what could drive it is shown as `\u{1b}` instead. Line ends and tabs stay.
pub fn for_terminal(text: &str) -> Cow<'_, str> {
    reveal(text).0
}

/// The same, with how many characters had to be shown so: in a diff, what hides is what a reviewer has to see.
pub fn reveal(text: &str) -> (Cow<'_, str>, usize) {
    reveal_as(text, |c| format!("\\u{{{:x}}}", u32::from(c)))
}

/// For JSON that an operator's terminal may show: the same characters as JSON writes them, `\u009b`.
///
/// A program reads what was meant, and a terminal obeys nothing. Takes the written JSON.
pub fn for_json(json: &str) -> Cow<'_, str> {
    let escaped = |c: char| c.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04x}")).collect();
    reveal_as(json, escaped).0
}

/// What could drive a terminal or is not seen, each character in the given form, and how many there were.
fn reveal_as(text: &str, form: impl Fn(char) -> String) -> (Cow<'_, str>, usize) {
    if !text.chars().any(hides) {
        return (Cow::Borrowed(text), 0);
    }
    let mut count = 0;
    let mut shown = String::with_capacity(text.len() + 16);
    let mut before = None;
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        if banned(c).is_some() || is_line_separator(c) || !is_held(c, before, rest.peek().copied()) {
            shown.push_str(&form(c));
            count += 1;
        } else {
            shown.push(c);
        }
        before = Some(c);
    }
    (Cow::Owned(shown), count)
}

/// For a command line that a person or an agent types into a shell: one word, whatever it holds.
pub fn for_shell(word: &str) -> Cow<'_, str> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+,:@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return Cow::Borrowed(word);
    }
    Cow::Owned(format!("'{}'", word.replace('\'', r"'\''")))
}

/// For a log: one line, nothing that forges another or drives a terminal, and nothing of the shape of a secret.
pub fn for_log(text: &str) -> Cow<'_, str> {
    let text = redact(text);
    if !text.chars().any(|c| hides(c) || matches!(c, '\n' | '\t' | '\\')) {
        return text;
    }
    let plain = text.replace('\\', "\\\\").replace('\n', "\\n").replace('\t', "\\t");
    Cow::Owned(for_terminal(&plain).into_owned())
}

/// For the text of a page: markup and quotes as entities. The page sets text nodes; this is for what is not set by it.
pub fn for_html(text: &str) -> Cow<'_, str> {
    if !text.contains(['&', '<', '>', '"', '\'', '`']) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            '`' => escaped.push_str("&#96;"),
            c => escaped.push(c),
        }
    }
    Cow::Owned(escaped)
}

/// For a Discord message: no markup, no mention, no masked link. A bare `https://` address stays one.
///
/// The sender still sets `allowed_mentions: {parse: []}`; this keeps the text readable, that keeps people unpinged.
pub fn for_discord(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len() + 16);
    let mut at_line_start = true;
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let address = address_length(&text[at..], escaped.chars().next_back());
        if address > 0 {
            escaped.push_str(&text[at..at + address]);
            at += address;
            at_line_start = false;
            continue;
        }
        if is_discord_markup(c) || (at_line_start && starts_block(&text[at..])) {
            escaped.push('\\');
        }
        escaped.push(c);
        at_line_start = c == '\n' || (at_line_start && (c == ' ' || c == '\t'));
        at += c.len_utf8();
    }
    escaped
}

/// For a Discord message of several lines.
///
/// As [`for_discord`], but bold, italic, lists, quotations, and code within a line stay. What would hide text, mention
/// somebody, or hide where a link goes does not.
pub fn for_discord_markdown(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    for line in text.split_inclusive('\n') {
        // Between two single backticks of a line nothing is markup, and a backslash would be read.
        let pieces: Vec<&str> = line.split('`').collect();
        let paired = pieces.len() % 2 == 1 && pieces[1..].iter().step_by(2).all(|code| !code.is_empty());
        for (number, piece) in pieces.iter().enumerate() {
            if number > 0 {
                out.push_str(if paired { "`" } else { "\\`" });
            }
            if paired && number % 2 == 1 {
                out.push_str(piece);
            } else {
                escape_markdown(piece, number == 0, &mut out);
            }
        }
    }
    out
}

fn escape_markdown(text: &str, at_line_start: bool, out: &mut String) {
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let address = address_length(&text[at..], out.chars().next_back());
        if address > 0 {
            out.push_str(&text[at..at + address]);
            at += address;
            continue;
        }
        let begins = at_line_start && text[..at].trim().is_empty();
        let stays = matches!(c, '*' | '_') || (c == '>' && begins);
        if (is_discord_markup(c) && !stays) || (begins && text[at..].starts_with("-#")) {
            out.push('\\');
        }
        out.push(c);
        at += c.len_utf8();
    }
}

/// For the inside of a fenced block on Discord: a fence in the text is broken, so that it ends nothing.
pub fn for_discord_block(text: &str) -> String {
    let mut whole = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("```") {
        let (before, fence) = rest.split_at(at);
        let ticks = fence.len() - fence.trim_start_matches('`').len();
        whole.push_str(before);
        whole.push_str(&vec!["`"; ticks].join("\u{200B}"));
        rest = &fence[ticks..];
    }
    whole.push_str(rest);
    whole
}

/// Whether a character is dropped by `clean`, or might be.
fn hides(c: char) -> bool {
    banned(c).is_some() || is_line_separator(c) || !is_held(c, None, None)
}

const fn is_line_separator(c: char) -> bool {
    matches!(c, '\u{2028}' | '\u{2029}')
}

const fn is_discord_markup(c: char) -> bool {
    matches!(c, '\\' | '*' | '_' | '~' | '`' | '|' | '<' | '>' | '[' | ']' | '(' | ')' | '@' | '#')
}

/// Whether a list or a quiet line (`-# `) begins here; `1.` needs the sign before its point.
fn starts_block(rest: &str) -> bool {
    rest.starts_with("- ") || rest.starts_with("+ ") || rest.starts_with("-#")
}

/// The bytes of the web address that begins a text; 0 when none does.
fn address_length(rest: &str, before: Option<char>) -> usize {
    let scheme = if rest.starts_with("https://") {
        8
    } else if rest.starts_with("http://") {
        7
    } else {
        return 0;
    };
    // Behind a letter it is no address, and behind a bracket it could be the end of a masked link.
    if before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '(' | '<')) {
        return 0;
    }
    let allowed = |c: char| {
        c.is_ascii_alphanumeric()
            || matches!(c, '-' | '.' | '_' | '/' | '?' | '#' | '&' | '=' | '%' | '+' | ':' | ',' | ';')
    };
    let length = rest[scheme..].find(|c| !allowed(c)).unwrap_or(rest.len() - scheme);
    if length == 0 { 0 } else { scheme + length }
}
