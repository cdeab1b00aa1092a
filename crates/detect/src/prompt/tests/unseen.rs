//! Forms that programs share which were never recorded: for each, what it is known by, and beside it what is none.

use std::time::Duration;

use super::super::*;
use super::words::{full, rule, rule_of};

#[track_caller]
fn all(table: &[(&str, &str)]) {
    let wrong: Vec<_> = table.iter().filter(|(text, expected)| rule(text) != *expected).collect();
    assert!(wrong.is_empty(), "{:#?}", wrong.iter().map(|(text, _)| (text, rule(text))).collect::<Vec<_>>());
}

#[test]
fn a_sign_under_a_question_waits_for_its_answer() {
    all(&[
        (" Drop all tables? (yes/no) [yes]:\n > ", "yes_no.under"),
        (" Your name [ada]:\n > ", "text.under"),
        ("Is CN=Ada correct?\n  [no]:  ", "yes_no.under"),
        ("What is your name?\n  [Unknown]:  ", "text.colon"),
        ("> help\nThe commands are:\n> ", "command.angle"),
        ("Welcome.\n> ", "command.angle"),
    ]);
    let found = detect(&ScreenView::of_text(" Drop all tables? (yes/no) [yes]:\n > "), &Moment::default()).unwrap();
    assert_eq!(
        (found.is_dangerous, found.prompt_text.starts_with("Drop")),
        (true, true),
        "the question is the row above"
    );
}

#[test]
fn one_of_several_is_asked_for_in_many_ways() {
    all(&[
        ("Left or right? ", "choice.or"),
        ("Abort, Retry, Fail? ", "choice.or"),
        ("Left, right? ", "text.question"),
        ("1 - red\n2 - green\nEnter a number: ", "choice.list"),
        ("A) red B) green\nAnswer: ", "choice.numbered"),
        ("1) go on\n2) stop\n>", "choice.sign"),
        ("q)uit, s)kip, e)dit: ", "choice.keys"),
        ("Use which interface (eth0, wlan0)? ", "choice.brackets"),
        ("Log file (default /var/log/x.log): ", "path.words"),
        (" Continue [yN]  Details [d]", "yes_no.brackets"),
        ("Delete flash:foo? [confirm]", "yes_no.confirm"),
        ("Chcete pokračovat? [A/n] ", "yes_no.brackets"),
        ("All or none? [a/n] ", "text.default"),
        ("a is about to be overwritten, OK? [return = YES | Esc = NO] ", "yes_no.brackets"),
        ("Press y for Yes, any other key for No: ", "yes_no.sure"),
        ("Show instructions? ", "yes_no.question"),
        ("Move to? ", "text.question"),
        ("mv: 'b' überschreiben? ", "yes_no.question"),
    ]);
}

#[test]
fn what_there_is_to_choose_from_may_stand_below_the_question() {
    let below = |hidden: bool, question: &str, rows: &[&str]| {
        rule_of(&ScreenView {
            rows: std::iter::once(question).chain(rows.iter().copied()).map(str::to_owned).collect(),
            wrapped: vec![false; rows.len() + 1],
            before: question.to_owned(),
            cursor_hidden: hidden,
            ..ScreenView::default()
        })
    };
    assert_eq!(below(true, "? Which colours … ", &["✔ red", "✔ green"]), "choice.below");
    assert_eq!(below(false, "? Which colours ", &["  1) red", "  2) green"]), "choice.below");
    assert_eq!(below(false, "? Which colours … ", &["✔ red", "✔ green"]), "text.decorated");
    assert_eq!(below(true, "? Which colours … ", &["✔ red"]), "text.decorated");
    assert_eq!(below(true, "? Who are you … ", &["  Name: ", "  Mail: "]), "text.decorated");
    assert_eq!(rule("? Which side ‣ Left / Right"), "choice.switch");
}

