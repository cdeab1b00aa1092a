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
fn a_verb_without_its_noun_is_answered_with_every_command_that_has_it() {
    for (typed, meant) in [
        ("follow", &["task follow", "session follow", "event follow"][..]),
        ("requeue", &["task requeue"]),
        ("task enable", &["webhook enable"]),
        ("tasl", &["task"]),
    ] {
        let words = std::iter::once("callboard").chain(typed.split(' ')).map(Into::into).collect();
        let said = read(words).unwrap_err().to_string();
        assert!(meant.iter().all(|meant| said.contains(&format!("'{meant}'"))), "{typed}: {said}");
    }
}
