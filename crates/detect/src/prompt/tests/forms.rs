//! Forms of questions that only some programs have: for each, what it is known by, and beside it what is none.

use super::super::*;
use super::words::{full, rule, rule_of};

#[track_caller]
fn all(table: &[(&str, &str)]) {
    let wrong: Vec<_> = table.iter().filter(|(text, expected)| rule(text) != *expected).collect();
    assert!(wrong.is_empty(), "{:#?}", wrong.iter().map(|(text, _)| (text, rule(text))).collect::<Vec<_>>());
}

#[test]
fn yes_and_no_are_told_whatever_stands_between_them() {
    all(&[
        ("Instructions? (y-n) ", "yes_no.brackets"),
        ("Go on? [y|N] ", "yes_no.brackets"),
        ("Go on? {y/n} ", "yes_no.brackets"),
        ("Go on [y n]? ", "yes_no.brackets"),
        ("Size{K,M,G}: ", "text.colon"),
        ("correct 'a' to 'b' [nyae]? ", "choice.letters"),
        ("How many [any]: ", "text.colon"),
        ("Are you sure you want to release it: ", "yes_no.sure"),
        ("Do you want to go on? ", "yes_no.sure"),
        ("Do you want red or green? ", "yes_no.question"),
        ("< rm ... ./b > ? ", "yes_no.sure"),
    ]);
}

#[test]
fn keys_and_signs_below_an_offer_are_choices() {
    all(&[
        ("e) Edit\nq) Quit\ne/n/d/r/c/s/q> ", "choice.slashes"),
        ("On 1/2/3: ", "text.colon"),
        ("Please choose from one of the following:\n enter \"x\" for expert\n?> ", "choice.sign"),
        ("Welcome.\n?> ", "command.interpreter"),
        ("Keep it? [Ynpsiuqx?], [H]elp: ", "choice.letters"),
        ("1. one\n2. two\nmysql> ", "command.angle"),
        ("Choose one:\n1. one\n2. two\nitem> ", "choice.numbered"),
        ("Enter name for new remote.\nname> ", "text.behind_sign"),
    ]);
}

#[test]
fn a_list_right_below_a_sign_is_filtered_by_what_is_typed() {
    let listed = |below: &[&str]| ScreenView {
        rows: std::iter::once("> ").chain(below.iter().copied()).map(str::to_owned).collect(),
        wrapped: vec![false; below.len() + 1],
        cursor_row: 0,
        before: "> ".to_owned(),
        ..ScreenView::default()
    };
    assert_eq!(rule_of(&listed(&["red", "green"])), "choice.filter");
    assert_eq!(rule_of(&listed(&["red"])), "command.angle");
    assert_eq!(rule_of(&listed(&["red", "green", "", "something else"])), "command.angle");
}

#[test]
fn what_is_told_about_a_secret_is_none_and_the_same_once_more_is_one() {
    all(&[
        ("Minimum Password Age [0]: ", "text.colon"),
        ("Password length [12]: ", "text.colon"),
        ("Token name: ", "text.colon"),
        ("Password for the key file: ", "password.words"),
        ("Enter encryption key: (repeat) ", "password.words"),
        ("Enter new password: \nEnter it again: ", "password.again"),
        ("Name: ada\nEnter it again: ", "text.colon"),
    ]);
}

#[test]
fn interpreters_are_known_by_banner_counter_and_place() {
    all(&[
        ("debugfs 1.47.0 (5-Feb-2023)\ndebugfs: ", "command.banner"),
        ("Something else\ndebugfs: ", "text.colon"),
        ("black(1): ", "command.name"),
        ("kadmin.local: ", "command.name"),
        ("1 ]=> ", "command.angle"),
        ("& ", "command.interpreter"),
        (": ", "command.pager"),
        ("buku (? for help) ", "command.for_help"),
        ("What now? ", "command.what_now"),
        ("(to) ", "text.missing"),
        ("enter description, terminated with single '.':\n>> ", "text.under"),
        ("Input > ", "text.behind_sign"),
        ("Enter `,help' for help.\nscheme@(guile-user)> ", "command.angle"),
        ("rm: remove 4 arguments? ", "yes_no.question"),
        ("enter option and arguments : ", "command.words"),
        ("rename a -> ", "path.arrow"),
        ("license: (ISC) ", "text.default"),
        ("2 + 6 = ", "text.default"),
    ]);
}

