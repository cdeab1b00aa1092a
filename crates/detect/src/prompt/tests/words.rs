//! Words that decide, case by case: for each, the rule that must know it, and beside it what only looks the same.

use std::time::Duration;

use super::super::*;

/// What the first rule makes of it, whatever it is worth: a program that reads is asked.
pub(super) fn rule_of(sight: &ScreenView) -> String {
    let host = Host { reader: Reader::Reads, echo: Some(true), canonical: Some(false), destroys: false };
    match detect(sight, &Moment { host, quiet: None, answered: false }).map(|prompt| prompt.matched_pattern) {
        // No rule: whatever stands before what is read says what it is.
        Some(RuleId::Built(PromptKind::Text, Form::Labelled)) => "command.silent".to_owned(),
        Some(RuleId::Own(_) | RuleId::Other(_)) | None => "none".to_owned(),
        Some(rule) => rule.to_string(),
    }
}

pub(super) fn rule(text: &str) -> String {
    rule_of(&ScreenView::of_text(text))
}

/// A program that took the whole screen, with the cursor behind its last row.
pub(super) fn full(text: &str) -> ScreenView {
    ScreenView { alternate: true, ..ScreenView::of_text(text) }
}

#[track_caller]
fn all(table: &[(&str, &str)]) {
    let wrong: Vec<_> = table.iter().filter(|(text, expected)| rule(text) != *expected).collect();
    assert!(wrong.is_empty(), "{:#?}", wrong.iter().map(|(text, _)| (text, rule(text))).collect::<Vec<_>>());
}

#[test]
fn answers_in_brackets_are_told_from_brackets() {
    all(&[
        ("Go on (y or n)? ", "yes_no.brackets"),
        ("Go on (Y/n) ‣ true ", "yes_no.brackets"),
        ("Go on (y)? ", "yes_no.default"),
        ("Remove it (n) ", "yes_no.default"),
        ("Stage [ynW...], or ? for more options: ", "choice.letters"),
        ("Stage [abc...]: ", "text.colon"),
        ("How [aArRoOsSq]? ", "choice.letters"),
        ("How [aAaRr]? ", "text.question"),
        ("Which [1..3]: ", "choice.range"),
        ("Which [http://a/b,http://c/d,e]: ", "text.colon"),
        ("Which [one of these here, two of those there, x]: ", "text.colon"),
        ("Which [a,b,this one is much longer than any answer]: ", "text.colon"),
        ("Which [x y z]: ", "text.colon"),
        ("on [on]: ", "text.colon"),
        ("on [On]: ", "text.colon"),
        ("on [oN]: ", "yes_no.brackets"),
        ("Go on <y>? ", "yes_no.default"),
        ("Go on?(y) ", "command.silent"),
    ]);
}

#[test]
fn the_cursor_may_stand_between_the_brackets() {
    let between = ScreenView { after: "]".to_owned(), ..ScreenView::of_text("Go on? [y/n") };
    assert_eq!(rule_of(&between), "yes_no.brackets");
}

#[test]
fn keys_within_words_are_choices() {
    all(&[
        ("(A)bort, (R)etry, (I)gnore? ", "choice.keys"),
        ("(Y)es or (N)o? ", "yes_no.keys"),
        ("(Y)es or (M)aybe? ", "choice.keys"),
        ("(A) Later (B) Never ? ", "choice.keys"),
        ("(O)verwrite (R)ename\n(S)kip? ", "choice.keys"),
        ("f(x): ", "text.colon"),
    ]);
}

#[test]
fn a_list_above_makes_a_choice() {
    all(&[
        ("a) red\nb) green\nYour choice: ", "choice.list"),
        ("1. red\n2. green\nGive a number: ", "choice.list"),
        ("1) red\n2) green\nOf these? ", "choice.numbered"),
        ("1) red\n2) green\nSome words.\nMore words.\nAnd more.\nOf these? ", "text.question"),
        ("red a) x\ngreen b) y\nOf these? ", "text.question"),
        ("Make a selection: ", "choice.words"),
        ("1) red b) blue\nOf these? ", "text.question"),
        ("1) red\n2) green\n#? ", "choice.select"),
    ]);
}

