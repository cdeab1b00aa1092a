//! The cases that the sources name, what a host changes, and properties that no input may break.

mod agents;
mod asked;
mod classes;
mod danger;
mod drawn;
mod forms;
mod habits;
mod instructed;
mod labels;
mod libraries;
mod nearly;
mod properties;
mod screens;
mod signs;
mod spoken;
mod unseen;
mod waiting;
mod words;

use std::time::Duration;

use super::*;

fn seen(text: &str) -> Option<InputPrompt> {
    detect(&ScreenView::of_text(text), &Moment::default()).filter(|prompt| prompt.confidence >= MIN_CONFIDENCE)
}

fn kind_of(text: &str) -> Option<(PromptKind, bool)> {
    seen(text).map(|prompt| (prompt.prompt_type, prompt.is_dangerous))
}

fn told(text: &str, reader: Reader, echo: bool, canonical: bool) -> Option<InputPrompt> {
    let host = Host { reader, echo: Some(echo), canonical: Some(canonical), destroys: false };
    detect(&ScreenView::of_text(text), &Moment { host, quiet: Some(Duration::from_secs(1)), answered: false })
}

#[test]
fn a_password_prompt_is_one_and_is_not_dangerous() {
    assert_eq!(kind_of("Password: "), Some((PromptKind::Password, false)));
    assert_eq!(kind_of("[sudo] password for ada: "), Some((PromptKind::Password, false)));
    assert_eq!(kind_of("Enter passphrase (empty for no passphrase): "), Some((PromptKind::Password, false)));
}

#[test]
fn yes_or_no_is_asked_and_destruction_is_seen() {
    assert_eq!(kind_of("Continue? (yes/no): "), Some((PromptKind::YesNo, false)));
    assert_eq!(kind_of("Delete 3 tables? (yes/no): "), Some((PromptKind::YesNo, true)));
    assert_eq!(kind_of("Undo delete? [y/N] "), Some((PromptKind::YesNo, false)));
    let asked = seen("Delete 3 tables? (yes/no): ").unwrap();
    assert_eq!(asked.prompt_text, "Delete 3 tables? (yes/no):");
    assert_eq!(asked.choices, ["yes", "no"]);
    assert!(asked.confidence >= 0.9, "{asked:?}");
    assert_eq!(asked.signals, [Signal::NoNewline, Signal::Pattern]);
    assert!(!asked.safe_to_type, "nobody can know without a host");
}

#[test]
fn what_is_no_prompt_is_none() {
    for text in [
        "Normal log output without prompt",
        "Normal log output without prompt\n",
        "Password: accepted\n",
        "Continue? (yes/no): no\n",
        "usage: tool [-y] (y/n)\n",
        "$ cat install.sh\nread -p \"Continue? [y/N] \" answer\n",
        "Checking dependencies: ",
        "Downloading: 42%",
        "",
    ] {
        assert_eq!(kind_of(text), None, "{text:?}");
    }
}

#[test]
fn what_may_be_a_prompt_is_not_said_to_be_sure() {
    let maybe = detect(&ScreenView::of_text("Maybe a prompt?"), &Moment::default()).unwrap();
    assert!(maybe.confidence < 0.85, "{maybe:?}");
}

#[test]
fn a_prompt_after_ten_thousand_lines_is_found() {
    let mut text: String = (0..10_000).map(|line| format!("line {line}\n")).collect();
    text.push_str("Password: ");
    assert_eq!(kind_of(&text), Some((PromptKind::Password, false)));
}

#[test]
fn every_kind_is_told_from_the_others() {
    for (text, kind) in [
        ("Are you sure you want to continue connecting (yes/no/[fingerprint])? ", PromptKind::YesNo),
        ("Stage this hunk [y,n,q,a,d,e,?]? ", PromptKind::Choice),
        ("1) red\n2) green\n#? ", PromptKind::Choice),
        ("(A)bort, (R)etry, (I)gnore? ", PromptKind::Choice),
        ("? Pick one\n❯ red\n  green\n", PromptKind::Choice),
        ("Enter file in which to save the key (/home/ada/.ssh/id): ", PromptKind::Path),
        ("Enter your name: ", PromptKind::Text),
        ("Port [8080]: ", PromptKind::Text),
        ("ada@host:~$ ", PromptKind::Command),
        (">>> ", PromptKind::Command),
        ("(gdb) ", PromptKind::Command),
        ("postgres=# ", PromptKind::Command),
        ("Command (m for help): ", PromptKind::Command),
        ("--More--(12%)", PromptKind::Command),
        ("Press any key to continue...", PromptKind::Unknown),
        ("Type 'yes' to continue, or 'no' to cancel: ", PromptKind::YesNo),
        ("Are you sure? (Type 'yes' in capital letters): ", PromptKind::YesNo),
        ("Fortfahren? [j/N] ", PromptKind::YesNo),
        ("Mot de passe : ", PromptKind::Password),
        ("API token: ", PromptKind::Password),
    ] {
        assert_eq!(kind_of(text).map(|(kind, _)| kind), Some(kind), "{text:?}");
    }
}

#[test]
fn a_host_decides_where_words_cannot() {
    assert!(told("Continue? [y/N] ", Reader::Busy, true, true).is_none(), "it computes");
    assert!(told("Continue? [y/N] ", Reader::Gone, true, true).is_none(), "it ended");
    let silent = told("", Reader::Reads, true, true).unwrap();
    assert!(silent.confidence > 0.9 && !silent.safe_to_type, "it reads, and nobody knows what: {silent:?}");
    let asked = told("Continue? [y/N] ", Reader::Reads, true, true).unwrap();
    assert!(asked.safe_to_type && asked.signals.contains(&Signal::TtyRead), "{asked:?}");
    let hidden = told("Key for ada please ", Reader::Unknown, false, true).unwrap();
    assert_eq!((hidden.prompt_type, &*hidden.matched_pattern.to_string()), (PromptKind::Password, "password.echo_off"));
    assert!(!hidden.safe_to_type, "a secret is for a person");
}

#[test]
fn what_was_just_answered_does_not_wait_again() {
    let sight = ScreenView::of_text("Continue? [y/N] ");
    let answered = Moment { answered: true, quiet: Some(Duration::from_secs(2)), ..Moment::default() };
    let still = detect(&sight, &answered);
    assert!(still.as_ref().is_none_or(|prompt| prompt.confidence < MIN_CONFIDENCE), "{still:?}");
    assert!(!still.is_some_and(|prompt| prompt.safe_to_type));
}

#[test]
fn a_shell_that_says_so_waits() {
    let sight = ScreenView { mark: Some(ShellMark::Input), ..ScreenView::of_text("weird prompt ¬ ") };
    let found = detect(&sight, &Moment::default()).unwrap();
    assert_eq!((found.prompt_type, &*found.matched_pattern.to_string()), (PromptKind::Command, "command.shell_mark"));
    assert_eq!(found.signals[0], Signal::ShellMark);
}

#[test]
fn a_kind_is_read_as_it_is_written() {
    for kind in PromptKind::ALL {
        assert_eq!(PromptKind::parse(kind.as_str()), Some(kind));
        assert_eq!(serde_json::to_value(kind).unwrap(), kind.as_str());
    }
    assert_eq!(PromptKind::parse("Password"), None);
}
