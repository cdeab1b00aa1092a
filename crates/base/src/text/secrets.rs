//! The shapes of secrets: tokens of the hub and of the services it speaks to. A shape is no proof, and not every secret
//! has one; what is known to be a secret is never handed to a sink in the first place.

use std::borrow::Cow;
use std::ops::Range;

/// How a kind of token begins, and how many of its own characters must follow.
const PREFIXES: [(&str, usize); 21] = [
    ("cb_a_", 20),
    ("cb_u_", 20),
    ("cb_s_", 20),
    ("cb_h_", 20),
    ("cb_r_", 20),
    ("ghp_", 20),
    ("gho_", 20),
    ("ghu_", 20),
    ("ghs_", 20),
    ("ghr_", 20),
    ("github_pat_", 20),
    ("glpat-", 16),
    ("whsec_", 16),
    ("sk-ant-", 16),
    ("sk-proj-", 16),
    ("xoxb-", 16),
    ("xoxp-", 16),
    ("xapp-", 16),
    ("AKIA", 16),
    ("npm_", 30),
    ("hf_", 30),
];

/// How the name ends of what is a secret whatever it looks like, as in `--api-key` and `AWS_SECRET_ACCESS_KEY`.
const NAMES: &str = "password passwd passphrase secret token apikey api_key api-key access_key access-key private_key \
                     private-key authorization";

/// A header whose value begins with the name of a scheme.
const AUTHORIZATION: &str = "authorization";

/// The fewest characters of a bearer's token, and of a secret that only a colon separates from its name.
const SHORTEST: usize = 6;

const PRIVATE_KEY: &str = "PRIVATE KEY-----";

/// Whether a text holds something of the shape of a secret.
pub fn holds_secret(text: &str) -> bool {
    !private_keys(text).is_empty() || words(text).any(|word| is_secret(&text[word])) || !url_passwords(text).is_empty()
}

/// The text with everything of the shape of a secret, and whatever is called one, replaced by `[secret]`.
pub fn redact(text: &str) -> Cow<'_, str> {
    let mut hidden: Vec<Range<usize>> = words(text).filter(|word| is_secret(&text[word.clone()])).collect();
    hidden.extend(url_passwords(text));
    hidden.extend(private_keys(text));
    hidden.extend(named(text));
    if hidden.is_empty() {
        return Cow::Borrowed(text);
    }
    hidden.sort_by_key(|range| range.start);
    let mut clean = String::with_capacity(text.len());
    let mut at = 0;
    for range in hidden {
        if range.start >= at {
            clean.push_str(&text[at..range.start]);
            clean.push_str("[secret]");
        }
        at = at.max(range.end);
    }
    clean.push_str(&text[at..]);
    Cow::Owned(clean)
}

fn is_token_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '+' | '/' | '=')
}

/// The stretches of a text that could be a token.
fn words(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let begin = at + text[at..].find(is_token_char)?;
        let end = text[begin..].find(|c| !is_token_char(c)).map_or(text.len(), |length| begin + length);
        at = end;
        Some(begin..end)
    })
}

fn is_secret(word: &str) -> bool {
    let prefixed = PREFIXES.iter().any(|(prefix, length)| {
        word.find(prefix).is_some_and(|at| {
            let begins = word[..at].chars().next_back().is_none_or(|c| !c.is_ascii_alphanumeric() && c != '_');
            begins && word.len() - at >= prefix.len() + length
        })
    });
    prefixed || is_discord_token(word) || is_web_token(word)
}

/// Three parts: the user's id in base 64, a time, a signature.
fn is_discord_token(word: &str) -> bool {
    let parts: Vec<&str> = word.split('.').collect();
    let [id, time, signature] = parts[..] else { return false };
    (23..=30).contains(&id.len())
        && (5..=7).contains(&time.len())
        && (27..=45).contains(&signature.len())
        && id.starts_with(['M', 'N', 'O'])
}

/// A JSON web token: its header in base 64 always begins so.
fn is_web_token(word: &str) -> bool {
    let parts: Vec<&str> = word.split('.').collect();
    let [header, claims, signature] = parts[..] else { return false };
    header.starts_with("eyJ") && claims.starts_with("eyJ") && signature.len() >= 16
}

/// Whether a shell would run a part of it. That is never hidden: who gives leave for a command reads all of it.
fn is_run(value: &str) -> bool {
    value.contains(['`', ';', '|', '&', '<', '>', '\n']) || value.contains("$(") || value.contains("${")
}