#[test]
fn any_key_and_more_are_said_in_many_ways() {
    all(&[
        ("Strike a key when ready . . . ", "unknown.any_key"),
        ("Weiter mit beliebiger Taste . . . ", "unknown.any_key"),
        ("Premere un tasto per continuare . . . ", "unknown.any_key"),
        ("Continue [Enter] ", "unknown.any_key"),
        ("Seconds, or press Enter for 30: ", "text.colon"),
        ("<--- More --->", "command.pager"),
        ("[More 42%]", "command.pager"),
        ("-----Mehr----- ", "command.pager"),
        ("more? ", "command.pager"),
        ("byte 1234", "command.pager"),
        ("(END) - Next: b.txt", "command.pager"),
        ("- more of the same", "command.silent"),
        ("byte order", "command.silent"),
    ]);
}

#[test]
fn interpreters_have_stranger_signs_than_one() {
    all(&[
        ("CL-USER(1): ", "command.name"),
        ("CASA <1>: ", "command.name"),
        ("sage: ", "command.name"),
        ("In[1]:= ", "command.counted"),
        ("i1 : ", "command.counted"),
        ("main[1] ", "command.counted"),
        ("[zk: localhost:2181(CONNECTED) 0] ", "command.counted"),
        ("clickhouse :) ", "command.counted"),
        ("Coq < ", "command.sign"),
        ("db2 => ", "command.angle"),
        ("ngspice 1 -> ", "command.angle"),
        ("><fs> ", "command.interpreter"),
        ("php { ", "command.interpreter"),
        ("➜  src git:(main) ", "command.sign"),
        ("Please enter your name > ", "text.behind_sign"),
        ("port (default 8080)> ", "text.behind_sign"),
        ("go on => ", "command.no_room"),
        ("a thing [1] ", "command.silent"),
    ]);
}

#[test]
fn a_secret_is_also_what_will_not_be_seen() {
    all(&[
        ("Key (will be hidden): ", "password.hidden"),
        ("Answer (will not echo) ", "password.hidden"),
        ("Give root password for maintenance\n(or press Control-D to continue): ", "password.noted"),
        ("Keep them hidden: ", "text.colon"),
    ]);
}

#[test]
fn something_to_be_typed_to_the_letter_confirms() {
    all(&[
        ("Enter 'DELETE' to remove all keys: ", "text.typed_confirmation"),
        ("To delete the vault, type its name: ", "text.typed_confirmation"),
        ("You are about to erase 4 disks. Type ERASE to proceed: ", "text.typed_confirmation"),
        ("(space to tick one, enter to confirm)", "command.silent"),
        ("Type the password to continue: ", "password.words"),
        ("Enter the name of the file to delete: ", "path.words"),
    ]);
}

/// By its words alone: a full screen that rests waits, and one that only shows how a machine does goes on by itself.
#[test]
fn a_full_screen_that_is_quiet_waits() {
    let confidence = |text: &str, quiet: u64| {
        let moment = Moment { quiet: Some(Duration::from_millis(quiet)), ..Moment::default() };
        detect(&full(text), &moment).map_or(0.0, |prompt| prompt.confidence)
    };
    assert!(confidence("a.txt\nb.txt\n", 1_000) >= MIN_CONFIDENCE);
    assert!(confidence("a.txt\nb.txt\n", 300) < MIN_CONFIDENCE, "it may be drawing");
    assert!(confidence("Every 2.0s: date\n\nMonday\n", 1_000) < MIN_CONFIDENCE);
    assert!(confidence("top - 12:00:01 up 1 day\n", 1_000) < MIN_CONFIDENCE);
}

#[test]
fn comments_diffs_and_places_are_no_prompts() {
    for text in [
        "/* Press any key to continue */", "-  Are you sure? (y/n)", "+ Are you sure? (y/n)", "# Enter your name:",
        "<!-- Continue? (y/n) -->", "SELECT * FROM a WHERE b = ?", "src/main.rs:12:5: ", "Total: ",
        "Sending data to 10.0.0.2: ",
    ] {
        let found = detect(&ScreenView::of_text(text), &Moment::default());
        assert!(found.as_ref().is_none_or(|prompt| prompt.confidence < MIN_CONFIDENCE), "{text:?}: {found:?}");
    }
}
