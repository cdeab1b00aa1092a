//! For a forge or a tracker: texts of agents in which nothing acts by itself.
//!
//! Forges obey what stands in titles, texts and comments: a mention calls people, `#12` and `owner/repo#3` leave a
//! trace on other issues, `fixes` in front of a link closes one, a line that begins with `/` orders a bot about, and an
//! entity spells any of these. A space without width behind the sign breaks each, and people read the same. Code is
//! treated as all else: what is code is the forge's to say, and a text must not be able to pretend that it is.
//!
//! What the hub itself writes around such a text is not passed through here.

/// What breaks a sign and is not seen.
const BREAK: char = '\u{200B}';
/// With one of these in front, forges close the issue that a link leads to.
const CLOSING: [&str; 9] = ["close", "closes", "closed", "fix", "fixes", "fixed", "resolve", "resolves", "resolved"];
/// The longest name of an HTML entity, in bytes (`CounterClockwiseContourIntegral`).
const LONGEST_ENTITY: usize = 32;
/// What begins an address that is left whole.
const SCHEMES: [&str; 2] = ["https://", "http://"];

/// A text of somebody's that does nothing on a forge but to be read. Quieted twice it is quiet as well.
pub fn for_forge(text: &str) -> String {
    let mut quiet = String::with_capacity(text.len() + 16);
    let (mut before, mut begins_line, mut in_address) = (None, true, false);
    for (at, c) in text.char_indices() {
        let rest = &text[at..];
        let begins_word = before.is_none_or(|c: char| !c.is_alphanumeric());
        if begins_word && is_address(rest) {
            in_address = true;
        } else if c.is_whitespace() || matches!(c, '<' | '>' | '"') {
            in_address = false;
        }
        quiet.push(c);
        let behind = &rest[c.len_utf8()..];
        let number_follows = behind.starts_with(|c: char| c.is_ascii_digit());
        let acts = match c {
            '@' => true,
            '#' => number_follows && !in_address,
            '!' => number_follows && begins_word && !in_address,
            '-' => number_follows && !in_address && ends_with(&text[..at], "gh"),
            '&' => is_entity(behind),
            '<' => behind.starts_with("!--"),
            '/' => begins_line && behind.starts_with(|c: char| c.is_ascii_alphabetic()),
            c => c.is_ascii_alphabetic() && begins_word && closes(rest),
        };
        if acts && !behind.starts_with(BREAK) {
            quiet.push(BREAK);
        }
        begins_line = c == '\n' || (begins_line && (c.is_whitespace() || matches!(c, '>' | '-' | '*' | '+')));
        before = Some(c);
    }
    quiet
}

fn is_address(text: &str) -> bool {
    let host = SCHEMES.iter().find_map(|scheme| text.strip_prefix(scheme));
    host.is_some_and(|host| host.starts_with(|c: char| c.is_ascii_alphanumeric()))
}

/// Whether a text ends with this word, whatever its case.
fn ends_with(text: &str, word: &str) -> bool {
    let start = text.len().saturating_sub(word.len());
    text.is_char_boundary(start)
        && text[start..].eq_ignore_ascii_case(word)
        && !text[..start].ends_with(char::is_alphanumeric)
}

/// Whether what follows an ampersand makes an entity of it.
fn is_entity(behind: &str) -> bool {
    let name = behind.split(';').next().filter(|name| name.len() < behind.len() && name.len() <= LONGEST_ENTITY);
    let name = name.unwrap_or_default();
    match name.strip_prefix('#') {
        Some(number) => !number.is_empty() && number.chars().all(|c| c.is_ascii_alphanumeric()),
        None => !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric()),
    }
}

/// Whether a word that closes what the link behind it leads to begins here.
fn closes(text: &str) -> bool {
    let word = text.len() - text.trim_start_matches(|c: char| c.is_ascii_alphabetic()).len();
    let (word, behind) = text.split_at(word);
    let behind = behind.strip_prefix(':').unwrap_or(behind);
    let link = behind.trim_start_matches(|c: char| c.is_whitespace() || c == '<');
    CLOSING.iter().any(|known| word.eq_ignore_ascii_case(known)) && link.len() < behind.len() && is_address(link)
}

#[cfg(test)]
mod tests;