/// Keys in PEM, each from its first line over the lines that only a key has, also where its end is missing.
fn private_keys(text: &str) -> Vec<Range<usize>> {
    let is_of_key = |line: &str| {
        let line = line.trim();
        line.chars().all(|c| c.is_ascii_alphanumeric() || "+/=_".contains(c))
            || line.starts_with("Proc-Type: ")
            || line.starts_with("DEK-Info: ")
    };
    let (mut found, mut from) = (Vec::new(), 0);
    while let Some(begin) = text[from..].find("-----BEGIN ").map(|offset| from + offset) {
        from = begin + 1;
        let Some(length) = text[begin..].find(PRIVATE_KEY) else { break };
        if text[begin..begin + length].contains(|c: char| !c.is_ascii_uppercase() && !matches!(c, ' ' | '-')) {
            continue;
        }
        let mut end = begin + length + PRIVATE_KEY.len();
        // Its lines may be those of a text that is quoted itself.
        while let Some(rest) = ["\r\n", "\n", "\\r\\n", "\\n"].iter().find_map(|ends| text[end..].strip_prefix(ends)) {
            let line = &rest[..rest.find(['\r', '\n', '\\']).unwrap_or(rest.len())];
            let at = text.len() - rest.len();
            if line.starts_with("-----END ") && line.contains(PRIVATE_KEY) {
                end = at + line.find(PRIVATE_KEY).unwrap_or_default() + PRIVATE_KEY.len();
                break;
            }
            if !is_of_key(line) {
                break;
            }
            end = at + line.len();
        }
        found.push(begin..end);
        from = end;
    }
    found
}

/// The passwords of `scheme://user:password@host`.
fn url_passwords(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(offset) = text[from..].find("://") {
        let begin = from + offset + 3;
        let end = text[begin..]
            .find(|c: char| c.is_whitespace() || matches!(c, '/' | '?' | '#' | '"' | '\''))
            .map_or(text.len(), |length| begin + length);
        if let Some((user, _)) = text[begin..end].rsplit_once('@')
            && let Some((name, password)) = user.split_once(':')
            && !matches!(password, "" | "[secret]")
            && !is_run(password)
        {
            let start = begin + name.len() + 1;
            found.push(start..start + password.len());
        }
        from = begin;
    }
    found
}

/// The values of `password=…`, `"api_key": "…"`, `--token …` and `Authorization: Bearer …`.
fn named(text: &str) -> Vec<Range<usize>> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    let (mut found, mut at) = (Vec::new(), 0);
    while let Some(offset) = text[at..].find(is_name) {
        let begin = at + offset;
        at = text[begin..].find(|c| !is_name(c)).map_or(text.len(), |length| begin + length);
        let value = value_of(&text[begin..at], &text[at..]);
        if let Some(value) = value.filter(|value| !value.is_empty()) {
            found.push(at + value.start..at + value.end);
            at += value.end;
        }
    }
    found
}

/// Where in `rest` the secret stands that `name` calls one; none where it calls none, or where a variable, a
/// placeholder or an expression stands in its place.
fn value_of(name: &str, rest: &str) -> Option<Range<usize>> {
    let ends = |end: &str| {
        name.len()
            .checked_sub(end.len())
            .is_some_and(|from| name.as_bytes()[from..].eq_ignore_ascii_case(end.as_bytes()))
    };
    let (header, bearer) = (ends(AUTHORIZATION), name.eq_ignore_ascii_case("bearer"));
    if !bearer && !NAMES.split(' ').any(ends) {
        return None;
    }
    // `"name": "value"`, which may stand within a text that is quoted itself.
    let (_, behind) = unquoted(rest);
    let spaced = behind.trim_start_matches(' ');
    let (value, sure) = if let Some(value) = behind.strip_prefix('=').filter(|value| !value.starts_with('=')) {
        (value, true)
    } else if let Some(value) = spaced.strip_prefix([':', '=']) {
        (value.trim_start_matches(' '), header)
    } else if bearer || name.starts_with("--") {
        (spaced, !bearer)
    } else {
        return None;
    };
    let (quote, mut value) = unquoted(value);
    if header
        && let Some((scheme, credentials)) = value.split_once(' ')
        && scheme.chars().all(char::is_alphabetic)
    {
        value = credentials;
    }
    let ends = |c: char| match quote {
        Some(quote) => c == quote || matches!(c, '\n' | '\\'),
        None => c.is_whitespace() || "\"'`\\&;,|()<>[]{}".contains(c),
    };
    let shown = &value[..value.find(ends).unwrap_or(value.len())];
    let telling = shown.len() >= SHORTEST && shown.contains(|c: char| c.is_ascii_digit());
    let stands_for =
        shown.starts_with(['$', '*', '%', '-']) || shown.chars().all(|c| c.is_ascii_uppercase() || c == '_');
    if is_run(shown) || quote.is_some_and(|quote| shown.contains(if quote == '"' { '\'' } else { '"' })) {
        return None;
    }
    let is_secret = (sure || quote.is_some() || telling) && !stands_for && !matches!(shown, "true" | "false" | "null");
    let from = rest.len() - value.len();
    is_secret.then_some(from..from + shown.len())
}

/// What follows a quotation mark, and the mark.
fn unquoted(text: &str) -> (Option<char>, &str) {
    let inner = text.strip_prefix('\\').unwrap_or(text);
    match inner.chars().next() {
        Some(quote @ ('"' | '\'')) => (Some(quote), &inner[1..]),
        Some(_) | None => (None, text),
    }
}
