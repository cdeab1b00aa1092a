//! Signs that stand alone or close to what is typed, what is remarked behind a question, and what stands above both.

use std::time::Duration;

use super::super::*;
use super::danger::all;

const LINES: Host = Host { reader: Reader::Reads, echo: Some(true), canonical: Some(true), destroys: false };
const KEYS: Host = Host { reader: Reader::Polls, echo: Some(false), canonical: Some(false), destroys: false };

fn seen(sight: &ScreenView, host: Host) -> Option<InputPrompt> {
    detect(sight, &Moment { host, quiet: Some(Duration::from_secs(1)), answered: false })
}

fn rule(text: &str) -> String {
    let found = seen(&ScreenView::of_text(text), LINES).unwrap_or_else(|| panic!("{text:?}"));
    found.matched_pattern.to_string()
}

#[test]
fn a_sign_says_what_stands_above_it_or_is_an_interpreters() {
    for (text, expected) in [
        ("Continue with basic settings? [yes] :\n>", "yes_no.under"),
        ("Default output module [espeak-ng] :\n>", "text.under"),
        ("nothing that asks\n>", "command.no_room"),
        ("Enter country (C)\n: ", "text.under"),
        ("Enter the password\n: ", "password.under"),
        ("Enter country.\n: ", "command.pager"),
        ("backend> select 1\n 1: one\n 2: two\nbackend> ", "command.angle"),
        ("Which of these?\n 1: one\n 2: two\nchoice> ", "choice.list"),
        ("Type: Integer\n 1. one\n 2. two\n(2) -> ", "command.angle"),
        ("Miller REPL\n[mlr] 1 + 2\n3\n[mlr] ", "command.named"),
        ("help is :h\n\n[mlr] ", "command.named"),
        ("Name of it\n[demo] ", "text.labelled"),
        ("This is pdfTeX\n**", "command.no_room"),
        ("Unnamed_thm < ", "command.sign"),
        ("Unnamed thm < ", "text.labelled"),
        ("-rw-r--r-- a.txt is OK   [d] (?=help) ", "choice.helped"),
        ("a.txt is OK (?=help) ", "text.labelled"),
        ("Enter your email:\n- ", "text.under"),
        ("Enter your password\n- ", "password.under"),
        ("a list\n- ", "command.interpreter"),
        ("Insert the token:\n❯ ", "password.under"),
        ("~/project on main\n❯ ", "command.sign"),
        ("foma[1]: ", "command.counted"),
        ("foma[x]: ", "text.colon"),
    ] {
        assert_eq!(rule(text), expected, "{text:?}");
    }
}

#[test]
fn what_is_said_behind_a_question_does_not_hide_what_it_asks() {
    for (text, expected) in [
        ("What is your api key? (Get it here: https://app.example.org/keys) ", "password.words"),
        ("What is your application key? (see example.org) ", "password.words"),
        ("Do you have an api key? (see example.org) ", "text.default"),
        ("Choose a password: ***", "password.words"),
        ("Choose a title: ***", "text.told"),
        ("Choose a password\n", "password.told"),
        ("Use SSL? t/f: ", "yes_no.words"),
        ("Use SSL? true/false: ", "yes_no.words"),
        ("Which one, t/f: ", "text.colon"),
        ("Apply it? (y, n, q) [y]: ", "choice.brackets"),
        ("Apply it? (see above) [y]: ", "yes_no.default"),
        ("? Press Enter to continue...: ", "unknown.any_key"),
        ("Question for /home/ada/a.txt: ", "text.colon"),
        ("Where is it? /home/ada/a.txt: ", "path.words"),
        ("Provide a username for the config file [ada]: ", "text.colon"),
        ("Provide the file for the user [a.txt]: ", "path.words"),
        ("Please paste the headers and press Ctrl-D to continue:\n", "text.colon"),
        ("Compare them? (* n *) : ", "yes_no.default"),
        ("Compare how many? (* 3 *) : ", "text.colon"),
        ("Is this correct?  [y/n: y] ", "yes_no.brackets"),
        ("Is this correct?  [a/b: a] ", "choice.brackets"),
        ("write the file?\nyes / no -> ", "yes_no.words"),
        ("It will go on. Continue? y/* ", "yes_no.words"),
        ("Use Local, Remote, Older, Newer, Skip, Binary compare, Help ? ", "choice.or"),
        ("Where are the files you want to back up?: ", "path.words"),
    ] {
        assert_eq!(rule(text), expected, "{text:?}");
    }
}

#[test]
fn an_answer_that_is_offered_behind_the_cursor_may_be_a_place() {
    let sight = |after: &str| ScreenView { after: after.to_owned(), cursor_row: 0, ..ScreenView::of_text("") };
    let kind = |after: &str| seen(&sight(after), KEYS).map(|prompt| prompt.prompt_type);
    assert_eq!(kind("? Project root: ‣ /home/ada/project"), Some(PromptKind::Path));
    assert_eq!(kind("? Project root: ‣ demo"), Some(PromptKind::Text));
}

