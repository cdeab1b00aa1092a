//! Where a question is drawn, and what stands beside it: in a box, in the last row, over a list, under a text.

use std::time::Duration;

use super::super::*;
use super::danger::all;
use super::words::{full, rule};
use crate::danger::command_destroys;

/// A full screen of these rows, whose cursor is hidden in its first one.
fn screen(rows: &[&str]) -> Option<InputPrompt> {
    let rows: Vec<String> = rows.iter().map(|row| (*row).to_owned()).collect();
    let sight = ScreenView {
        wrapped: vec![false; rows.len()],
        rows,
        alternate: true,
        cursor_hidden: true,
        ..ScreenView::default()
    };
    let quiet = Some(std::time::Duration::from_secs(1));
    detect(&sight, &Moment { quiet, ..Moment::default() })
}

#[track_caller]
fn drawn(rows: &[&str], rule: &str, dangerous: bool) {
    let found = screen(rows).unwrap();
    assert_eq!((&*found.matched_pattern.to_string(), found.is_dangerous), (rule, dangerous), "{rows:#?}");
}

#[test]
fn a_box_over_what_a_screen_shows_asks() {
    drawn(
        &[
            "╭─Files─────╮╭─Diff──────────────────────╮",
            "│ ?? a.txt  ││ -a                        │",
            "│   ╭─Discard──────────────────╮         │",
            "│   │ Are you sure you want to │         │",
            "│   │ discard it?              │         │",
            "│   ╰──────────────────────────╯         │",
            "╰───────────╯╰───────────────────────────╯",
        ],
        "yes_no.box",
        true,
    );
    drawn(&["  PID", " ┌Kill process 42?┐", " │ Yes: y  No: n  │", " └────────────────┘"], "yes_no.box", true);
    drawn(&["", "  ┏━━━━━━━━━━━━━━━━━━━┓", "  ┃ Reload the page?  ┃", "  ┗━━━━━━━━━━━━━━━━━━━┛"], "yes_no.box", false);
}

#[test]
fn nothing_is_typed_into_what_stands_away_from_the_cursor() {
    let rows = ["  PID", " ┌Kill process 42?┐", " │ Yes: y  No: n  │", " └────────────────┘"].map(str::to_owned);
    let last = [" a.txt", "", "Reopen it? [y/n]"].map(str::to_owned);
    for (rows, rule) in [(rows.to_vec(), "yes_no.box"), (last.to_vec(), "yes_no.last_row")] {
        let sight = ScreenView {
            wrapped: vec![false; rows.len()],
            rows,
            alternate: true,
            cursor_hidden: true,
            ..ScreenView::default()
        };
        let host = Host { reader: Reader::Reads, echo: Some(true), canonical: Some(true), destroys: false };
        let found = detect(&sight, &Moment { host, ..Moment::default() }).unwrap();
        assert_eq!((&*found.matched_pattern.to_string(), found.safe_to_type), (rule, false));
    }
}

#[test]
fn a_box_without_a_question_for_yes_or_no_does_not_ask() {
    for rows in [
        vec!["┌───────────────────┐", "│ Delete the files? │", "└───────────────────┘"],
        vec![" ┌──────────────┐", " │ What is new? │", " └──────────────┘"],
        vec![" ┌───────────────────┐", " │ Delete the files? │"],
        vec![" ┌───────────────────┐", " │ Delete the files? │", "oh"],
        vec![" ┌───────────────────┐", "Delete the files?"],
        vec![" ┌──────", " │ Delete the files? │", " └─────"],
    ] {
        assert_ne!(
            screen(&rows).map(|found| found.matched_pattern.to_string()).as_deref(),
            Some("yes_no.box"),
            "{rows:#?}"
        );
    }
}

#[test]
fn the_last_row_of_a_full_screen_asks() {
    drawn(&[" a.txt", " b.txt", "", "Confirm deletion of: b.txt (y/N)"], "yes_no.last_row", true);
    drawn(&[" a.txt", " b.txt", "", "Reopen it? [y/n]"], "yes_no.last_row", false);
    assert_ne!(screen(&[" a", "Delete it? (y/n)", "1 item"]).unwrap().matched_pattern.to_string(), "yes_no.last_row");
}

