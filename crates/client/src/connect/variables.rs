//! Variables in the texts of an entry, as each client writes them. What a client would put there comes from its own
//! environment; here it is looked for in that of whoever asks.

use std::collections::BTreeMap;

use super::client::Client;

/// A value of an entry; or what it names and is not set here.
pub(super) type Given = Result<String, String>;

/// Values of an entry by their names: variables of a program's environment, headers of a request.
pub type Values = BTreeMap<String, Given>;

/// The text with its variables' values in it. The error is the first name that has no value here.
pub(super) fn filled(client: Client, text: &str, value: &impl Fn(&str) -> Option<String>) -> Given {
    let mut whole = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, reference, after)) = next(client, rest) {
        whole.push_str(before);
        whole.push_str(&resolved(reference, value)?);
        rest = after;
    }
    whole.push_str(rest);
    Ok(whole)
}

/// What stands before the next reference, the reference without its braces, and what stands behind it.
fn next(client: Client, text: &str) -> Option<(&str, &str, &str)> {
    let opens = match client {
        Client::Codex => return None,
        Client::Opencode => "{",
        Client::Claude | Client::Gemini | Client::Qwen | Client::Cursor | Client::Vscode | Client::Json => "${",
    };
    let braced = text.match_indices(opens).find_map(|(at, _)| {
        let inside = &text[at + opens.len()..];
        let (name, after) = inside.split_once('}')?;
        // A brace of its own in a text is none of ours.
        let is_ours = client != Client::Opencode || name.starts_with("env:") || name.starts_with("file:");
        is_ours.then_some((at, name, after))
    });
    let plain = matches!(client, Client::Gemini | Client::Qwen).then(|| unbraced(text)).flatten();
    let (at, name, after) = [braced, plain].into_iter().flatten().min_by_key(|(at, _, _)| *at)?;
    Some((&text[..at], name, after))
}

/// `$NAME`, as Gemini CLI and Qwen Code read it too.
fn unbraced(text: &str) -> Option<(usize, &str, &str)> {
    text.match_indices('$').find_map(|(at, _)| {
        let name = &text[at + 1..];
        let end = name.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(name.len());
        (end > 0).then(|| (at, &name[..end], &name[end..]))
    })
}

/// `NAME`, `NAME:-otherwise` or `env:NAME`. Whatever else a client knows, such as what it asks its user for, is not.
fn resolved(reference: &str, value: &impl Fn(&str) -> Option<String>) -> Given {
    let (name, otherwise) = match reference.split_once(":-") {
        Some((name, otherwise)) => (name, Some(otherwise)),
        None => (reference, None),
    };
    let name = name.strip_prefix("env:").unwrap_or(name);
    value(name).or_else(|| otherwise.map(str::to_owned)).ok_or_else(|| name.to_owned())
}

#[cfg(test)]
mod tests;
