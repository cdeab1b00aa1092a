//! The tree of commands, the exit codes, the tables.

use clap::{Command, Parser as _, ValueEnum as _};
use rstest::rstest;
use serde_json::json;

use super::args::{Cli, tree};
use super::client::Unheard;
use super::exit::Exit;
use super::output::cell;
use super::output::table::{Column, table};
use super::problem::Problem;
use crate::domain::time::Timestamp;

#[test]
fn the_tree_of_commands_holds_together() {
    tree().debug_assert();
}

#[test]
fn every_command_has_an_example_and_a_sentence() {
    let mut command = tree();
    command.build();
    fn walk(command: &Command, seen: &mut usize) {
        let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
        assert!(help.contains("Example") && help.contains("callboard"), "`{}` has no example", command.get_name());
        // The examples of a verb have itself in them, and not its neighbour.
        let name = command.get_bin_name().unwrap_or_default();
        assert!(command.has_subcommands() || help.contains(name), "`{name}` is in none of its examples: {help}");
        assert!(command.get_about().is_some(), "`{}` has no sentence", command.get_name());
        for line in help.lines().filter_map(|line| line.trim().strip_prefix("callboard")) {
            // What a value must look like is seen before it is looked for.
            let words = example(&line.replace("PUBLIC_ID", "0123abcd4567"));
            let read = Cli::try_parse_from(std::iter::once("callboard".to_owned()).chain(words));
            assert!(read.is_ok(), "`callboard{line}` is not understood: {}", read.unwrap_err());
        }
        *seen += 1;
        command.get_subcommands().for_each(|below| walk(below, seen));
    }
    let mut seen = 0;
    walk(&command, &mut seen);
    assert!(seen > 20, "only {seen} commands");
}

/// The words of an example: up to what explains it, a redirection, a pipe or a second command. Quotes
/// keep words together.
fn example(line: &str) -> Vec<String> {
    let line = line.trim().split("  ").next().unwrap_or_default();
    let (mut words, mut quoted) = (vec![String::new()], None);
    for sign in line.chars() {
        match (sign, quoted) {
            ('"' | '\'', None) => quoted = Some(sign),
            (end, Some(begun)) if end == begun => quoted = None,
            (' ', None) => words.push(String::new()),
            (sign, _) => words.last_mut().unwrap().push(sign),
        }
    }
    let own = |word: &String| !["|", ">", "<", "&&"].contains(&word.as_str());
    words.into_iter().take_while(own).filter(|word| !word.is_empty()).collect()
}

/// What prints no answer of the hub and no finding: it serves, passes on, writes files or text for another program.
const WITHOUT_OUTPUT: &[&str] = &[
    "callboard acp", "callboard cluster init", "callboard completions", "callboard config schema", "callboard connect",
    "callboard journal backup", "callboard journal export", "callboard journal import", "callboard journal restore",
    "callboard man", "callboard oncall clean", "callboard open", "callboard permission", "callboard prompt show",
    "callboard proxy", "callboard run", "callboard serve", "callboard session follow", "callboard wake",
];

#[test]
fn every_command_that_prints_a_result_takes_a_form_and_no_other_does() {
    let mut command = tree();
    command.build();
    fn walk(command: &Command, without: &mut Vec<String>) {
        let form = command.get_arguments().find(|argument| argument.get_long() == Some("output"));
        if let Some(form) = form {
            let forms: Vec<_> = form.get_possible_values().iter().map(|value| value.get_name().to_owned()).collect();
            assert_eq!(
                (forms.as_slice(), form.get_short()),
                (["table", "json", "wide"].map(str::to_owned).as_slice(), Some('o'))
            );
        } else if !command.has_subcommands() {
            without.push(command.get_bin_name().unwrap_or_default().to_owned());
        }
        command.get_subcommands().for_each(|below| walk(below, without));
    }
    let mut without = Vec::new();
    walk(&command, &mut without);
    without.sort();
    assert_eq!(without, WITHOUT_OUTPUT);
}

#[test]
fn the_manual_and_the_completions_of_each_shell_come_from_the_tree() {
    for shell in clap_complete::Shell::value_variants() {
        let mut script = Vec::new();
        clap_complete::generate(*shell, &mut tree(), "callboard", &mut script);
        let script = String::from_utf8_lossy(&script);
        assert!(script.contains("request-changes") && script.contains("token-file"), "{shell}");
        assert!(!script.contains("check-config"), "{shell}");
    }
}

#[test]
fn every_help_fits_a_screen_of_100_columns() {
    let mut command = tree().term_width(100);
    command.build();
    fn walk(command: &mut Command) {
        let help = command.render_help().to_string();
        let lines = help.lines().count();
        assert!(lines <= 57, "`{}` takes {lines} lines", command.get_name());
        // A line that is broken cannot be copied to a shell.
        let examples = command.get_after_help().map(ToString::to_string).unwrap_or_default();
        for line in examples.lines().filter(|line| line.starts_with("  ")) {
            assert!(help.lines().any(|shown| shown == line), "`{line}` is broken at 100 columns");
        }
        for below in command.get_subcommands_mut() {
            walk(below);
        }
    }
    walk(&mut command);
}