#[test]
fn a_dialog_to_be_left_by_ok_or_cancel_may_destroy() {
    let dialog = |text: &str, buttons: &str| {
        [
            " ┌────────────────────────────────────┐".to_owned(),
            format!(" │ {text:34} │"),
            format!(" │ {buttons:34} │"),
            " └────────────────────────────────────┘".to_owned(),
        ]
    };
    for (text, buttons, dangerous) in [
        ("a.txt is there. Overwrite it?", "[ OK ]   [ Cancel ]", true),
        ("Delete 3 items?", "< Delete >   < Cancel >", true),
        ("All data on sdb will be lost.", "< OK >   < Cancel >", true),
        ("Pattern of the items to delete", "< OK >   < Cancel >", false),
        ("Reload it?", "< OK >   < Cancel >", false),
    ] {
        let rows = dialog(text, buttons);
        let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
        let found = screen(&rows).unwrap();
        assert_eq!((&*found.matched_pattern.to_string(), found.is_dangerous), ("text.dialog", dangerous), "{text}");
    }
}

#[test]
fn yes_and_no_below_each_other_lean_on_what_was_printed_above_the_question() {
    let printed = "This will delete all files in ./build.\n";
    for menu in
        ["◆  Continue?\n│  ○ Yes / ● No", "? Continue? (Use arrow keys)\n❯ No\n  Yes", "? Continue? … \n❯ No / Yes"]
    {
        all(true, &[&format!("{printed}{menu}")]);
        all(false, &[menu, &format!("{printed}◇  Delete them?\n│  Yes\n{menu}")]);
    }
    all(false, &["Delete everything\n? What now? (Use arrow keys)\n❯ Go on\n  Stop"]);
}

#[test]
fn yes_and_no_may_stand_in_a_list() {
    all(
        true,
        &[
            "Really delete it?\n1) Yes\n2) No\n#? ",
            "All data will be lost.\nContinue?\n1) Yes\n2) No\n#? ",
            "What should be done with the existing database?\n  1. Delete it\n  2. Keep it\nChoose [1-2]: ",
        ],
    );
    all(
        false,
        &[
            "Really install it?\n1) Yes\n2) No\n#? ",
            "Delete it?\n1) Perhaps\n2) Later\n#? ",
            "What next?\n  1. Delete\n  2. List\nChoose [1-2]: ",
        ],
    );
}

#[test]
fn the_answers_may_stand_in_the_row_above_the_sign() {
    for text in ["Overwrite? (y/n)\n> ", "Delete it? [y/N]\n?: ", "All is removed. Continue? [yes|no]\n[no] >>> "] {
        assert_eq!(rule(text), "yes_no.under", "{text:?}");
        all(true, &[text]);
    }
    assert_eq!(rule("Done (3 of 3)\n> "), "command.angle");
    assert_eq!(rule("Which of them? (see the list)\n> "), "command.angle");
    assert_eq!(rule("Delete it? (enter to confirm, esc to cancel)"), "yes_no.question");
}

#[test]
fn what_was_changed_may_stand_in_the_row_above() {
    all(
        true,
        &[
            "The text was modified.\nQuit? (y/n) ",
            "You have unsaved changes.\nAre you sure you want to leave? (y/n) ",
            "You have unsaved changes. Open another one? (y/n) ",
        ],
    );
    all(
        false,
        &[
            "There are uncommitted changes.\nContinue? [y/N] ",
            "You have unsaved changes.\nSave them before closing? (y/n) ",
            "The text was modified.\nRead it again? (y/n) ",
        ],
    );
}

#[test]
fn a_row_that_asks_nothing_goes_on_from_the_question_above_it() {
    all(true, &["Delete this book?\nIts title is Emma (Y/N) "]);
    all(false, &["Read this book?\nIts title is Emma (Y/N) ", "Delete this book?\nSay hello to Emma? (Y/N) "]);
}