#[test]
fn editors_and_pagers_are_known_by_their_screens() {
    for (text, expected) in [
        ("one\n-- INSERT --\n", "text.editor"),
        ("one\n-- REPLACE --\n", "text.editor"),
        ("one\n-- VISUAL --\n", "command.editor"),
        ("one\n~\n~\n~\nfile", "command.editor"),
        ("one\n^G Help\n", "command.editor"),
        ("one\n^G Get Help\n", "command.editor"),
        ("one\n^X Exit\n", "command.editor"),
        ("one\nCtrl-K H for help\n", "command.editor"),
        ("one\n~\n~\n~\nSave? (y/n)", "yes_no.brackets"),
        ("one\n:", "command.pager"),
        ("a\nb\nc\nd\ne\nREADME.md", "command.pager_file"),
        ("a\nb\nc\nd\ne\n/etc/services", "command.pager_file"),
        ("a\nb\nc\nd\ne\nREADME.md lines 1-5", "command.pager_file"),
        ("a\nb\nc\nd\ne\nplain", "command.full_screen"),
        ("a\nREADME.md", "command.full_screen"),
    ] {
        assert_eq!(rule_of(&full(text)), expected, "{text:?}");
    }
    let behind = ScreenView { after: "more".to_owned(), ..full("a\nb\nc\nd\ne\nREADME.md") };
    assert_eq!(rule_of(&behind), "command.full_screen");
    let above = ScreenView { cursor_row: 0, before: ":".to_owned(), ..ScreenView::of_text(":\nmore") };
    assert_eq!(rule_of(&above), "text.colon", "not in the last row, and not a full screen");
    assert_eq!(rule_of(&ScreenView { alternate: true, ..above }), "command.pager");
}

#[test]
fn a_pager_says_so_in_its_own_line() {
    all(&[
        ("file.txt (END)", "command.pager"),
        (&format!("{}: (end)", "x".repeat(100)), "command.silent"),
        ("-- More -- (Space)", "command.pager"),
        ("Manual page ls(1) line 1", "command.pager"),
        ("Manual page of nothing", "command.silent"),
        ("lines 1-24", "command.pager"),
        ("lines of code", "command.silent"),
        ("lines 1-24 of a text that goes on for very long indeed", "command.silent"),
        ("---Type <return> to continue---", "command.pager"),
        ("--Type <RET> for more--", "command.pager"),
        ("Press any key", "unknown.any_key"),
        ("Press any key to skip", "command.silent"),
        ("? press enter to see", "text.decorated"),
        ("Press any key or press q to quit", "command.silent"),
        ("Press ENTER to go on\n", "unknown.any_key_above"),
        ("Press <RETURN> to continue.\nPress Ctrl + D to terminate.\n", "unknown.any_key_above"),
        ("Press Enter to run all.\nPress Ctrl + D to terminate.\n", "command.silent"),
        ("Nothing of that\n", "command.silent"),
    ]);
}

#[test]
fn the_end_of_a_line_says_what_is_asked() {
    all(&[
        ("Name?\n[demo] ", "text.default"),
        ("Name of it\n[demo] ", "command.silent"),
        ("? Which way? (up) ", "text.decorated"),
        ("? Which way?up ", "text.question"),
        ("? Continue", "text.decorated"),
        ("What is it? ", "text.question"),
        ("The colour? ", "text.question"),
        ("? Are you ready? ", "yes_no.question"),
        ("Are you ready? ", "yes_no.question"),
        ("Name › ", "command.no_room"),
        ("Colour? (red or else) ", "text.default"),
        (&format!("{}? (red or else) ", "x".repeat(120)), "command.silent"),
        ("Are you ready?... ", "yes_no.question"),
        (&format!("{}?... ", "x".repeat(120)), "command.silent"),
        ("value= ", "command.silent"),
        (&format!("{}=", "x".repeat(120)), "command.silent"),
    ]);
}

