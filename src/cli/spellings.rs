//! The spellings of 0.1, understood until 0.3, are replaced before parsing: help and completions know only today's.

use std::ffi::{OsStr, OsString};

/// How a command began, and how it begins now. The first that fits counts.
const BEGINNINGS: [(&[&str], &[&str]); 13] = [
    (&["agents"], &["agent", "list"]),
    (&["answer"], &["question", "answer"]),
    (&["check-config"], &["config", "check"]),
    (&["discord", "check"], &["doctor", "discord"]),
    (&["forge", "check"], &["doctor", "forge"]),
    (&["questions"], &["question", "list"]),
    (&["sessions", "show"], &["session", "show"]),
    (&["sessions"], &["session", "list"]),
    (&["tail"], &["session", "follow"]),
    (&["task", "tail"], &["task", "follow"]),
    (&["tasks"], &["task", "list"]),
    (&["tracker", "check"], &["doctor", "tracker"]),
    (&["webhook", "change"], &["webhook", "change"]),
];

/// `help NOUN VERB` and `NOUN help VERB` as `NOUN VERB --help`, and `version` as its flag, as other programs have it.
/// `has_verbs`: whether this noun has verbs, so that its second word is one and no argument.
pub(super) fn asking(mut typed: Vec<OsString>, has_verbs: impl Fn(&OsStr) -> bool) -> Vec<OsString> {
    let end = typed.iter().position(|word| word == "--").unwrap_or(typed.len());
    let operands = operands(&typed[..end]);
    let at = match operands.as_slice() {
        [first] if typed[*first] == "version" => {
            typed[*first] = "--version".into();
            return typed;
        }
        [first, ..] if typed[*first] == "help" => *first,
        [noun, second, ..] if typed[*second] == "help" && has_verbs(&typed[*noun]) => *second,
        _ => return typed,
    };
    typed.insert(end, "--help".into());
    typed.remove(at);
    typed
}

/// The first word that names a command, as far as the flags before it are known.
pub(super) fn noun(typed: &[OsString]) -> Option<&str> {
    typed[*operands(typed).first()?].to_str()
}

/// The flags that take a value, where one may stand before the second word of a command.
const WITH_VALUE: [&str; 9] =
    ["--url", "--token-file", "--data-dir", "--config", "--state", "--agent", "--limit", "--output", "-o"];

pub(super) fn of_today(mut typed: Vec<OsString>) -> Vec<OsString> {
    let end = typed.iter().position(|word| word == "--").unwrap_or(typed.len());
    for word in typed.iter_mut().take(end).filter(|word| **word == *"--json") {
        *word = "--output=json".into();
    }
    let operands = operands(&typed[..end]);
    let Some(&noun) = operands.first() else { return typed };
    let is = |at: Option<&usize>, word: &str| at.is_some_and(|at| typed[*at] == word);
    let has = |flags: &[&str]| typed[..end].iter().any(|word| flags.iter().any(|flag| word == flag));
    let asks_for_help = typed.get(noun + 1).is_some_and(|word| word == "--help" || word == "-h");
    let second = operands.get(1);
    // What was one command, and is several: which is meant follows from what was given with it.
    let split: Option<&[&str]> = match typed[noun].to_str() {
        Some("inbox") if !is(second, "list") && !is(second, "act") && !asks_for_help => Some(&["inbox", "list"]),
        Some("reviews") if second.is_some() => Some(&["review", "show"]),
        Some("reviews") => Some(&["review", "list"]),
        Some("events") if has(&["--follow", "-f"]) => Some(&["event", "follow"]),
        Some("events") => Some(&["event", "list"]),
        _ => None,
    };
    let renamed = BEGINNINGS
        .iter()
        .find(|(old, _)| old.iter().zip(operands.iter().map(Some).chain([None, None])).all(|(word, at)| is(at, word)));
    let (length, now) = match (split, renamed) {
        (Some(now), _) => (1, now),
        (None, Some((old, now))) => (old.len(), *now),
        (None, None) => return typed,
    };
    let gone: Vec<usize> = operands[..length].to_vec();
    let mut words = Vec::with_capacity(typed.len() + 1);
    for (at, word) in typed.into_iter().enumerate() {
        if at == noun {
            words.extend(now.iter().map(OsString::from));
        } else if at >= end || !gone.contains(&at) {
            words.extend(flag_of_today(now, at > noun && at < end, word));
        }
    }
    words
}

/// A flag that has another name now, or none.
fn flag_of_today(command: &[&str], behind: bool, word: OsString) -> Option<OsString> {
    match command {
        ["event", "follow"] if behind && (word == "--follow" || word == "-f") => None,
        // `--url` is the hub's address now: what was meant for a webhook's receiver must never be called with a token.
        ["webhook", "change"] if behind => Some(match word.to_str().and_then(|word| word.strip_prefix("--url")) {
            Some("") => "--to".into(),
            Some(rest) if rest.starts_with('=') => format!("--to{rest}").into(),
            _ => word,
        }),
        _ => Some(word),
    }
}

/// Where the words stand that are neither flags nor their values.
fn operands(typed: &[OsString]) -> Vec<usize> {
    let mut found = Vec::new();
    let mut is_value = true;
    for (at, word) in typed.iter().enumerate() {
        let is_flag = word.to_str().is_some_and(|word| word.len() > 1 && word.starts_with('-'));
        if !is_value && !is_flag {
            found.push(at);
        }
        is_value = !is_value && WITH_VALUE.iter().any(|flag| word == OsStr::new(flag));
    }
    found
}

#[cfg(test)]
mod tests;
