//! What `args` does, tried.

use super::*;

#[test]
fn help_shows_each_command_in_one_group() {
    let tree = tree();
    let mut shown: Vec<&str> = GROUPS.iter().flat_map(|(_, nouns)| nouns.iter().copied()).collect();
    let mut known: Vec<&str> =
        tree.get_subcommands().filter(|noun| !noun.is_hide_set()).map(Command::get_name).collect();
    shown.sort_unstable();
    known.sort_unstable();
    assert_eq!(shown, known);
}

#[test]
fn a_command_that_is_none_is_answered_with_those_that_may_be_meant_and_no_others() {
    for (typed, meant) in [
        ("follow", &["task follow", "session follow", "event follow"][..]),
        ("requeue", &["task requeue"]),
        ("tasl", &["task"]),
        ("task create any x", &["task add"]),
        ("task lst", &["task list"]),
        ("token add", &["token create"]),
        ("config get", &["config show"]),
        ("prompt list", &["prompt show"]),
        ("task enable", &[]),
        ("ps", &[]),
        ("list", &[]),
    ] {
        let said = said(typed);
        let tips = said.lines().find(|line| line.contains("similar subcommand")).unwrap_or_default();
        let named = tips.matches('\'').count() / 2;
        assert!(meant.iter().all(|meant| tips.contains(&format!("'{meant}'"))), "{typed}: {said}");
        assert_eq!(named, meant.len(), "{typed}: {said}");
    }
}

#[test]
fn help_is_also_a_word() {
    for (word, flag) in [
        ("help", "--help"),
        ("help task", "task --help"),
        ("help task add", "task add --help"),
        ("task help", "task --help"),
        ("task help add", "task add --help"),
        ("--data-dir help help task", "--data-dir help task --help"),
        ("version", "--version"),
    ] {
        assert_eq!(said(word), said(flag), "{word}");
    }
    assert!(read_words("task add any help").is_ok() && read_words("run --agent a -- help").is_ok());
    assert!(said("help tasl").contains("'tasl'"));
}

fn read_words(typed: &str) -> Result<Cli, clap::Error> {
    read(std::iter::once("callboard").chain(typed.split(' ')).map(Into::into).collect())
}

fn said(typed: &str) -> String {
    read_words(typed).unwrap_err().to_string()
}