#[test]
fn a_secret_is_asked_for_and_not_only_spoken_of() {
    all(&[
        ("Password: ", "password.words"),
        ("? Password ", "password.words"),
        ("? Password", "password.words"),
        ("[?] Password", "password.words"),
        ("Your password ", "password.words"),
        ("Your password", "command.silent"),
        ("Password file: ", "path.words"),
        ("Password policy: ", "text.colon"),
        (&format!("password {}: ", "of a very long name ".repeat(8)), "password.words"),
    ]);
}

#[test]
fn shells_and_interpreters_are_known_by_their_signs() {
    all(&[
        ("(gdb) ", "command.debugger"),
        ("(a word) ", "command.silent"),
        ("(a-name-that-no-debugger-would-have) ", "command.silent"),
        ("In [1]: ", "command.interpreter"),
        ("...: ", "command.interpreter"),
        ("....", "command.interpreter"),
        (">>> ", "command.interpreter"),
        (">>>", "command.no_room"),
        ("~ ❯ ", "command.sign"),
        ("~/a @ ", "command.sign"),
        ("mail @ ", "command.silent"),
        ("❯", "command.no_room"),
        ("0] ", "command.debugger"),
        ("0]", "command.silent"),
        ("12345] ", "command.silent"),
        ("x1] ", "command.silent"),
        ("1x] ", "command.silent"),
        ("mysql> ", "command.angle"),
        ("PS C:\\->", "command.angle"),
        ("PS C:\\>", "command.angle"),
        ("mysql>", "command.no_room"),
        ("a b c d e f> ", "command.no_room"),
        ("it ends.> ", "command.no_room"),
        ("go on -> ", "command.no_room"),
        ("a <b> ", "command.no_room"),
        ("DB<1> ", "command.angle"),
        ("> ", "command.angle"),
        ("what now then> ", "command.angle"),
        ("ada@host:~$ ", "command.sign"),
        ("host% ", "command.sign"),
        ("42% ", "command.silent"),
        ("$ ", "command.sign"),
        ("one two $ ", "command.no_room"),
        ("bash-5.2$ ", "command.sign"),
        ("a b c d e f ~$ ", "command.no_room"),
        ("ada@host:~$", "command.no_room"),
        ("$ git st", "command.typing"),
        ("# a heading", "command.silent"),
        ("ada@host:~$ git st", "command.typing"),
        ("ada@host# git st", "command.silent"),
        ("see ada@host:~$ git st", "command.silent"),
        ("Command (m for help): ", "command.for_help"),
        ("Command: ", "command.words"),
        ("Which of the commands of this program is the command? ", "text.question"),
        (&format!("$ {}", "x".repeat(120)), "command.typing"),
    ]);
}

#[test]
fn yes_and_no_are_asked_for_in_words() {
    all(&[
        ("Type 'yes' to go on: ", "yes_no.typed"),
        ("Only 'yes' will be accepted.\nEnter a value: ", "yes_no.typed"),
        ("Nothing of that.\nEnter a value: ", "text.colon"),
        ("Type the name to confirm: ", "text.typed_confirmation"),
        ("Now type it to proceed: ", "text.typed_confirmation"),
        ("Please enter it to continue: ", "text.typed_confirmation"),
        ("Please enter it to see: ", "text.colon"),
        ("Continue y/n? ", "yes_no.words"),
        ("Continue n/y? ", "yes_no.words"),
        ("Yes or no? ", "yes_no.words"),
        ("Continue yes no? ", "yes_no.question"),
        ("Is yes better than no? ", "yes_no.question"),
        ("Go on <n>: ", "yes_no.default"),
        ("maybe or no? ", "choice.or"),
    ]);
}

