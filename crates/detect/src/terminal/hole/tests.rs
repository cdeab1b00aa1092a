//! What `hole` does, tried.

use crate::terminal::{Terminal, TerminalSize};

fn printed(text: &str) -> Terminal {
    let mut terminal = Terminal::new(TerminalSize::new(4, 60), 100);
    terminal.feed(text.as_bytes());
    terminal
}

fn lines(terminal: &Terminal) -> Vec<String> {
    terminal.transcript().lines().map(str::to_owned).collect()
}

#[test]
fn what_stood_there_stays_in_the_transcript_and_the_hole_is_named_behind_it() {
    let mark = "[callboard: 4096 bytes of output are missing here]";
    let cases: [(&str, &[&str]); 7] = [
        ("", &[]),
        ("one\r\ntwo", &["one", "two"]),
        ("one\r\ntwo\r\nthree\r\nfour", &["one", "two", "three", "four"]),
        ("one\r\ntwo\r\nthree\r\nfour\r\nfive", &["one", "two", "three", "four", "five"]),
        // In the middle of a title, of a part that scrolls, and of a colour.
        ("\x1b[1;2r\x1b[31mthree\x1b]2;half a ti", &["three"]),
        ("\x1b(0\x1b7lqqk", &["┌──┐"]),
        ("\x1b)0\x0e\x1b7lqqk", &["┌──┐"]),
    ];
    for (before, kept) in cases {
        let mut terminal = printed(before);
        let hole = terminal.hole(4096);
        terminal.feed(hole.as_bytes());
        assert_eq!(terminal.screen_rows(), Vec::<String>::new(), "{before:?} is still on the screen");
        terminal.feed(b"after\r\n");
        let mut expected: Vec<&str> = kept.to_vec();
        expected.extend([mark, "after"]);
        assert_eq!(lines(&terminal), expected, "after {before:?}");
    }
}

#[test]
fn a_drawing_of_the_whole_screen_may_follow() {
    let mut terminal = printed("");
    let hole = terminal.hole_before_drawing(7) + &printed("one\r\ntwo").drawing();
    terminal.feed(hole.as_bytes());
    assert_eq!(lines(&terminal), ["[callboard: 7 bytes of output are missing here]", "one", "two"]);
}

#[test]
fn what_stood_there_when_something_else_begins_stays_in_the_transcript() {
    let mut terminal = printed("one\r\ntwo");
    let clearing = terminal.clearing();
    terminal.feed(clearing.as_bytes());
    terminal.feed(b"three");
    assert_eq!(lines(&terminal), ["one", "two", "three"]);
}

#[test]
fn a_narrow_screen_cuts_the_mark() {
    let mut terminal = Terminal::new(TerminalSize::new(2, 20), 100);
    terminal.feed(b"one");
    let hole = terminal.hole(7);
    terminal.feed(hole.as_bytes());
    let lines = lines(&terminal);
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert!(lines[1].starts_with("[callboard: 7 bytes"), "{lines:?}");
}
