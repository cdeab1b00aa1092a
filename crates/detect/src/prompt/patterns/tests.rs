//! What `patterns` does, tried.

use super::*;
use crate::prompt::{EchoStrainer, Moment, ScreenView, detect, detect_with};

fn patterns() -> Patterns {
    let own = |name: &str, ends: &str, kind, dangerous| OwnPrompt::new(name, ends, kind, Vec::new(), dangerous);
    let prompts = vec![
        own("short", "it>", PromptKind::Text, None),
        own("ship", " Ship it> ", PromptKind::YesNo, Some(true)),
        own("word", "Losung »", PromptKind::Password, None),
        OwnPrompt::new("lane", "which lane", PromptKind::Choice, vec!["a".to_owned(), "b".to_owned()], Some(false)),
    ];
    Patterns::new(prompts, &["Evacuate".to_owned()])
}

fn seen(text: &str) -> Option<(String, PromptKind, bool)> {
    let found = detect_with(&ScreenView::of_text(text), &Moment::default(), &patterns())?;
    Some((found.matched_pattern.to_string(), found.prompt_type, found.is_dangerous))
}

#[test]
fn a_prompt_of_the_operators_own_is_told_by_its_end_and_the_longest_fits() {
    assert_eq!(seen("SHIP IT> "), Some(("patterns.ship".to_owned(), PromptKind::YesNo, true)));
    assert_eq!(seen("eat it> "), Some(("patterns.short".to_owned(), PromptKind::Text, false)));
    assert_eq!(seen("ship it> now"), None, "the line goes on");
    let found = detect_with(&ScreenView::of_text("which lane "), &Moment::default(), &patterns()).unwrap();
    assert_eq!((found.choices, found.confidence >= 0.9), (vec!["a".to_owned(), "b".to_owned()], true));
    assert_eq!(detect(&ScreenView::of_text("which lane "), &Moment::default()), None, "nobody said so");
}

#[test]
fn a_word_of_danger_counts_where_it_stands_alone() {
    assert!(seen("Evacuate the rack? (yes/no) ").unwrap().2);
    assert!(!seen("Is it evacuated? (yes/no) ").unwrap().2);
    assert!(!seen("Use un_evacuate? (yes/no) ").unwrap().2);
    let plain = detect(&ScreenView::of_text("Evacuate the rack? (yes/no) "), &Moment::default()).unwrap();
    assert!(!plain.is_dangerous);
}

#[test]
fn a_word_of_danger_counts_in_whatever_is_asked_and_not_in_a_shells_prompt() {
    for (asks, kind) in [
        ("Rack to evacuate: ", PromptKind::Text),
        ("File of the racks to evacuate: ", PromptKind::Path),
        ("Password to evacuate the rack: ", PromptKind::Password),
        ("Press any key to evacuate the rack ", PromptKind::Unknown),
    ] {
        let (_, found, dangerous) = seen(asks).unwrap();
        assert_eq!((found, dangerous), (kind, true), "{asks}");
        assert!(!detect(&ScreenView::of_text(asks), &Moment::default()).unwrap().is_dangerous, "{asks}");
    }
    let (_, kind, dangerous) = seen("ada@evacuate:~$ ").unwrap();
    assert_eq!((kind, dangerous), (PromptKind::Command, false));
    let full = ScreenView { alternate: true, ..ScreenView::of_text("Racks\nOld ones\nEvacuate now") };
    assert!(detect_with(&full, &Moment::default(), &patterns()).unwrap().is_dangerous, "it may ask");
    assert!(!seen("Rack: ").unwrap().2);
}

#[test]
fn a_secret_of_the_operators_own_is_one_and_its_echo_is_taken_out() {
    assert_eq!(patterns().judge("LOSUNG »"), (PromptKind::Password, false));
    assert_eq!(patterns().judge("Evacuate the rack? (yes/no)"), (PromptKind::YesNo, true));
    let strained = |line: &str, text: &str| {
        let kept = EchoStrainer::default().strain_with(line, text.as_bytes(), &patterns()).into_owned();
        String::from_utf8(kept).unwrap()
    };
    assert_eq!(strained("", "Losung » hunter2\r\nwelcome"), "Losung » [REDACTED]\r\nwelcome");
    assert_eq!(strained("İ LOSUNG » ", "hunter2"), "[REDACTED]");
    assert_eq!(strained("", "Losung » "), "Losung » ");
    assert_eq!(strained("", "Compiling\r\n"), "Compiling\r\n");
}