#[test]
fn menus_are_told_from_lists() {
    let hidden = |text: &str| rule_of(&ScreenView { cursor_hidden: true, ..ScreenView::of_text(text) });
    all(&[
        ("? Which\n❯ red\n  green\n", "choice.menu"),
        ("Save it?\n● Yes / ○ No\n", "yes_no.toggle"),
        ("Save it?\n○ No / ● Yes\n", "yes_no.toggle"),
        ("Save it?\n● Yes / ○ Maybe\n", "command.silent"),
        ("? Save it\n❯ Yes\n  No\n", "yes_no.menu"),
        ("? Save it\n❯ Yes\n  Maybe\n", "choice.menu"),
        ("? Which\n❯ http://a\n  http://b\n", "command.silent"),
        ("? Which\n❯ red\n  green\n1\n2\n3\n4\n5\n", "command.silent"),
        ("[?] Which: \n > red\n   green\n", "choice.menu"),
        ("? Which\n❯ ◉ red\n  ◯ green\n", "choice.menu"),
        ("? Which\n❯[ ] red\n [x] green\n", "choice.menu"),
        ("? Which\n❯red\n green\n", "command.silent"),
        ("◆  Continue?\n│  x\n└\n", "yes_no.framed"),
        ("◆  Password?\n│  x\n└\n", "password.framed"),
        ("◆  Name?\n│  x\n└\n", "text.framed"),
        (&format!("◆  Name?\n{}└\n", "│\n".repeat(13)), "command.silent"),
    ]);
    assert_eq!(hidden("Which\n-> red\n   green\n"), "choice.menu");
    assert_eq!(hidden("Which\n=> red\n   green\n"), "choice.menu");
    let filter = |count: &str| {
        let text = format!("  red\n  {count}\n> ");
        rule(&text)
    };
    assert_eq!(filter("3/12"), "choice.filter");
    assert_eq!(filter("/12"), "command.angle");
    assert_eq!(filter("123456789/12"), "command.angle");
}

/// What is drawn with frames: which buttons there are, and what stands above them.
#[test]
fn dialogs_are_known_by_their_buttons() {
    let dialog = |words: &str, buttons: &str| {
        let rows = format!("┌──────────────┐\n│ {words} │\n│ {buttons} │\n└──────────────┘\n");
        rule_of(&full(&rows))
    };
    assert_eq!(dialog("Go on with it, whatever comes?", "<Yes>  <No>"), "yes_no.dialog");
    assert_eq!(dialog("Go on with it, whatever comes?", "yes  no"), "yes_no.dialog");
    assert_eq!(dialog("Go on with it, whatever comes?", "<Yes>  <Cancel>"), "text.dialog");
    assert_eq!(dialog("Say the password of your account.", "< OK > <Cancel>"), "password.dialog");
    assert_eq!(dialog("Directories: here are some of them.", "< OK > <Cancel>"), "path.dialog");
    assert_eq!(dialog("Files: here are some of them.", "< OK > <Cancel>"), "path.dialog");
    assert_eq!(dialog("It is done, and nothing is left to do.", "< OK >"), "unknown.dialog");
    assert_eq!(dialog("It is done, and nothing is left to do.", "<OK> <1> <2>"), "command.full_screen");
    assert_eq!(dialog("Go on with it, whatever comes?", "yes  no  a  b  c"), "command.full_screen");
    assert_eq!(dialog("Go on with it, whatever comes?", "yes  maybe"), "command.full_screen");
    let many = "<OK> <Back> <Help> <Exit> <Quit> <Cancel>";
    assert_eq!(dialog("Go on with it, whatever comes?", many), "command.full_screen");
    assert_eq!(dialog("Please select an option", "<OK>"), "choice.dialog");
    let listed = "┌──────────────┐\n│ Which of them do you want? │\n│ [ ] red │\n│ [x] green │\n│ <OK> <Cancel> │\n";
    assert_eq!(rule_of(&full(listed)), "choice.dialog");
    let bare = "Which of them do you want?\n<OK> <Back> <Cancel>\n";
    assert_eq!(rule_of(&full(bare)), "choice.buttons");
    assert_eq!(rule(bare), "command.silent", "without a frame it has to take the screen");
}

