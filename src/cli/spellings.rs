//! The spellings of 0.1, understood until 0.3: before the words are read, those of today are put in their place. So the
//! tree of commands, its help, its completions and its manual know today's alone.

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

/// The flags that take a value, where one may stand before the second word of a command.
const WITH_VALUE: [&str; 9] =
    ["--url", "--token-file", "--data-dir", "--config", "--state", "--agent", "--limit", "--output", "-o"];

/// The words of today for these.
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
mod tests {
    use super::BEGINNINGS;
    use crate::cli::args::read;

    /// What was typed, and what is typed now.
    const TABLE: &[(&str, &str)] = &[
        ("agents --role designer -o wide", "agent list --role designer -o wide"),
        ("answer q_1 2 --json", "question answer q_1 2 -o json"),
        ("answer q_1 --default", "question answer q_1 --default"),
        ("check-config --config ./c", "config check --config ./c"),
        ("config show --origin", "config show --origin"),
        ("discord check --json --config ./c", "doctor discord -o json --config ./c"),
        ("doctor --json --no-wait", "doctor -o json --no-wait"),
        ("events", "event list"),
        ("events --after 7 --follow -o json", "event follow --after 7 -o json"),
        ("events -f", "event follow"),
        ("forge check", "doctor forge"),
        ("inbox", "inbox list"),
        ("inbox --kind review --limit 9", "inbox list --kind review --limit 9"),
        ("--data-dir /x inbox -o json", "--data-dir /x inbox list -o json"),
        ("questions --state all", "question list --state all"),
        ("reviews", "review list"),
        ("reviews --state all --agent a-1", "review list --state all --agent a-1"),
        ("reviews -o json t_0001", "review show t_0001 -o json"),
        ("reviews --diff t_0001", "review show t_0001 --diff"),
        ("sessions --agent a-1", "session list --agent a-1"),
        ("sessions show s_1 -o json", "session show s_1 -o json"),
        ("tail s_1 --once -n 5", "session follow s_1 --once -n 5"),
        ("task --data-dir /x tail t_0001", "task follow t_0001 --data-dir /x"),
        ("task add any -- --json", "task add any -- --json"),
        ("tasks --data-dir /x --state blocked", "task list --data-dir /x --state blocked"),
        ("--data-dir tasks tasks", "--data-dir tasks task list"),
        ("token create --agent a-1 --json", "token create --agent a-1 -o json"),
        ("token rotate 0123abcd --json", "token rotate 0123abcd -o json"),
        ("tracker check --json", "doctor tracker -o json"),
        ("webhook change builds --url https://a", "webhook change builds --to https://a"),
        ("webhook change builds --url=https://a", "webhook change builds --to https://a"),
        ("--url http://127.0.0.1:1 webhook change b --to c", "--url=http://127.0.0.1:1 webhook change b --to c"),
        ("run --agent a-1 -- tasks --json", "run --agent=a-1 -- tasks --json"),
    ];

    fn parsed(words: &str) -> Result<String, String> {
        let words = std::iter::once("callboard").chain(words.split(' ')).map(Into::into).collect();
        read(words).map(|cli| format!("{cli:?}")).map_err(|error| error.to_string())
    }

    #[test]
    fn a_spelling_of_before_is_read_as_that_of_today() {
        for (before, today) in TABLE {
            let today = parsed(today);
            assert!(today.is_ok(), "{today:?}");
            assert_eq!(parsed(before), today, "{before}");
        }
    }

    #[test]
    fn no_text_of_the_hub_names_a_spelling_of_before() {
        fn read(folder: &std::path::Path, into: &mut Vec<(String, String)>) {
            for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
                let path = entry.path();
                if path.is_dir() {
                    read(&path, into);
                } else if let Ok(text) = std::fs::read_to_string(&path) {
                    into.push((path.display().to_string(), text));
                }
            }
        }
        let mut texts = Vec::new();
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
        ["src", "config", "packaging", "crates"].iter().for_each(|folder| read(&root.join(folder), &mut texts));
        let old = BEGINNINGS.iter().filter(|(old, now)| old != now).map(|(old, _)| old.join(" "));
        for old in old.chain(["events", "reviews"].map(str::to_owned)) {
            for (path, text) in texts.iter().filter(|(path, _)| !path.ends_with("spellings.rs")) {
                let named = text.match_indices(&format!("callboard {old}")).any(|(at, found)| {
                    !text[at + found.len()..].starts_with(|next: char| next.is_alphanumeric() || "_-".contains(next))
                });
                assert!(!named, "{path} names `callboard {old}`");
            }
        }
    }

    #[test]
    fn what_was_no_command_before_is_none_now() {
        for words in ["task tails t_0001", "list", "discord", "forge look", "task add any x --json=1"] {
            assert!(parsed(words).is_err(), "{words}");
        }
    }

    #[test]
    fn help_and_completions_know_the_spellings_of_today_alone() {
        let tree = crate::cli::args::tree();
        for old in ["tasks", "agents", "questions", "reviews", "events", "sessions", "tail", "answer", "check-config"] {
            assert!(tree.find_subcommand(old).is_none(), "{old}");
        }
    }
}
