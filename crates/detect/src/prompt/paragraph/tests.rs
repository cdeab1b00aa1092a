//! What `paragraph` does, tried.

use rstest::rstest;

use super::super::{Moment, ScreenView, detect};

/// What is asked on a screen of so many columns, with the cursor at its end, or hidden below a menu.
fn asked(text: &str, cols: usize, hidden: bool) -> String {
    let sight = ScreenView { cols, cursor_hidden: hidden, ..ScreenView::of_text(text) };
    detect(&sight, &Moment::default()).unwrap_or_else(|| panic!("nothing is asked: {text}")).prompt_text
}

#[rstest]
#[case::in_mid_sentence(
    "Do you want to overwrite the existing configuration file at\n/etc/foo/bar.conf with the new one? [y/N] ",
    "Do you want to overwrite the existing configuration file at /etc/foo/bar.conf with the new one? [y/N]"
)]
#[case::where_there_was_no_room(
    "You are about to publish the version 2.0 of this package to the registry of\nEverybody. Go on? [y/N] ",
    "You are about to publish the version 2.0 of this package to the registry of Everybody. Go on? [y/N]"
)]
#[case::in_three_rows(
    "This removes the branch, its worktree and all that was not committed there;\n\
         nothing of it can be had back afterwards, neither from this machine nor from\n\
         another one. Remove it? (yes/no): ",
    "This removes the branch, its worktree and all that was not committed there; nothing of it can be had back \
         afterwards, neither from this machine nor from another one. Remove it? (yes/no):"
)]
fn a_question_in_several_rows_is_shown_from_its_first(#[case] text: &str, #[case] whole: &str) {
    assert_eq!(asked(text, 80, false), whole);
    assert_eq!(asked(&format!("Reading the lists\n\n{text}"), 80, false), whole, "a blank row ends it");
}

#[test]
fn so_is_one_above_a_menu_and_in_a_frame() {
    let rows = " Allow the agent to run this command, which reads what is in the folder of the\n \
                    project, without asking?\n";
    let menu = format!("{rows} ❯ 1. Yes\n   2. No, and tell it what to do instead\n");
    let whole =
        "Allow the agent to run this command, which reads what is in the folder of the project, without asking?";
    assert_eq!(asked(&menu, 80, true), whole);
    let framed = "╭──────────────────────────────────────╮\n│ Do you want to make this edit to     │\n\
                      │ config.yaml?                         │\n│ ❯ 1. Yes                             │\n\
                      │   2. No                              │\n╰──────────────────────────────────────╯\n";
    assert_eq!(asked(framed, 80, true), "Do you want to make this edit to config.yaml?");
}

/// Letters of East Asia fill two columns: 30 of them and a blank leave no room in 64 for a word of three.
#[test]
fn wide_letters_fill_two_columns() {
    let row = format!("{} {}", "삭제".repeat(7), "あいうえお".repeat(3));
    let text = format!("{row}\nふぁいる。 Go on? [y/N] ");
    assert_eq!(asked(&text, 64, false), format!("{row} ふぁいる。 Go on? [y/N]"));
    assert_eq!(asked(&text, 120, false), "ふぁいる。 Go on? [y/N]", "it ended before the edge");
}

#[rstest]
#[case::a_clock("12:30:59\nGo on? [y/N] ")]
#[case::what_was_done("Building the crate and all that it needs ... done\nGo on? [y/N] ")]
#[case::a_sentence("After this operation, 1,024 kB of disk space will be freed.\nGo on? [y/N] ")]
#[case::a_log("2026-11-25 12:30:59 the cache of the other machine was read in full and is\nGo on? [y/N] ")]
#[case::an_item("- the one that was there before, with everything that belongs to it, or not\nGo on? [y/N] ")]
#[case::an_answer("Delete the first of the tables and everything that is in it? [y/N] y\nGo on? [y/N] ")]
fn what_stands_alone_is_no_part_of_it(#[case] text: &str) {
    assert_eq!(asked(text, 80, false), "Go on? [y/N]");
}
