//! What a person reads under a refusal: here the table of refusals, the commands and the tools are all known.

use crate::cli::typed::{COMMANDS, next_step};
use crate::domain::refusal::codes;
use crate::tools::table;

#[test]
fn what_people_type_in_place_of_a_tool_is_for_tools_of_today() {
    let tools: Vec<_> = table().iter().map(|tool| tool.name).collect();
    for (tool, _) in COMMANDS {
        assert!(tools.contains(&tool), "there is no `{tool}`");
    }
}

#[test]
fn what_advice_names_is_a_command_of_today() {
    let tree = crate::cli::args::tree();
    let advice = codes().iter().filter_map(|row| next_step(row.status, row.code));
    for text in advice.chain(COMMANDS.iter().map(|(_, command)| *command)) {
        for command in text.split("callboard ").skip(1) {
            let mut words = command.split(|c: char| !c.is_ascii_lowercase() && c != '-');
            let mut named = tree.find_subcommand(words.next().unwrap_or_default());
            if let Some(noun) = named.filter(|noun| noun.has_subcommands()) {
                named = noun.find_subcommand(words.next().unwrap_or_default());
            }
            assert!(named.is_some(), "`callboard {command}` is no command");
        }
    }
}

#[test]
fn no_refusal_sends_a_person_to_a_tool() {
    for row in codes() {
        let Some(next) = next_step(row.status, row.code) else { continue };
        for tool in table() {
            assert!(
                !next.split(|c: char| !c.is_ascii_lowercase() && c != '_').any(|word| word == tool.name),
                "{}",
                row.code
            );
        }
    }
}