/// By words alone, at once: each of these must not be taken for a prompt, or must be doubted.
#[test]
fn what_somebody_works_at_or_quotes_is_doubted() {
    let confidence =
        |text: &str| detect(&ScreenView::of_text(text), &Moment::default()).map_or(0.0, |it| it.confidence);
    for text in [
        "#### done: ", "[====>    ] of it: ", "━━━━ left: ", "███ left: ", "Left 42%: ",
        "12/90 [00:01<00:07, 9.9it/s]: ", "// Continue? ", "- Are you ready? ", "--yes Are you ready? ",
        "read -p \"Continue? [y/N] ", "Usage: tool [y/n] ", "info: Are you ready? ", "[WARN] Are you ready? ",
        "12:00:01 Are you ready? ", "2026-11-21 Are you ready? ", "Checking: are you there? ", "⠋ Are you ready? ",
        "Are you ready? ⠋", "│ ⠋ Working\n",
    ] {
        assert!(confidence(text) < MIN_CONFIDENCE, "{text:?}: {}", confidence(text));
    }
    assert!(confidence("Install 42% now? [y/N] ") >= MIN_CONFIDENCE, "the answers stand there");
    assert!(confidence("warning: continue? [y/N] ") >= MIN_CONFIDENCE, "the answers stand there");
    assert!(confidence("2026-11 Are you ready? ") >= MIN_CONFIDENCE, "that is no time");
    let spins = ScreenView { after: "⠋".to_owned(), ..ScreenView::of_text("Are you ready? ") };
    assert!(detect(&spins, &Moment::default()).is_none_or(|prompt| prompt.confidence < MIN_CONFIDENCE));
}

/// A program that only listens for keys says so, or is known by the bar of the multiplexer that it runs in.
#[test]
fn hints_at_keys_are_no_questions() {
    let polls = |text: &str| {
        let host = Host { reader: Reader::Polls, echo: Some(false), canonical: Some(false), destroys: false };
        let moment = Moment { host, quiet: Some(Duration::from_secs(1)), answered: false };
        detect(&full(text), &moment).map_or(0.0, |prompt| prompt.confidence)
    };
    assert!(polls("working\n") >= MIN_CONFIDENCE, "a full screen that listens");
    assert!(polls("Press h to show help\n") < MIN_CONFIDENCE);
    assert!(polls("working\n[0] 0:bash* 12:00") < MIN_CONFIDENCE);
}

#[test]
fn a_line_that_was_too_narrow_is_read_as_one() {
    let rows = ["Are you sure that you want to", "go on with it? [y/", "n] "];
    let broken = ScreenView {
        rows: rows.iter().map(|row| (*row).to_owned()).collect(),
        wrapped: vec![true, true, false],
        cursor_row: 2,
        before: rows[2].to_owned(),
        ..ScreenView::default()
    };
    assert_eq!(rule_of(&broken), "yes_no.brackets");
    let ended = ScreenView { wrapped: vec![true, false, false], ..broken };
    assert_ne!(rule_of(&ended), "yes_no.brackets", "the row before ended there");
    let long = ScreenView {
        rows: (0..40).map(|_| "word ".to_owned()).chain(["go? [y/n] ".to_owned()]).collect(),
        wrapped: vec![true; 41],
        cursor_row: 40,
        before: "go? [y/n] ".to_owned(),
        ..ScreenView::default()
    };
    let text = detect(&long, &Moment::default()).unwrap().prompt_text;
    assert_eq!(text.matches("word").count(), 16, "sixteen rows and no more");
}

#[test]
fn what_stands_above_makes_a_bare_question_dangerous() {
    let dangerous = |text: &str| seen(text).is_some_and(|prompt| prompt.is_dangerous);
    assert!(dangerous("This will delete all files.\nContinue? [y/N] "));
    assert!(!dangerous("Delete all files? (y/n) y\nContinue? [y/N] "), "that one is answered");
    assert!(!dangerous("$ delete all files\nContinue? [y/N] "), "that one was typed");
    assert!(dangerous("This will delete all files.\nType the name to confirm: "));
    assert!(!dangerous("This will delete all files.\nWhich colour [red,green,blue]? "), "it does not lean on it");
}

fn seen(text: &str) -> Option<InputPrompt> {
    detect(&ScreenView::of_text(text), &Moment::default())
}