#[test]
fn who_goes_on_writes_over_the_file_that_is_there() {
    all(true, &["The file out already exists.\nProceed? (y/n) ", "out.txt already exists\nContinue? [y/N] "]);
    all(
        false,
        &[
            "The directory out.d already exists.\nContinue? [y/N] ",
            "User ada already exists.\nContinue? [y/N] ",
            "out.txt already exists\nRead it? [y/N] ",
        ],
    );
}

#[test]
fn a_mark_of_colour_that_lost_its_escape_hides_no_question() {
    all(true, &["[31mAre you sure you want to delete a?(y/n) [0m", "[1;31mb already exists, overwrite it? [0m"]);
    all(false, &["[32mGo on? (y/n) [0m", "Read [1m] or [m]? (y/n) "]);
    assert_eq!(rule("Choose [12] or [31] (1/2): "), rule("Choose 12 or 31 (1/2): "));
}

#[test]
fn a_word_to_type_may_end_its_row_with_a_full_stop() {
    let text = "This is an irreversible operation!\nType 'BURN' (all capitals) to continue.\n";
    assert_eq!(rule(text), "text.typed_confirmation");
    assert_eq!(rule("All of it was written.\n"), "command.silent");
}

#[test]
fn a_bare_question_is_about_the_command_above_it() {
    all(
        true,
        &[
            "$ az group delete -n zz\nAre you sure you want to perform this operation? (y/n): ",
            "ada@box:~$ fly apps destroy shop\nAre you sure? [y/N] ",
            "$ cloud db-drop main\nContinue? (y/n) ",
            "ada@box:~$ sudo apt purge nginx\nReading package lists... Done\n3 MB are free then.\nContinue? [Y/n] ",
            "root@box:~# dropdb shop\nAre you sure? (y/n) ",
            "$ clean-modules\nThis will take a while.\nAre you sure you want to continue? (Y/N) ",
            "❯ npx npkill\nAre you sure? (y/N) ",
            "PS C:\\work> docker system prune\nAre you sure you want to continue? [y/N] ",
            "[ada@box ~]$ git push --force\nAre you sure? [y/N] ",
        ],
    );
    all(
        false,
        &[
            "$ az group create -n delete\nPerform this operation? (y/n): ",
            "$ rm-notes list\nContinue? [y/N] ",
            "$ az group delete -n zz\nDone.\n$ az group list\nContinue? (y/n) ",
            "$ az group delete -n zz\nShow what would go first? (y/n) ",
            "ada@box:~$ sudo apt install nginx\nReading package lists... Done\nContinue? [Y/n] ",
            "$ ls remove/\n10 % off # delete it\nContinue? [Y/n] ",
            "It says $ remove\nContinue? [Y/n] ",
        ],
    );
}

/// What the screen does not show, a host knows.
#[test]
fn a_bare_question_is_about_the_command_that_a_host_read() {
    let asked = |text: &str, destroys| {
        let host = Host { reader: Reader::Reads, echo: Some(true), canonical: Some(true), destroys };
        detect(&ScreenView::of_text(text), &Moment { host, ..Moment::default() }).unwrap().is_dangerous
    };
    assert!(asked("Continue? [y/N] ", true) && !asked("Continue? [y/N] ", false));
    assert!(!asked("Show what would go first? (y/n) ", true), "the question says itself what it asks");
    let host = Host { reader: Reader::Reads, echo: Some(true), canonical: Some(true), destroys: true };
    let sure = detect(&ScreenView::of_text("Are you sure? [y/N] "), &Moment { host, ..Moment::default() }).unwrap();
    assert!(sure.signals.contains(&Signal::Command), "{sure:?}");
    assert!(!asked("Password: ", true) && !asked("$ ", true));
    for command in [
        "rm -i a", "sudo apt purge nginx", "/usr/bin/dropdb shop", "python3 manage.py flush",
        "node /usr/bin/clean-modules", "npx rimraf dist", "DEBUG=1 docker system prune", "heroku apps:destroy",
        "git reset --hard",
    ] {
        assert!(command_destroys(command), "{command}");
    }
    for command in ["apt install rm", "ls remove/", "az group create -n delete", "claude", "node server.js", "", "sudo"]
    {
        assert!(!command_destroys(command), "{command}");
    }
}

