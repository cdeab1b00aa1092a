//! What `spellings` does, tried.

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