#[rstest]
#[case::a_bad_id(&["task", "show", "../etc"])]
#[case::a_bad_state(&["task", "list", "--state", "done"])]
#[case::a_bad_span(&["task", "add", "any", "x", "--ttl", "soon"])]
#[case::a_bad_priority(&["task", "add", "any", "x", "--priority", "urgent"])]
#[case::a_token_for_nobody(&["token", "create"])]
#[case::a_token_for_two(&["token", "create", "--agent", "a", "--scope", "view", "--name", "b"])]
#[case::a_scope_without_a_name(&["token", "create", "--scope", "view"])]
#[case::a_line_without_a_file(&["task", "comment", "0196abcd", "x", "--line", "3"])]
#[case::no_such_verb(&["dance"])]
fn what_cannot_be_meant_is_a_matter_of_configuration(#[case] words: &[&str]) {
    let error = Cli::try_parse_from(["callboard"].iter().chain(words)).unwrap_err();
    assert_eq!(error.exit_code(), i32::from(Exit::Configuration.code()));
}

#[rstest]
#[case(&["task", "add", "fullstack-1", "implement login", "--priority", "high", "-o", "json"])]
#[case(&["task", "list", "--state", "queued", "--state", "blocked", "--data-dir", "/tmp/x"])]
#[case(&["event", "follow", "--after", "7", "--type", "task"])]
#[case(&["token", "rotate", "cb_a_0123abcd4567", "--overlap", "24h", "-o", "json"])]
#[case(&["token", "create", "--scope", "operate", "--name", "ci", "--expires", "90d", "--out", "f"])]
#[case(&["config", "show", "--origin"])]
#[case(&["completions", "zsh"])]
fn what_the_contract_spells_is_understood(#[case] words: &[&str]) {
    assert!(Cli::try_parse_from(["callboard"].iter().chain(words)).is_ok());
}

#[rstest]
#[case(400, 2)]
#[case(401, 3)]
#[case(403, 3)]
#[case(404, 4)]
#[case(409, 3)]
#[case(413, 3)]
#[case(422, 3)]
#[case(429, 3)]
#[case(500, 1)]
#[case(503, 1)]
fn a_status_is_one_exit_code(#[case] status: u16, #[case] code: u8) {
    assert_eq!(Exit::of_status(status).code(), code);
}

#[test]
fn silence_is_unreachable_and_says_what_to_type() {
    let problem = Unheard::Nobody("connection refused".into()).problem("http://127.0.0.1:7420");
    assert_eq!(problem.exit(), Exit::Unreachable);
    let expected = "\
error: no hub answers at `http://127.0.0.1:7420`
  why:  connection refused
  next: callboard serve, or set CALLBOARD_URL to where the hub listens
";
    assert_eq!(problem.words(), expected);
}

#[test]
fn a_reason_of_several_lines_stays_a_reason() {
    let problem = Problem::failed("it broke").because("one\ntwo");
    assert_eq!(problem.words(), "error: it broke\n  why:  one\n        two\n");
}

#[test]
fn columns_are_as_wide_as_they_must_be_and_wide_ones_wait_to_be_asked() {
    let items = [json!({ "id": "a", "n": 1, "more": "x" }), json!({ "id": "much-longer", "list": ["p", "q"] })];
    let columns = || {
        [
            Column::new("ID", |item| cell::text(item, "id")),
            Column::new("N", |item| cell::text(item, "n")),
            Column::wide("MORE", |item| cell::text(item, "more")),
            Column::new("LIST", |item| cell::text(item, "list")),
        ]
    };
    let narrow = "ID           N  LIST\na            1  –\nmuch-longer  –  p, q\n";
    assert_eq!(table(&columns(), &items, false, None), narrow);
    let wide = "ID           N  MORE  LIST\na            1  x     –\nmuch-longer  –  –     p, q\n";
    assert_eq!(table(&columns(), &items, true, None), wide);
}

#[test]
fn a_cell_shows_texts_of_others_harmlessly() {
    let item = json!({ "name": "evil\u{1b}]0;x\u{7}", "empty": [], "flag": true, "at": "2026-11-21T13:00:00.000Z" });
    assert_eq!(cell::text(&item, "name"), "evil\\u{1b}]0;x\\u{7}");
    assert_eq!(cell::text(&item, "empty"), "–");
    assert_eq!(cell::text(&item, "flag"), "yes");
    let now = Timestamp::parse("2026-11-21T14:01:05.250Z").unwrap();
    assert_eq!(cell::ago(&item, "at", now), "1h 1m");
    assert_eq!(cell::until("2026-11-21T14:06:05.250Z", now), "in 5m");
    assert_eq!(cell::until("2026-11-21T14:00:00Z", now), "due");
    assert_eq!(cell::line("one\n\ntwo", 60), "one …");
    assert_eq!(cell::line("abcdef", 4), "abc…");
}

/// What the page and `GET /api/v1/connect` tell people to run is understood.
#[test]
fn the_hub_names_the_clients_that_connect_knows_in_its_order() {
    let told = crate::transport::http::api::CLIENTS.map(|client| client.name);
    let known: Vec<_> = super::connect::Client::value_variants().iter().map(|client| client.name()).collect();
    assert_eq!(told.to_vec(), known);
    for client in told {
        let read = Cli::try_parse_from(["callboard", "connect", client, "--agent", "a-1", "--role", "designer"]);
        assert!(read.is_ok(), "{client}");
    }
}