#[test]
fn to_leave_anyway_is_asked_for_yes_or_no() {
    all(true, &["Some buffers haven't been saved; leave anyway? "]);
    assert_eq!(rule("Some buffers haven't been saved; leave anyway? "), "yes_no.question");
    assert_eq!(rule("What is it good for anyway? "), "text.question");
}

/// What stands left and right of a dialog, in rows of its own, is none of it.
#[test]
fn a_dialog_that_stands_over_panels_is_read_between_its_sides() {
    let over = |inner: &str| {
        let rows: Vec<String> = inner.lines().map(|row| format!("│ mail │{row:<30}│ sent │")).collect();
        let top = format!("│ mail ┌{:─<30}┐ sent │", "");
        let moment = Moment { quiet: Some(Duration::from_secs(1)), ..Moment::default() };
        let text = format!("{top}\n{}\n└──────┴──────────────────────────────┴──────┘\n", rows.join("\n"));
        let found = detect(&full(&text), &moment).unwrap();
        (found.matched_pattern.to_string(), found.prompt_text)
    };
    let told = |rule: &str, text: &str| (rule.to_owned(), text.to_owned());
    assert_eq!(
        over("Enter password for\na.pet\n──────────────────────────────\n[ OK ] [ Cancel ]"),
        told("password.dialog", "Enter password for a.pet"),
    );
    assert_eq!(over("Delete it?\n[ Yes ] [ No ]"), told("yes_no.dialog", "Delete it?"));
    assert_eq!(over("A name for it\n< OK > <Cancel>"), told("text.dialog", "A name for it"));
    let list =
        "Which server?\n┌──────────┐\n│ the live one, for real use │\n│ the one to test with, only │\n< OK > <Cancel>";
    assert_eq!(over(list).0, "choice.dialog");
    let one = "Which server?\n│ https://one.example/       │\n< OK > <Cancel>";
    assert_eq!(over(one).0, "text.dialog", "a row to write in");
}

#[test]
fn a_list_is_one_whatever_stands_between_and_below_its_groups() {
    let listed = |rows: &[&str]| {
        let rows: Vec<String> = rows.iter().map(|row| (*row).to_owned()).collect();
        let (wrapped, cursor_row) = (vec![false; rows.len()], 2);
        let sight = ScreenView { wrapped, rows, cursor_row, cursor_hidden: true, ..ScreenView::default() };
        let quiet = Some(Duration::from_secs(1));
        detect(&sight, &Moment { quiet, ..Moment::default() }).map(|found| found.matched_pattern.to_string())
    };
    let groups = [
        "Main menu", "", "▶  Lines", "   Colours", "", "   Export", "   Import", "", "   Install", "", "   Help",
        "   Exit",
    ];
    assert_eq!(listed(&groups).as_deref(), Some("choice.menu"));
    let rows = ["QUERY>      IgnoreCase [3 (1/1)]", "a.txt", "b.txt", "c.txt"].map(str::to_owned).to_vec();
    let after = " IgnoreCase [3 (1/1)]".to_owned();
    let filter = ScreenView { before: "QUERY> ".to_owned(), after, alternate: true, ..ScreenView::of_text("") };
    let filter = ScreenView { wrapped: vec![false; rows.len()], rows, ..filter };
    let quiet = Some(Duration::from_secs(1));
    let found = detect(&filter, &Moment { quiet, ..Moment::default() }).unwrap();
    assert_eq!(found.matched_pattern.to_string(), "choice.filter");
    let described =
        ["API type", "> REST", "  RPC", "┌── Description ───┐", "│ Makes a service. │", "└──────────────────┘"];
    assert_eq!(listed(&described).as_deref(), Some("choice.menu"));
    assert_eq!(
        listed(&["", "┌── Its name? ─────┐", "│ ada              │", "└──────────────────┘"]).as_deref(),
        Some("text.titled")
    );
}