#[test]
fn a_key_stands_for_going_on_or_for_an_answer() {
    all(&[
        ("[ Press [ENTER] to continue, or [CTRL]+C to stop ]", "unknown.any_key"),
        ("Press return to continue.", "unknown.any_key"),
        ("Press <enter> to keep the current choice[*], or type selection number: ", "choice.words"),
        ("q to quit, space for next page", "command.pager"),
    ]);
}

#[test]
fn programs_that_took_the_screen_are_known_by_the_keys_at_its_edge() {
    for (text, expected) in [
        ("one\ntwo\nq:Quit ENTER:Open n:Next r:Reload", "command.keys"),
        ("one\ntwo\n1Help 2Menu 3View 4Edit", "command.keys"),
        ("one\ntwo\n? Help  E Exit  N Next\n", "command.keys"),
        ("one\ntwo\nthree words here", "command.full_screen"),
        ("load average: 1.0\ntwo\nF1Help F2Setup F3Search", "command.full_screen"),
    ] {
        assert_eq!(rule_of(&full(text)), expected, "{text:?}");
    }
    assert_eq!(rule("one\ntwo\nq:Quit n:Next r:Reload"), "command.silent", "it did not take the screen");
}

#[test]
fn a_dialog_over_panels_is_read_between_its_own_sides() {
    let rows = [
        "|  a.txt     | +---------------------+ |",
        "|  b.txt     | | Delete file \"a\"?    | |",
        "|            | |  [ Yes ]  [ No ]    | |",
    ];
    let found = detect(&full(&rows.join("\n")), &Moment::default()).unwrap();
    assert_eq!((&*found.matched_pattern.to_string(), found.is_dangerous), ("yes_no.dialog", true), "{found:?}");
    assert_eq!(found.prompt_text, "Delete file \"a\"?");
}

#[test]
fn a_sign_under_a_sign_stands_under_no_question() {
    for sign in [">", "›", "->", "=>", ">>", "»", "?", "[y]", "[n]:", "Your choice:"] {
        for above in ["?", ":", "?:", "??", "> ?", "[?", "Your choice:", "Answer:"] {
            for text in [format!("{above}\n{sign} "), format!("{above}\n{above}\n{sign}"), format!("{sign}\n{above}\n")]
            {
                assert!(!rule(&text).ends_with(".under"), "{text:?}: {}", rule(&text));
            }
        }
    }
}

#[test]
fn a_word_that_has_the_letters_of_yes_and_no_is_a_default() {
    for word in ["shiny", "nearly", "plenty", "hungry", "pony", "deny"] {
        assert_eq!(rule(&format!("How is it [{word}]: ")), "text.colon", "{word}");
    }
    assert_eq!(rule("Keep it [nyq]? "), "choice.letters");
}

#[test]
fn what_stands_in_brackets_may_be_a_key_and_its_meaning_a_pair_or_nothing_to_choose() {
    all(&[
        ("Reload now? [confirm]", "yes_no.confirm"),
        ("Go on? [Esc = No, Enter = Yes] ", "yes_no.brackets"),
        ("Go on? (no yes) ", "yes_no.brackets"),
        ("Go on? (n:y) ", "yes_no.brackets"),
        ("Which end [left/right]? ", "choice.brackets"),
        ("Where is it [/usr/bin, /usr/sbin, ~/bin]: ", "path.words"),
    ]);
}

#[test]
fn a_bar_of_keys_at_the_edge_of_a_full_screen_is_read_in_each_of_its_forms() {
    let screen = |bar: &str| rule_of(&full(&format!("one\ntwo\nthree\n\n{bar}")));
    for bar in [
        "^x exit  ^w save  ^q quit", "f1 help  f2 save  f10 quit", "1help 2save 10quit", "q)uit s)ave h)elp",
        "[q]uit [s]ave [h]elp",
    ] {
        assert_eq!(screen(bar), "command.keys", "{bar}");
    }
    assert_ne!(screen("one two three"), "command.keys");
    assert_ne!(rule_of(&full("load average: 0.1\ntwo\nthree\n\n^x exit  ^w save  ^q quit")), "command.keys");
}
