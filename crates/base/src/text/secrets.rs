//! The shapes of secrets: tokens of the hub and of the services it speaks to. A shape is no proof, and not every secret
//! has one; what is known to be a secret is never handed to a sink in the first place.

use std::borrow::Cow;
use std::ops::Range;

/// How kinds of tokens begin, and how many characters of their own must follow at least.
const PREFIXES: [(&str, usize); 3] = [
    ("cb_a_ cb_u_ cb_s_ cb_h_ cb_r_ ghp_ gho_ ghu_ ghs_ ghr_ github_pat_", 20),
    ("glpat- whsec_ sk-ant- sk-proj- xoxa- xoxb- xoxe- xoxp- xoxr- xoxs- xapp-", 16),
    ("AIza npm_ hf_", 30),
];

/// How the id of a key of AWS begins. Exactly 16 capitals and digits follow: other words begin so, too.
const KEY_IDS: [&str; 2] = ["AKIA", "ASIA"];

/// How other keys of models begin, and how long a part with a digit is that only a key has.
const MODEL_KEY: (&str, usize) = ("sk-", 20);

/// How the name ends of what is a secret whatever it looks like, as in `--api-key` and `AWS_SECRET_ACCESS_KEY`.
const NAMES: &str = "password passwd passphrase secret token apikey api_key api-key access_key access-key private_key \
                     private-key authorization";

/// What the names of cookies hold that let their bearer in.
const SESSIONS: &str = "sess sid auth token csrf xsrf jwt";

/// A header whose value begins with the name of a scheme.
const AUTHORIZATION: &str = "authorization";

/// The fewest characters of a bearer's token, and of a secret that only a colon separates from its name.
const SHORTEST: usize = 6;

const PRIVATE_KEY: &str = "PRIVATE KEY-----";

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
    let behind = |prefix: &str| {
        let (before, body) = word.split_once(prefix)?;
        (!before.ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_')).then_some(body)
    };
    let is_long = |prefix: &str, length: usize| behind(prefix).is_some_and(|body| body.len() >= length);
    let is_id = |body: &str| {
        let own = body.find(|c: char| !c.is_ascii_uppercase() && !c.is_ascii_digit()).unwrap_or(body.len());
        own == 16 && !body[own..].starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_')
    };
    let is_of_key = |part: &str| part.len() >= MODEL_KEY.1 && part.contains(|c: char| c.is_ascii_digit());
    PREFIXES.iter().any(|(prefixes, length)| prefixes.split(' ').any(|prefix| is_long(prefix, *length)))
        || KEY_IDS.iter().any(|prefix| behind(prefix).is_some_and(is_id))
        || behind(MODEL_KEY.0).is_some_and(|body| body.split(['-', '/', '.', '=']).any(is_of_key))
        || is_discord_token(word)
        || is_web_token(word)
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
        // A short one could be a command: those of lower case are shown, and paths.
        let is_plain = line.starts_with('/') || !line.contains(|c: char| c.is_ascii_uppercase());
        let could_be_run = line.len() < 40 && is_plain && !is_secret(line);
        (!could_be_run && line.chars().all(|c| c.is_ascii_alphanumeric() || "+/=_".contains(c)))
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

/// The values of `password=…`, `"api_key": "…"`, `--token …`, `Authorization: Bearer …`,
/// `curl -u user:…` and `Cookie: sid=…`.
fn named(text: &str) -> Vec<Range<usize>> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    let (mut found, mut at) = (Vec::new(), 0);
    while let Some(offset) = text[at..].find(is_name) {
        let begin = at + offset;
        at = text[begin..].find(|c| !is_name(c)).map_or(text.len(), |length| begin + length);
        let (name, rest) = (&text[begin..at], &text[at..]);
        let value = value_of(name, rest).or_else(|| password_of(&text[..begin], name, rest));
        let values = value.into_iter().chain(cookies_of(name, rest)).filter(|value| !value.is_empty());
        let own = found.len();
        found.extend(values.map(|value| at + value.start..at + value.end));
        at = found[own..].last().map_or(at, |value| value.end);
    }
    found
}

/// Where in `rest` the secret stands that `name` calls one; none where it calls none, or where a variable, a
/// placeholder or an expression stands in its place.
fn value_of(name: &str, rest: &str) -> Option<Range<usize>> {
    let ends = |end: &str| ends_with(name, end);
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
    hidden(rest, quote, value, sure)
}

/// Where in `rest` the password stands of `-u user:password`, behind the words of a command that calls `curl`.
fn password_of(before: &str, name: &str, rest: &str) -> Option<Range<usize>> {
    let command = before.rsplit([';', '|', '&', '\n']).next()?;
    if !name.starts_with('-') || !command.contains("curl") {
        return None;
    }
    let (quote, value) = match rest.strip_prefix(':') {
        Some(password) if name.starts_with("-u") => (None, password),
        Some(_) | None => {
            let is_flag = name.ends_with("-user") || (!name.starts_with("--") && name.ends_with(['u', 'U']));
            let (quote, value) = unquoted(rest.trim_start_matches([' ', '=']));
            let (user, password) = value.split_once(':').filter(|_| is_flag)?;
            (quote, (!user.contains([' ', '\n', '"', '\'', '\\'])).then_some(password)?)
        }
    };
    hidden(rest, quote, value, true)
}

/// The values in `Cookie: sid=…; theme=…`. A shell may run what stands behind a semicolon: of that those are hidden
/// whose names say that they let somebody in.
fn cookies_of(name: &str, rest: &str) -> Vec<Range<usize>> {
    let pairs = unquoted(rest).1.trim_start_matches(' ').strip_prefix(':');
    let mut found = Vec::new();
    let Some(pairs) = pairs.filter(|_| ends_with(name, "cookie")) else { return found };
    let (_, pairs) = unquoted(pairs.trim_start_matches(' '));
    let mut at = rest.len() - pairs.len();
    for (place, pair) in pairs.split_inclusive(';').enumerate() {
        let Some((name, value)) = pair.split_once('=') else { break };
        let name = name.trim_start_matches(' ').to_ascii_lowercase();
        if name.contains(|c: char| !is_token_char(c)) {
            break;
        }
        let length = value.find(|c| !is_token_char(c) && !matches!(c, '%' | ':' | '~')).unwrap_or(value.len());
        if place == 0 || SESSIONS.split(' ').any(|part| name.contains(part)) {
            let begin = at + pair.len() - value.len();
            found.push(begin..begin + length);
        }
        if !value[length..].starts_with(';') {
            break;
        }
        at += pair.len();
    }
    found
}

fn ends_with(name: &str, end: &str) -> bool {
    let from = name.len().checked_sub(end.len());
    from.is_some_and(|from| name.as_bytes()[from..].eq_ignore_ascii_case(end.as_bytes()))
}

/// Where in `rest` that begins with `value` stands what is hidden of it; `sure` where it is a secret however it looks.
fn hidden(rest: &str, quote: Option<char>, value: &str, sure: bool) -> Option<Range<usize>> {
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
