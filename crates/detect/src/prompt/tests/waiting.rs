//! What no rule knows, and is told all the same by what stands around it: where a host says that somebody waits.

use std::time::Duration;

use super::super::*;

const LINES: Host = Host { reader: Reader::Reads, echo: Some(true), canonical: Some(true), destroys: false };
const KEYS: Host = Host { reader: Reader::Polls, echo: Some(false), canonical: Some(false), destroys: false };

fn seen(sight: &ScreenView, host: Host) -> (String, bool, bool) {
    let moment = Moment { host, quiet: Some(Duration::from_secs(1)), answered: false };
    let found = detect(sight, &moment).unwrap_or_else(|| panic!("{sight:?}"));
    (found.matched_pattern.to_string(), found.is_dangerous, found.safe_to_type)
}

#[track_caller]
fn all(host: Host, table: &[(&str, &str)]) {
    let wrong = table.iter().filter_map(|(text, expected)| {
        let (rule, _, _) = seen(&ScreenView::of_text(text), host);
        (rule != *expected).then_some((text, rule))
    });
    let wrong: Vec<_> = wrong.collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn who_takes_keys_may_look_for_them_by_itself() {
    let busy = |text: &str, host: Host, quiet: u64, answered: bool| {
        let host = Host { reader: Reader::Busy, ..host };
        detect(&ScreenView::of_text(text), &Moment { host, quiet: Some(Duration::from_millis(quiet)), answered })
    };
    let found = busy("Delete 3 tables? [y/n] ", KEYS, 700, false).unwrap();
    assert!(found.confidence >= MIN_CONFIDENCE && found.is_dangerous && !found.safe_to_type, "{found:?}");
    assert_eq!(busy("Delete 3 tables? [y/n] ", KEYS, 699, false), None, "it may be on its way");
    assert_eq!(busy("Delete 3 tables? [y/n] ", KEYS, 5_000, true), None, "it does what it was told");
    assert_eq!(busy("Delete 3 tables? [y/n] ", LINES, 5_000, false), None, "lines are taken in one read");
    assert_eq!(busy("Compiling callboard\n", KEYS, 5_000, false), None, "it works");
    assert_eq!(busy("Which folder? ", KEYS, 5_000, false), None, "it is not likely enough");
}

/// The last row of a full screen with its cursor in this row.
fn full(rows: &[&str], cursor_row: usize) -> ScreenView {
    ScreenView {
        wrapped: vec![false; rows.len()],
        rows: rows.iter().map(|row| (*row).to_owned()).collect(),
        cursor_row,
        before: rows[cursor_row].to_owned(),
        alternate: true,
        ..ScreenView::default()
    }
}

#[test]
fn an_answer_that_stands_in_its_line_is_for_its_label() {
    all(
        KEYS,
        &[
            ("Location of the jail: /var/lib/jail", "path.prefilled"),
            ("Default realm: EXAMPLE.ORG", "text.prefilled"),
            ("Who, by default, holds it?  : Ada", "text.prefilled"),
            ("Name of the folder: here", "path.prefilled"),
            ("Where it goes ‣ ~/app", "path.prefilled"),
            ("Port choice [1-3]: 1", "choice.prefilled"),
            ("Go on [y/n]: n", "yes_no.told"),
            ("Your password: abc", "password.prefilled"),
            ("12: abc", "command.silent"),
            ("Realm: ", "text.colon"),
            ("a: b: c", "command.silent"),
            (&format!("{}: abc", "x".repeat(90)), "command.silent"),
            (&format!("Realm: {}", "x".repeat(90)), "command.silent"),
        ],
    );
    let (_, _, safe) = seen(&ScreenView::of_text("Default realm: EXAMPLE.ORG"), LINES);
    assert!(!safe, "what is typed would go behind what stands there");
    let lines: Vec<&str> = std::iter::repeat_n("x", 10).chain(["File Name to write: a.txt"]).collect();
    assert_eq!(seen(&full(&lines, 10), KEYS).0, "path.prefilled");
    assert_eq!(seen(&full(&["Name: ada", "b", "c", "d", "e", "f"], 0), KEYS).0, "command.full_screen");
}

#[test]
fn an_editor_asks_in_its_last_rows() {
    let rows = ["  GNU nano", "one", "two", "three", "File Name to Write: a.txt", "^G Help", "^C Cancel"];
    let reads = Host { reader: Reader::Reads, ..KEYS };
    let named = ("path.prefilled".to_owned(), false, false);
    assert_eq!((seen(&full(&rows, 4), KEYS), seen(&full(&rows, 4), reads)), (named.clone(), named));
    assert_eq!(seen(&full(&rows, 1), KEYS).0, "command.editor");
    let rows = ["one", "two", "three", "four", "Save file /home/ada/a.txt? (y, n, !, ., q)"];
    assert_eq!(seen(&full(&rows, 0), KEYS).0, "command.full_screen");
    let rows = ["one", "two", "three", "four", "Keep all of it (a, b, c)"];
    assert_eq!(seen(&full(&rows, 0), KEYS).0, "command.full_screen");
    let rows = ["one", "two", "Use up/down arrow keys to select one, d to delete, q to quit"];
    assert_eq!(seen(&full(&rows, 2), KEYS), ("choice.full_screen".to_owned(), false, false));
}

#[test]
fn a_question_is_put_together_from_what_stands_above() {
    all(
        LINES,
        &[
            ("Can I remove these? [return\n = YES | Esc = NO]\n", "yes_no.brackets"),
            ("Type y to continue, anything else to leave: ", "yes_no.typed"),
            ("Are you sure?\nEnter 'yes' to continue, enter any other value to leave.\n", "yes_no.typed"),
            ("Replace it with \"b\"? [Y]es [N]o [A]ll [C]ancel\n", "choice.keys"),
            ("In order to go on, type y and hit return.\n", "yes_no.typed"),
            ("Discard the changes? Type Y then Enter to continue:\n", "yes_no.typed"),
            ("Type 'a', 'r', or 's'.\n", "choice.told"),
            ("Type 'add' to add one.\nType 'show' to see them.\n", "choice.told"),
            ("Type `help' for help\nType `bye' to exit\n", "text.silent"),
            ("Press 1 for Windows\nPress 2 for others\n", "choice.told"),
            ("Choose your name\n", "text.told"),
            ("Specify a date. Format: DD/MM/YYYY\n", "text.told"),
            ("sdb\nare you sure you want to wipe sdb? y/n\n", "yes_no.told"),
            ("Y to accept these or type the letter for one to change\n", "choice.told"),
            ("Enter your guess (5 letters)\ncrane\n", "text.told"),
            ("please enter the text\n\n->", "text.told"),
            ("red 1\ngreen 2\n(1) add\n(2) leave\n-----\n\n", "choice.told"),
        ],
    );
}

#[test]
fn a_title_over_an_item_that_is_marked_is_for_choosing() {
    let mut menu =
        ScreenView::of_text("│ Select a method │\n│ › The first one │\n│   said of it │\n│ │\n│ Another │\n");
    menu.cursor_hidden = true;
    let rule = seen(&menu, KEYS).0;
    assert!(rule.starts_with("choice."), "{rule}");
    let mut none = ScreenView::of_text("│ Some methods │\n│ ›one │\n");
    none.cursor_hidden = true;
    assert_eq!(seen(&none, KEYS).0, "command.silent");
}

#[test]
fn what_is_told_of_an_answer_says_its_kind() {
    all(
        LINES,
        &[
            ("? Where are your tests located? (./tests) ", "path.words"),
            ("? In which place is it? ./", "path.words"),
            ("Config [/etc/it.conf]: ", "path.words"),
            ("Get it from [https://a.example/x/y]: ", "text.colon"),
            ("❯ Where should it be created ‣ ./app", "path.words"),
            ("IdentityFile [default]: ", "path.words"),
            ("Profile [default]: ", "text.colon"),
            ("Enter the INI file to use [./app.ini]: ", "path.words"),
            ("[/home/ada/conda] >>> ", "path.default"),
            ("Please, press ENTER to continue\n>>> ", "unknown.any_key"),
            ("How many of you play? (2-5): ", "text.colon"),
            ("Your turn? [0 = in, 1 = out, 2 = leave]: ", "choice.brackets"),
            ("Store it? (y/n, Return cancels, i for more info) ", "yes_no.brackets"),
            ("Would you like to encrypt it? Y/n (q to quit) ", "yes_no.words"),
            ("Enter a value between 1 and 9: ", "text.colon"),
            ("Your TELEGRAM_BOT_TOKEN: ", "password.words"),
            ("The secretKey[None]: ", "password.words"),
            ("mdelete a.txt? ", "yes_no.question"),
            ("   1: a\n   2: b\n   3: c\n(byebug) ", "command.debugger"),
            ("remake<0> ", "command.angle"),
            ("Are you sure you want to wipe it? (y/N)\nConfirm: ", "yes_no.under"),
            ("==> [N]one [A]ll [Ab]ort\n==> ", "choice.under"),
            ("Enter the code of the fork:\n>>> ", "text.under"),
            ("Enter SQL (end with ;).\nsql> ", "command.angle"),
            ("Enter the word to look for.\nword> ", "text.behind_sign"),
            ("Delete all of it now? Type myapp\n ▸ red\n ▸ green\n> ", "command.angle"),
        ],
    );
    assert!(seen(&ScreenView::of_text("DANGER: THIS WILL MODIFY IT.\nUpdate the label? "), LINES).1);
    assert!(!seen(&ScreenView::of_text("It will do no harm.\nUpdate the label? "), LINES).1);
    assert!(seen(&ScreenView::of_text("mdelete a.txt? "), LINES).1);
}

/// A row of a table, and a bar with cells, hold no answer.
#[test]
fn columns_are_no_answer() {
    all(
        KEYS,
        &[
            ("RX: lo     0 B/s      0 B/s", "command.silent"),
            ("File modified: a.c  │Save│Discard│", "command.silent"),
            ("Realm: EXAMPLE.ORG", "text.prefilled"),
        ],
    );
}

#[test]
fn a_full_screen_of_no_known_form_takes_keys_and_no_line() {
    let rows = ["a.txt", "b.txt", "c.txt", "d.txt", "e.txt"];
    for host in [KEYS, LINES, Host { canonical: Some(false), ..LINES }] {
        let moment = Moment { host, quiet: Some(Duration::from_secs(1)), answered: false };
        let found = detect(&full(&rows, 0), &moment).unwrap();
        assert_eq!((found.prompt_type, &found.matched_pattern), (PromptKind::Command, &RuleId::FULL_SCREEN));
        assert!(found.confidence >= 0.85 && !found.safe_to_type && !found.is_dangerous, "{found:?}");
    }
}

#[test]
fn a_full_screen_whose_keys_select_is_a_list() {
    for bar in ["Up/Down-Move selector  Enter-execute", "Use arrowed keys to move, RETURN to select"] {
        let rows = ["Quick", "Long", "Typing", "Help...", "", "", bar];
        assert_eq!(seen(&full(&rows, 3), KEYS).0, "choice.full_screen", "{bar}");
    }
}