#[test]
fn a_question_may_begin_in_the_row_above() {
    let text = "replace 'a' (2 / 67) in `x.zip'\n   with 'a' (3 / d5) from `y.zip'? ";
    let found = seen(&ScreenView::of_text(text), LINES).unwrap();
    assert_eq!((found.prompt_type, found.is_dangerous), (PromptKind::YesNo, true), "{found:?}");
    assert_eq!(rule("replace it.\n   with 'a' from `y.zip'? "), "text.question");
}

#[test]
fn who_shows_how_a_machine_does_waits_for_nobody_on_a_full_screen_either() {
    let watches =
        ScreenView { alternate: true, ..ScreenView::of_text("Hostname: box\nMem Total: 24105M\nDisk  Read  Write\n-") };
    assert_eq!(seen(&watches, KEYS), None);
    let other =
        ScreenView { alternate: true, ..ScreenView::of_text("Hostname: box\nTotal: 24105M\nDisk  Read  Write\n-") };
    assert!(seen(&other, KEYS).is_some());
}

#[test]
fn what_gives_way_or_is_warned_of_is_danger() {
    all(
        true,
        &[
            "This will shrink the file a.aof from 41 bytes to 23 bytes\nContinue? [y/N]: ",
            "WARNING: to do this while it runs could cause corruption of your databases.\nContinue? (y/n) ",
            "Restore the database from backup? [y/N] ",
            "Recover the superblock from backup block 2? <n> ",
            "INFO Restoring backup for database 'default'\nContinue? [Y/n] ",
            "This cannot be undone!\nRe-enter the name 'shop' for immediate termination: ",
            "Paths:\n     build\nClean the above paths? [Y/n] ",
            "THIS ACTION IS RISKY!\nContinue ? (y/N) ",
            "Are you sure? [y/N] ",
            "All is well.\nAre you sure you want to continue? (y/n) ",
            "Etes-vous sûr de vouloir continuer ? (o/n) ",
            "Should I upload this file? (y/n) ",
            "Clean images using pattern 'a'? [Y/n]: ",
            "This deletes it.\nType the exact path to confirm: ",
            "[?] Select files to delete (Use space to select):\n > [X] a\n   [ ] b\n",
            "? Are you sure you want to reset the version of all, with that of the root, to\n 2.0 (2 of them)? (y/N) ",
            "Delete which session?\n  [0] shop\n  [1] home\nChoose an option: ",
            "Target File a.txt exists! Options:\n(O)verwrite, Overwrite (A)ll,\n(R)ename, (N)ext, (P)ath [o] ",
        ],
    );
    all(
        false,
        &[
            "You may shrink it later.\nContinue? [y/N]: ",
            "Restore the deleted mail? [y/N] ",
            "INFO Reading the backup\nContinue? [Y/n] ",
            "Re-enter the name of your shop: ",
            "a list of one-way-hashed names\nAllow it to send these metrics? [y/n]: ",
            "Upload report now? [Y|n]: ",
            "Do you really want to exit? (y/n) ",
            "Are you sure you want to cancel? (y/n) ",
            "Are you sure you want initialize migrations for the project? [y/n]: ",
            "Initializing database migrations.\nContinue? [y/n]: ",
            "Which session?\n  [0] shop\n  [1] home\nChoose an option: ",
            "(K)eep, Keep (A)ll,\n(R)ename, (N)ext, (P)ath [o] ",
        ],
    );
}

#[test]
fn who_introduces_itself_and_reads_lines_takes_commands() {
    for (text, expected) in [
        ("Glaurung 2.2.  Copyright (C) 2004-2008 Ada.\n", "command.silent"),
        ("GNU Shogi 1.4.2\n", "command.silent"),
        ("1.4.2 is what was typed\n", "text.silent"),
        ("reading what is typed\n", "text.silent"),
        ("Shop 1.0\nWhich one? [y/n] n\nreading what is typed\n", "text.silent"),
        ("", "text.silent"),
    ] {
        assert_eq!(rule(text), expected, "{text:?}");
    }
}

#[test]
fn what_is_asked_below_a_list_is_one_of_it() {
    for (text, expected) in [
        ("[1] dev\n[2] test\n[3] prod\nWhat is this config file for? ", "choice.numbered"),
        ("[1] s3\n[2] gcs\nWhere do you want to store your packages? ", "choice.numbered"),
        ("Where do you want to store your packages? ", "path.words"),
        ("? Where are your source files? › src", "path.words"),
        ("? In which folder do you want to put it? (src/components) ", "path.words"),
        ("Your choice? (8bit|rgb)\n> ", "choice.under"),
        ("select a number to extract it to a folder:\n 1: '/srv/bin' -- used by it\n> ", "choice.sign"),
        ("[Hit return to retry (or Ctrl-C to abort)> ", "unknown.any_key"),
        ("> ; Type HELP to get the HELP\n> ", "command.angle"),
    ] {
        assert_eq!(rule(text), expected, "{text:?}");
    }
}
